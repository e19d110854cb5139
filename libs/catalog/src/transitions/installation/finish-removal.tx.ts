/**
 * finish-removal: what was withdrawn is REMOVED, and its App may be installed anew
 *
 * why     Only with this is the reservation freed (cat:INST-09). Before it nothing may still be served for it: every binding has retired or failed
 *         (cat:INST-T10, cat:BIND-11). The row is a tombstone from then on; no statement moves it again (cat:INST-15).
 * paths   pass-barrier, finish-removal
 * locks   barrier, lineage, installation
 * fence   its removal was published, and none of its bindings is STAGED, ACTIVE or DRAINING.
 * again   Installation: `already-removed`.
 */
import { invariant } from '@connector/kernel/faults';
import { readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catBindingState, catInstallation, catPublicationStep } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { lockInstallation } from '../../fences/installation';
import { lockLineage } from '../../fences/lineage';
import { installationMachine, type InstallationState } from '../../model/installation/installation';
import { ENTRIES } from '../../model/installation/publication';
import { catalogDoors } from '../../model/paths';
import { closeClaims } from './claims';
import { readSteps } from './journal';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export interface FinishRemoval {
  readonly organization: string;
  readonly installation: string;
}
export type FinishedRemoval =
  | { readonly kind: 'removed' | 'already-removed' | 'no-installation' }
  | { readonly kind: 'transition-not-allowed'; readonly state: InstallationState }
  /** It still serves, or may. */
  | { readonly kind: 'not-withdrawn' }
  | { readonly kind: 'gates-open'; readonly bindings: readonly string[] }
  | BarrierHeld;

const BINDINGS_SHOWN = 100;
const ONE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id';
const HELD = readRows(
  catBindingState,
  ['binding_id'],
  `${ONE} AND state IN ('STAGED', 'ACTIVE', 'DRAINING') ORDER BY binding_id LIMIT ${BINDINGS_SHOWN}`,
  'held',
);
const FINISH = updateRows(
  catInstallation,
  `SET state = 'REMOVED', live_app_id = NULL
   ${ONE} AND state = 'REMOVING' AND attempt = :attempt AND active_attempt IS NULL`,
  'finish',
);

export function finishRemoval(db: Db, input: FinishRemoval): Promise<FinishedRemoval> {
  const { organization, installation } = input;
  const key = { organization_id: organization, app_installation_id: installation };
  return db.fenced(catalogDoors['finish-removal'], async (tx) => {
    const held = await passBarrier(tx, input);
    if (held !== undefined) return held;
    const lineage = await lockLineage(tx, organization);
    const row = lineage && (await lockInstallation(tx, organization, installation));
    if (row === undefined) return { kind: 'no-installation' };
    const state = installationMachine.parse(row.state);
    if (state === 'REMOVED') return { kind: 'already-removed' };
    if (state !== 'REMOVING') return { kind: 'transition-not-allowed', state };
    const { attempt } = row;
    const steps = await readSteps(tx, organization, { installation, attempt });
    if (!steps.has('published')) return { kind: 'not-withdrawn' };
    const gates = await tx.read(HELD, key);
    if (gates.length > 0) return { kind: 'gates-open', bindings: gates.map(({ binding_id: binding }) => binding) };
    const appId = row.live_app_id ?? '';
    await closeClaims(tx, input, () => true);
    invariant(await tx.cas(FINISH, { ...key, attempt }), 'HOUSE:catalog:CasUnexplained', 'a withdrawn installation has an ACTIVE tuple');
    const { bytes: entry } = ENTRIES.removed.build({ app_id: appId });
    await tx.insert(catPublicationStep, [{ ...key, attempt, step: 'removed', entry, document: null }]);
    await audit(tx, { caller: 'catalog', subject: organization, details: { installation, app_id: appId } });
    return { kind: 'removed' };
  });
}
