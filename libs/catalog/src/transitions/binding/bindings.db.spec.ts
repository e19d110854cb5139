import { mainSchema, type TestSchema } from '@connector/testing/database';
import { emptyInstallations, PUBLISHER, WORKLOAD } from '@connector/testing/fixtures/publication';
import { asking, rowsOf, type Signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { Bound, NEXT_RELEASE } from '@connector/testing/fixtures/binding';
import { type BindingRef } from './binding-rows';
import { closeBindingReference } from './close-binding-reference.tx';
import { decideRetention } from './decide-retention.tx';
import { failBinding } from './fail-binding.tx';
import { openBindingReference } from './open-binding-reference.tx';
import { retireBinding } from './retire-binding.tx';
import { stageBinding } from './stage-binding.tx';

let schema: TestSchema;
let signer: Signer;
let bound: Bound;

beforeAll(async () => {
  schema = await mainSchema();
  signer = await trustedPublisher(schema.db, PUBLISHER);
});
beforeEach(async () => {
  await emptyInstallations(schema);
  bound = await Bound.open(schema, 'org-1', signer);
});
afterAll(() => schema.close());

interface StateRow {
  readonly state: string;
  readonly epoch: string | null;
}
const statesOf = async (): Promise<readonly StateRow[]> =>
  (await schema.sql('SELECT state, ownership_epoch FROM cat_binding_state ORDER BY ownership_epoch IS NULL, ownership_epoch')).map(
    (row) => ({
      state: String(row['state']),
      epoch: row['ownership_epoch'] === null ? null : String(row['ownership_epoch']),
    }),
  );
const stage = (over = {}) => stageBinding(bound.db, bound.staging(over), asking());
const nobody = (): BindingRef => bound.ref('nobody');
/** Two bindings of one capability, both after their time. */
async function twoDraining(): Promise<readonly [BindingRef, BindingRef]> {
  const first = await bound.draining(schema);
  const [row] = await schema.sql("SELECT binding_id FROM cat_binding_state WHERE state = 'ACTIVE'");
  await bound.activate(await bound.staged(), { expectedOwnershipEpoch: 2n });
  return [first, bound.ref(String(row?.['binding_id']))];
}
const working = async (ref: BindingRef) => openBindingReference(bound.db, { ...ref, referenceId: 'work-1', kind: 'work' }, 'test');

describe('stage-binding', () => {
  it('staged: cat:BIND-02 cat:BIND-03 cat:BIND-19 cat:OWN-19 another service release, no other App release, and no epoch yet (cat:A-32)', async () => {
    const releases = await countOf(schema, 'cat_app_release');
    const answer = await stage();
    expect(answer).toMatchObject({ kind: 'staged', bindingId: expect.stringMatching(/^[0-9a-f-]{14}7[0-9a-f-]{21}$/) as string });
    expect(await statesOf()).toEqual([
      { state: 'ACTIVE', epoch: '1' },
      { state: 'STAGED', epoch: null },
    ]);
    expect(await countOf(schema, 'cat_app_release')).toBe(releases);
  });

  it('staged: the same request again makes no second one', async () => {
    const request = asking();
    const first = await stageBinding(bound.db, bound.staging(), request);
    expect(await stageBinding(bound.db, bound.staging(), request)).toEqual(first);
    expect(await countOf(schema, 'cat_binding')).toBe(2);
  });

  it('not-active: an installation of which nothing is published, or that is none', async () => {
    expect(await stage({ installation: 'nobody' })).toEqual({ kind: 'not-active' });
    await schema.sql('UPDATE cat_installation SET active_attempt = NULL');
    expect(await stage()).toEqual({ kind: 'not-active' });
  });

  it('release-moved: the asker saw another release ACTIVE', async () => {
    expect(await stage({ appReleaseDigest: NEXT_RELEASE })).toEqual({ kind: 'release-moved', appReleaseDigest: bound.app.releaseDigest });
  });

  it.each([
    [
      'the release does not declare the capability',
      { rebinding: { capabilityId: 'dev.x.y.v1', workloadId: WORKLOAD, artifactDigest: NEXT_RELEASE } },
      'CAPABILITY_UNDECLARED',
    ],
    [
      'the workload is not authorized',
      { rebinding: { capabilityId: 'dev.example.workbench.work.v1', workloadId: 'dev.other', artifactDigest: NEXT_RELEASE } },
      'WORKLOAD_NOT_AUTHORIZED',
    ],
    ['the deployment knows no such release', { attestation: { plane: 'service', answer: { kind: 'unknown' } } }, 'SERVICE_RELEASE_UNKNOWN'],
    ['it is said to be a frontend', { attestation: { plane: 'frontend', answer: { kind: 'unknown' } } }, 'SERVICE_RELEASE_UNKNOWN'],
    [
      'the App has no frontend (cat:OWN-13)',
      { rebinding: { capabilityId: 'frontend', workloadId: null, artifactDigest: NEXT_RELEASE } },
      'FRONTEND_SHAPE',
    ],
  ])('incompatible: cat:BIND-08 cat:BIND-10 %s', async (_why, over, code) => {
    expect(await stage(over)).toMatchObject({ kind: 'incompatible', faults: [{ code }] });
    expect(await countOf(schema, 'cat_binding')).toBe(1);
  });
});

describe('activate-binding', () => {
  it('activated: cat:BIND-07 cat:BIND-09 cat:BIND-04 the next epoch, the one before drains, and one revision more', async () => {
    expect(await bound.activate(await bound.staged())).toEqual({ kind: 'activated', ownershipEpoch: 2n, catalogRevision: 2n });
    expect(await statesOf()).toEqual([
      { state: 'DRAINING', epoch: '1' },
      { state: 'ACTIVE', epoch: '2' },
    ]);
    const [row] = await schema.sql('SELECT state, activation_epoch FROM cat_installation');
    expect([String(row?.['state']), row?.['activation_epoch']]).toEqual(['ACTIVE', '1']);
  });

  it('activated: cat:BIND-05 cat:BIND-09 whatever serves another capability, or another installation, goes on as it was', async () => {
    const ref = await bound.staged();
    await schema.sql(
      `INSERT INTO cat_binding_state (organization_id, app_installation_id, binding_id, capability_id, state, ownership_epoch, active_capability_id)
       SELECT organization_id, 'neighbour', binding_id, capability_id, state, ownership_epoch, active_capability_id FROM cat_binding_state
       UNION ALL
       SELECT organization_id, app_installation_id, '0-frontend', 'frontend', state, 5, 'frontend' FROM cat_binding_state WHERE state = 'ACTIVE'`,
    );
    const others = () =>
      rowsOf(schema, "cat_binding_state WHERE app_installation_id = 'neighbour'", "cat_binding_state WHERE capability_id = 'frontend'");
    const before = await others();
    expect(await bound.activate(ref)).toMatchObject({ kind: 'activated', ownershipEpoch: 2n });
    expect(await others()).toBe(before);
  });

  it('activated: the same request again answers with what it made; there is no third epoch', async () => {
    const [ref, request] = [await bound.staged(), asking()];
    const first = await bound.activate(ref, {}, request);
    expect(await bound.activate(ref, {}, request)).toEqual(first);
    expect(await countOf(schema, 'cat_revision')).toBe(2);
  });

  it('ownership-epoch-stale: cat:BIND-05 cat:BIND-07 cat:FAIL-06 of eight activations of two bindings at once one wins', async () => {
    const refs = [await bound.staged(), await bound.staged()];
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => bound.activate(refs[at % 2] as BindingRef)));
    expect(answers.filter(({ kind }) => kind === 'activated')).toHaveLength(1);
    expect(answers.some(({ kind }) => kind === 'ownership-epoch-stale')).toBe(true);
    expect((await statesOf()).filter(({ state }) => state === 'ACTIVE')).toEqual([{ state: 'ACTIVE', epoch: '2' }]);
  });

  it('no-binding: an id that nobody staged', async () => {
    expect(await bound.activate(nobody())).toEqual({ kind: 'no-binding' });
  });

  it('not-active: of an installation that serves nothing any more', async () => {
    const ref = await bound.staged();
    await schema.sql('UPDATE cat_installation SET active_attempt = NULL');
    expect(await bound.activate(ref)).toEqual({ kind: 'not-active' });
  });

  it.each(['ACTIVE', 'DRAINING', 'RETIRED', 'FAILED'])('not-staged: cat:BIND-06 a binding that is %s', async (state) => {
    const ref = await bound.staged();
    await schema.sql('UPDATE cat_binding_state SET state = ? WHERE binding_id = ?', [Buffer.from(state), Buffer.from(ref.bindingId)]);
    expect(await bound.activate(ref)).toEqual({ kind: 'not-staged', state });
  });

  it('release-moved: the binding is of a release that is not ACTIVE any more (cat:A-33)', async () => {
    const ref = await bound.staged();
    await schema.sql(`UPDATE cat_binding SET app_release_digest = REPEAT('x', 32)`);
    expect(await bound.activate(ref)).toEqual({ kind: 'release-moved', appReleaseDigest: bound.app.releaseDigest });
  });

  it('incompatible: cat:BIND-08 cat:BIND-13 what was attested when it was staged is not attested now', async () => {
    const ref = await bound.staged();
    const moved = { attestation: bound.attestation('dev.example.workbench.handler.work.v2') };
    expect(await bound.activate(ref, moved)).toMatchObject({ kind: 'incompatible', faults: [{ code: 'HANDLER_NOT_ATTESTED' }] });
    expect((await statesOf())[0]).toEqual({ state: 'ACTIVE', epoch: '1' });
  });
});

describe('fail-binding', () => {
  const fail = (ref: BindingRef) => failBinding(bound.db, ref, asking());

  it('failed: a staged binding is given up and is never ACTIVE', async () => {
    const ref = await bound.staged();
    expect(await fail(ref)).toEqual({ kind: 'failed' });
    expect(await bound.activate(ref)).toEqual({ kind: 'not-staged', state: 'FAILED' });
  });

  it('no-binding: an id that nobody staged', async () => {
    expect(await fail(nobody())).toEqual({ kind: 'no-binding' });
  });

  it('not-staged: cat:BIND-06 ACTIVE is not given up', async () => {
    const ref = await bound.staged();
    await bound.activate(ref);
    expect(await fail(ref)).toEqual({ kind: 'not-staged', state: 'ACTIVE' });
  });

  it('publication-open: what an open publication staged is its own', async () => {
    const ref = await bound.staged();
    await schema.sql('UPDATE cat_installation SET candidate_release_digest = active_release_digest');
    expect(await fail(ref)).toEqual({ kind: 'publication-open' });
  });
});

describe('open-binding-reference', () => {
  const open = (ref: BindingRef) => openBindingReference(bound.db, { ...ref, referenceId: 'route-1', kind: 'route' }, 'test');

  it('opened: and already-open the second time', async () => {
    const ref = await bound.draining(schema);
    expect(await open(ref)).toEqual({ kind: 'opened' });
    expect(await open(ref)).toEqual({ kind: 'already-open' });
  });

  it('already-open: a reference is one', async () => {
    const ref = await bound.draining(schema);
    await open(ref);
    await open(ref);
    expect(await countOf(schema, 'cat_binding_reference')).toBe(1);
  });

  it('conflicting-reference: under an id of the one kind nothing of the other refers, and what stands stays (cat:A-34)', async () => {
    const ref = await bound.draining(schema);
    await open(ref);
    const other = () => openBindingReference(bound.db, { ...ref, referenceId: 'route-1', kind: 'work' }, 'test');
    const conflict = { kind: 'conflicting-reference', referenceKind: 'route' };
    const before = await rowsOf(schema, 'cat_binding_reference');
    expect(await other()).toEqual(conflict);
    expect(await rowsOf(schema, 'cat_binding_reference')).toBe(before);
    await closeBindingReference(bound.db, { ...ref, referenceId: 'route-1' }, 'test');
    expect(await other()).toEqual(conflict);
  });

  it('already-closed: what was closed is not opened again', async () => {
    const ref = await bound.draining(schema);
    await open(ref);
    await closeBindingReference(bound.db, { ...ref, referenceId: 'route-1' }, 'test');
    expect(await open(ref)).toEqual({ kind: 'already-closed' });
  });

  it('no-binding: an id that nobody staged', async () => {
    expect(await open(nobody())).toEqual({ kind: 'no-binding' });
  });

  it('not-serving: a staged binding serves nobody yet', async () => {
    expect(await open(await bound.staged())).toEqual({ kind: 'not-serving', state: 'STAGED' });
  });
});

describe('close-binding-reference', () => {
  it('closed: already-closed: and no-reference where there never was one', async () => {
    const ref = { ...(await bound.draining(schema)), referenceId: 'work-1' };
    expect(await closeBindingReference(bound.db, ref, 'test')).toEqual({ kind: 'no-reference' });
    await openBindingReference(bound.db, { ...ref, kind: 'work' }, 'test');
    expect(await closeBindingReference(bound.db, ref, 'test')).toEqual({ kind: 'closed' });
  });

  it('already-closed: the same again', async () => {
    const ref = { ...(await bound.draining(schema)), referenceId: 'work-1' };
    await openBindingReference(bound.db, { ...ref, kind: 'work' }, 'test');
    await closeBindingReference(bound.db, ref, 'test');
    expect(await closeBindingReference(bound.db, ref, 'test')).toEqual({ kind: 'already-closed' });
  });

  it('closed: cat:BIND-11 what refers to another binding under the same name still does', async () => {
    const [first, second] = await twoDraining();
    for (const ref of [first, second]) await working(ref);
    expect(await closeBindingReference(bound.db, { ...first, referenceId: 'work-1' }, 'test')).toEqual({ kind: 'closed' });
    expect(await retireBinding(bound.db, second, asking())).toMatchObject({ kind: 'still-referred-to' });
  });

  it('no-reference: one that nobody opened', async () => {
    expect(await closeBindingReference(bound.db, { ...nobody(), referenceId: 'x' }, 'test')).toEqual({ kind: 'no-reference' });
  });
});

describe('retire-binding', () => {
  const retire = (ref: BindingRef) => retireBinding(bound.db, ref, asking());
  const referred = async (): Promise<BindingRef & { readonly referenceId: string }> => {
    const ref = { ...(await bound.draining(schema)), referenceId: 'work-1' };
    await openBindingReference(bound.db, { ...ref, kind: 'work' }, 'test');
    return ref;
  };

  it('retired: cat:BIND-11 a draining binding to which nothing refers', async () => {
    expect(await retire(await bound.draining(schema))).toEqual({ kind: 'retired' });
  });

  it('still-referred-to: cat:BIND-11 cat:A-34 one open reference keeps it; closing the reference lets it go', async () => {
    const ref = await referred();
    expect(await retire(ref)).toEqual({ kind: 'still-referred-to', references: ['work-1'] });
    await closeBindingReference(bound.db, ref, 'test');
    expect(await retire(ref)).toEqual({ kind: 'retired' });
  });

  it('retired: cat:BIND-11 what refers to another binding does not keep it, and what was decided about it lets no other go', async () => {
    const [first, second] = await twoDraining();
    for (const ref of [first, second]) await working(ref);
    await decideRetention(bound.db, { ...first, reason: 'its owner is gone' }, asking());
    expect(await retire(second)).toEqual({ kind: 'still-referred-to', references: ['work-1'] });
    await closeBindingReference(bound.db, { ...second, referenceId: 'work-1' }, 'test');
    expect(await retire(second)).toEqual({ kind: 'retired' });
  });

  it('retired: cat:BIND-11 with an open reference by an explicit decision on its retention alone', async () => {
    const ref = await referred();
    await decideRetention(bound.db, { ...ref, reason: 'its owner is gone' }, asking());
    expect(await retire(ref)).toEqual({ kind: 'retired' });
  });

  it('not-draining: cat:BIND-06 neither STAGED nor ACTIVE nor RETIRED', async () => {
    const ref = await bound.draining(schema);
    await retire(ref);
    expect(await retire(ref)).toEqual({ kind: 'not-draining', state: 'RETIRED' });
    expect(await retire(await bound.staged())).toEqual({ kind: 'not-draining', state: 'STAGED' });
  });

  it('no-binding: an id that nobody staged', async () => {
    expect(await retire(nobody())).toEqual({ kind: 'no-binding' });
  });
});

describe('decide-retention', () => {
  const decide = (ref: BindingRef) => decideRetention(bound.db, { ...ref, reason: 'its owner is gone' }, asking());

  it('decided: who and why are written', async () => {
    expect(await decide(await bound.draining(schema))).toEqual({ kind: 'decided' });
    const [row] = await schema.sql('SELECT decided_by, reason FROM cat_binding_retention');
    expect([row?.['decided_by'], row?.['reason']].map(String)).toEqual(['test', 'its owner is gone']);
  });

  it('already-decided: by whom it was', async () => {
    const ref = await bound.draining(schema);
    await decide(ref);
    expect(await decide(ref)).toEqual({ kind: 'already-decided', decidedBy: 'test' });
  });

  it('not-draining: of what serves nobody decides', async () => {
    expect(await decide(await bound.staged())).toEqual({ kind: 'not-draining', state: 'STAGED' });
  });

  it('no-binding: an id that nobody staged', async () => {
    expect(await decide(nobody())).toEqual({ kind: 'no-binding' });
  });
});
