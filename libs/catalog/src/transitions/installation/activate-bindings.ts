import { invariant } from '@connector/kernel/faults';
import { lockRows, readRows, updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catBindingState, catOwnershipHead } from '@connector/schema/catalog/installations';
import { FRONTEND } from '../../model/installation/binding';
import type { Candidate } from '../../model/installation/candidate';

const INSTALLATION = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id';
const HEADS = lockRows(catOwnershipHead, ['capability_id'], `${INSTALLATION} AND capability_id IN (:capability_id)`);
const RAISE = updateRows(
  catOwnershipHead,
  `SET ownership_epoch = ownership_epoch + 1 ${INSTALLATION} AND capability_id IN (:capability_id)`,
);
const ACTIVE = readRows(
  catBindingState,
  ['binding_id', 'active_capability_id'],
  `${INSTALLATION} AND active_capability_id IS NOT NULL LIMIT 1001`,
  'active',
);
const DRAIN = updateRows(
  catBindingState,
  `SET state = 'DRAINING', active_capability_id = NULL ${INSTALLATION} AND binding_id IN (:binding_id) AND state = 'ACTIVE'`,
  'drain',
);
const ACTIVATE = updateRows(
  catBindingState,
  `SET state = 'ACTIVE', active_capability_id = capability_id,
       ownership_epoch = (SELECT h.ownership_epoch FROM ${catOwnershipHead.name} h
                           WHERE h.organization_id = ${catBindingState.name}.organization_id
                             AND h.app_installation_id = ${catBindingState.name}.app_installation_id
                             AND h.capability_id = ${catBindingState.name}.capability_id)
   ${INSTALLATION} AND binding_id IN (:binding_id) AND state = 'STAGED'`,
  'activate',
);

type InstallationKey = { readonly organization_id: string; readonly app_installation_id: string };

/** What an attempt staged, handlers and frontend. */
export function stagedBy({ handler_bindings: handlers, frontend_binding: frontend }: Candidate) {
  const bound = handlers.map(({ binding_id, capability_id }) => ({ binding_id, capability_id }));
  return frontend === undefined ? bound : [...bound, { binding_id: frontend.binding_id, capability_id: FRONTEND }];
}

/**
 * The bindings of a candidate become ACTIVE, each under the next ownership epoch of its capability, and all that were ACTIVE drain, in one
 * commit: never two, never none in between (cat:BIND-07, cat:BIND-09, cat:A-33). The installation's row is held.
 */
export async function activateBindings(tx: FencedTx, key: InstallationKey, candidate: Candidate): Promise<void> {
  const staged = stagedBy(candidate);
  const capabilities = staged.map(({ capability_id: capability }) => capability);
  if (capabilities.length > 0) await raiseHeads(tx, key, capabilities);
  await drainBindings(tx, key);
  if (staged.length > 0) await all(tx.update(ACTIVATE, { ...key, binding_id: staged.map((one) => one.binding_id) }), staged.length);
}

/** All that are ACTIVE drain, with or without a successor (cat:A-33). The installation's row is held. */
export async function drainBindings(tx: FencedTx, key: InstallationKey): Promise<void> {
  const active = (await tx.read(ACTIVE, key)).map(({ binding_id: binding }) => binding);
  if (active.length > 0) await all(tx.update(DRAIN, { ...key, binding_id: active }), active.length);
}

async function raiseHeads(tx: FencedTx, key: InstallationKey, capabilities: readonly string[]): Promise<void> {
  const heads = await tx.lockMany(HEADS, { ...key, capability_id: capabilities });
  const known = heads.map(({ capability_id: capability }) => capability);
  const fresh = capabilities.filter((capability) => !known.includes(capability));
  if (known.length > 0) await all(tx.update(RAISE, { ...key, capability_id: known }), known.length);
  if (fresh.length > 0)
    await tx.insert(
      catOwnershipHead,
      fresh.map((capability_id) => ({ ...key, capability_id, ownership_epoch: 1n })),
    );
}

/** Nobody else moves the bindings of an installation whose row is held, so every row that is named has to be met. */
async function all(update: Promise<number>, expected: number): Promise<void> {
  const met = await update;
  invariant(met === expected, 'HOUSE:catalog:CasUnexplained', `${met} of ${expected} bindings moved`);
}

type Capability = InstallationKey & { readonly capability_id: string };

/** One staged binding takes the place of the one that serves its capability, which drains. The ownership head was raised before. */
export async function switchBinding(tx: FencedTx, { capability_id: capability, ...key }: Capability, bindingId: string): Promise<void> {
  const active = (await tx.read(ACTIVE, key)).filter((row) => row.active_capability_id === capability);
  await all(tx.update(DRAIN, { ...key, binding_id: active.map((row) => row.binding_id) }), 1);
  await all(tx.update(ACTIVATE, { ...key, binding_id: [bindingId] }), 1);
}
