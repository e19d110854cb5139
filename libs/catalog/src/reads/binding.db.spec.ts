import type { Table } from '@connector/kernel/table';
import {
  catBinding,
  catBindingReference,
  catBindingRetention,
  catBindingState,
  catInstallationIdentity,
  catLineage,
  catOwnershipHead,
} from '@connector/schema/catalog/installations';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { Bound } from '@connector/testing/fixtures/binding';
import { copied } from '@connector/testing/fixtures/copied';
import { APP, SERVICE_RELEASE, WORKLOAD } from '@connector/testing/fixtures/publication';
import { asking } from '@connector/testing/fixtures/registry';
import { closeBindingReference } from '../transitions/binding/close-binding-reference.tx';
import { decideRetention } from '../transitions/binding/decide-retention.tx';
import { openBindingReference } from '../transitions/binding/open-binding-reference.tx';
import { readBindingOf } from './binding';
import { readBindingHold } from './binding-detail';
import { readGates } from './gates';
import { readRetained } from './retained';
import { readShownBinding } from './shown-binding';

const ORG = 'org-1';
let schema: TestSchema;
let bound: Bound;
let ids: Readonly<Record<'draining' | 'active' | 'staged', string>>;

beforeAll(async () => {
  schema = await mainSchema();
  await schema.reset();
  bound = await Bound.open(schema, ORG);
  const draining = await bound.draining(schema);
  const [row] = await schema.sql("SELECT binding_id FROM cat_binding_state WHERE state = 'ACTIVE'");
  const active = bound.ref(String(row?.['binding_id']));
  for (const [ref, referenceId] of [[draining, 'work-1'] as const, [draining, 'work-2'] as const, [active, 'work-3'] as const])
    await openBindingReference(schema.db, { ...ref, referenceId, kind: 'work' }, 'test');
  await closeBindingReference(schema.db, { ...draining, referenceId: 'work-2' }, 'test');
  await decideRetention(schema.db, { ...draining, reason: 'its owner is gone' }, asking());
  ids = { draining: draining.bindingId, active: active.bindingId, staged: (await bound.staged()).bindingId };
  await neighbours();
});
afterAll(() => schema.close());

/** The same under other organizations and installations, before and behind in every order, and bindings of another capability beside. */
async function neighbours(): Promise<void> {
  const ours = `organization_id = '${ORG}' AND app_installation_id = '${bound.installation}'`;
  const theirs = { artifact_digest: "REPEAT('x', 32)", app_id: "'dev.x'", capability_id: "CONCAT('x.', capability_id)" };
  const drains = { state: "'DRAINING'", active_capability_id: 'NULL', ownership_epoch: 'COALESCE(ownership_epoch, 0) + 50' };
  const says = { decided_by: "'x'", reason: "'x'", reference_id: "CONCAT('x', reference_id)" };
  const head = { ownership_epoch: 'ownership_epoch + 50' };
  const places = ["'0'", "'z'"].flatMap((name): Record<string, string>[] => [{ organization_id: name }, { app_installation_id: name }]);
  const copy = (table: Table, over: Record<string, string>) => copied(schema, table, over, ours);
  for (const place of places) {
    for (const table of [catInstallationIdentity, catBinding]) await copy(table as unknown as Table, { ...theirs, ...place });
    for (const table of [catBindingState, catBindingReference, catBindingRetention])
      await copy(table as unknown as Table, { ...drains, ...says, ...place });
    await copy(catOwnershipHead as unknown as Table, { ...head, ...place });
  }
  const beside = { ...theirs, ...drains, ...says };
  for (const name of ["'0'", "'z'"]) {
    const other = { ...beside, binding_id: name, open_binding_id: 'NULL', capability_id: `CONCAT(${name}, '.x')` };
    for (const table of [catBinding, catBindingState, catBindingRetention])
      await copied(schema, table as unknown as Table, { ...other, state: "'RETIRED'" }, `${ours} AND binding_id = '${ids.draining}'`);
    await copied(schema, catOwnershipHead as unknown as Table, { ...other, ...head }, `${ours} AND capability_id = '${bound.capability}'`);
  }
  const open = { organization_id: "'0'", open_installation_id: `'${bound.installation}'`, open_attempt: '7' };
  await copied(schema, catLineage as unknown as Table, open);
  await schema.sql(`UPDATE cat_lineage SET open_installation_id = 'z', open_attempt = 7 WHERE organization_id = '${ORG}'`);
}

const at = (): [string, string] => [ORG, bound.installation];

describe('reads of a binding, beside those of other organizations, installations and capabilities', () => {
  it('found: cat:BIND-02 who serves what, as it was bound', async () => {
    const shared = { appId: APP, appReleaseDigest: bound.app.releaseDigest, capabilityId: bound.capability, workloadId: WORKLOAD };
    expect(await readBindingOf(schema.db, ...at(), ids.draining)).toEqual({ ...shared, artifactDigest: SERVICE_RELEASE });
    for (const id of [ids.active, ids.staged]) expect(await readBindingOf(schema.db, ...at(), id)).toMatchObject(shared);
    expect(await readBindingOf(schema.db, ORG, 'nobody', ids.draining)).toBeUndefined();
  });

  it('shown: cat:BIND-07 in its own state, with the head of its own capability', async () => {
    const shown = [ids.draining, ids.active, ids.staged].map((id) => readShownBinding(schema.db, ...at(), id));
    const head = { capabilityId: bound.capability, headEpoch: 2n };
    expect(await Promise.all(shown)).toEqual([
      { ...head, state: 'DRAINING' },
      { ...head, state: 'ACTIVE' },
      { ...head, state: 'STAGED' },
    ]);
  });

  it('held: cat:BIND-11 by what refers to it and is open, with what was decided about it alone', async () => {
    const [draining, active] = [
      await readBindingHold(schema.db, ...at(), ids.draining),
      await readBindingHold(schema.db, ...at(), ids.active),
    ];
    expect(draining).toMatchObject({
      references: [{ referenceId: 'work-1' }],
      retention: { decidedBy: 'test', reason: 'its owner is gone' },
    });
    expect(active).toMatchObject({ references: [{ referenceId: 'work-3' }], retention: null });
    expect([draining.references.length, active.references.length]).toEqual([1, 1]);
  });

  it('gates: cat:BIND-11 each that may still serve, with what refers to it and who let it go', async () => {
    const { capability: capabilityId } = bound;
    const gates = [
      { bindingId: ids.draining, capabilityId, state: 'DRAINING', references: ['work work-1'], letGoBy: 'test' },
      { bindingId: ids.active, capabilityId, state: 'ACTIVE', references: ['work work-3'], letGoBy: null },
      { bindingId: ids.staged, capabilityId, state: 'STAGED', references: [], letGoBy: null },
    ];
    const byId = (left: { bindingId: string }, right: { bindingId: string }) => (left.bindingId < right.bindingId ? -1 : 1);
    expect(await readGates(schema.db, ...at())).toEqual(gates.toSorted(byId));
  });

  it('retained: cat:COEX-11 what drains and what is on it, of an attempt that is open only its own', async () => {
    expect(await readRetained(schema.db, ...at())).toEqual([`handler ${ids.draining}`, 'work work-1']);
    await schema.sql(
      'UPDATE cat_lineage SET open_installation_id = ? WHERE organization_id = ?',
      [bound.installation, ORG].map(Buffer.from),
    );
    expect(await readRetained(schema.db, ...at())).toEqual([
      ...[`handler ${ids.draining}`, 'work work-1', `rollback ${bound.installation}`],
    ]);
  });
});
