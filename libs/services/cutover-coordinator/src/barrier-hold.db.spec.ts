import { AttemptId, CertificateId, OperationId } from '@connector/kernel/ids';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import type { Owners, PublicationBarrier } from '@connector/connector/contract/owners';
import { frozenScope } from '@connector/connector/model/serving/barriers';
import { readEpochContent, readEpochHeader } from '@connector/connector/reads/serving/epoch';
import { registerPack } from '@connector/packs/transitions/register-pack.tx';
import { journalSchema, mainSchema, type TestSchema } from '@connector/testing/database';
import { holderOf } from '@connector/testing/fixtures/barriers';
import { demoEpoch, owners, SCOPE } from '@connector/testing/fixtures/demo-epoch';
import { notedPack } from '@connector/testing/fixtures/registered-pack';
import { asking } from '@connector/testing/fixtures/registry';
import { countOf, forceEpoch } from '@connector/testing/fixtures/serving';
import { BarrierHold } from './barrier-hold';
import { beginGenesis, type Genesis, type GenesisRequest } from './genesis';

let schema: TestSchema;
let journal: TestSchema;
let request: GenesisRequest;

const BEGUN = ['con_serving_gate', 'con_effect_feed', 'con_account_work', 'con_genesis_certificate', 'con_operation'];

beforeAll(async () => {
  [schema, journal] = await Promise.all([mainSchema(), journalSchema()]);
});
beforeEach(async () => {
  await schema.reset();
  await journal.reset();
  // Everything that an epoch names, by the doors that production uses; then a service that has not begun.
  const { epochId } = await demoEpoch(schema);
  for (const table of BEGUN) await schema.sql(`DELETE FROM ${table}`);
  await forceEpoch(schema, epochId, 'verified');
  const ids = { operationId: OperationId.mint(), certificateId: CertificateId.mint(), attemptId: AttemptId.mint() };
  request = { ...ids, epochId, requestedBy: 'ops', reason: 'first start' };
});
afterAll(() => Promise.all([schema.close(), journal.close()]));

const begin = (asked: Owners = owners(schema.db), of = request): Promise<Genesis> =>
  beginGenesis({ main: schema.db, journal: journal.db, owners: asked, fresh: () => Promise.resolve(schema.another()) }, of);
const holdOf = (attemptId = request.attemptId, asked = owners(schema.db)) => new BarrierHold(schema.db, asked, attemptId);
const states = async (): Promise<readonly string[]> =>
  (await schema.sql('SELECT state FROM cat_publication_barrier UNION ALL SELECT state FROM pck_publication_barrier')).map((row) =>
    String(row['state']),
  );
async function stored() {
  const header = await readEpochHeader(schema.db, request.epochId);
  const found = header && (await readEpochContent(schema.db, request.epochId, header.epochDigest));
  if (found === undefined) throw new RangeError('no candidate');
  return found;
}
/** As a run leaves it that died right behind its hold. */
async function dead(attemptId = request.attemptId) {
  const held = await holdOf(attemptId).hold(await stored());
  expect([held.kind, await states()]).toEqual(['held', ['held', 'held']]);
  return held.kind === 'held' ? held.barriers : undefined;
}
const changed = (owner: 'catalog' | 'packs', change: Partial<PublicationBarrier>): Owners => {
  const real = owners(schema.db);
  return { ...real, barriers: { ...real.barriers, [owner]: { ...real.barriers[owner], ...change } } };
};
const wanted = () =>
  setMembership(schema.db, { request: asking(), ...SCOPE, expectedCatalogRevision: 2n, bindings: [] }).then(({ kind }) => kind);

describe('genesis under the owners’ barriers', () => {
  it('begun: cat:INT-16 cat:INT-19 both hold their authors off while everything is asked afresh, and let them go on afterwards', async () => {
    const seen: unknown[] = [];
    const real = owners(schema.db);
    let looks = 0;
    const readExact: Owners['configurations']['readExact'] = async (id) => {
      // The first look is made before anything is held; the authors come at the second.
      if ((looks += 1) === 2)
        seen.push((await states()).join(), await wanted(), (await registerPack(schema.db, { ...notedPack(), ...SCOPE })).kind);
      return real.configurations.readExact(id);
    };
    expect(await begin({ ...real, configurations: { readExact } })).toMatchObject({ kind: 'begun' });
    expect(seen).toEqual(['held,held', 'barrier-held', 'barrier-held']);
    expect([await states(), await wanted()]).toEqual([['open', 'open'], 'set']);
  });

  it('begun: cat:INT-18 by a run that takes over what a dead one held, with the same receipts in its certificate', async () => {
    const held = await dead();
    expect(await begin()).toMatchObject({ kind: 'begun' });
    const [certificate] = await schema.sql('SELECT catalog_barrier, packs_barrier FROM con_genesis_certificate');
    expect(certificate).toEqual({ catalog_barrier: held?.catalog, packs_barrier: held?.packs });
    expect(await states()).toEqual(['open', 'open']);
  });

  it('begun: cat:INT-18 a run that dies behind its activation leaves both held, and the next one releases what it finds', async () => {
    const dies = () => Promise.reject(new Error('killed'));
    await expect(begin(changed('catalog', { heldBy: dies }))).rejects.toThrow('killed');
    expect([await countOf(schema, 'con_genesis_certificate'), await states()]).toEqual([1, ['held', 'held']]);
    expect(await begin()).toMatchObject({ kind: 'begun' });
    expect(await states()).toEqual(['open', 'open']);
  });

  it.each(['catalog', 'packs'] as const)(
    'not-held: cat:INT-19 another attempt has %s: nothing begins, and this one holds nothing of the other owner either',
    async (owner) => {
      const holder = { attemptId: AttemptId.mint(), holderFence: holderOf(1) };
      const frozen = frozenScope((await stored()).parts);
      expect(await owners(schema.db).barriers[owner].acquire(holder, frozen)).toMatchObject({ kind: 'held' });
      expect(await begin()).toEqual({ kind: 'not-held', owner, code: 'conflict' });
      expect(await countOf(schema, 'con_serving_gate')).toBe(0);
      expect(await states()).toEqual(owner === 'catalog' ? ['held', 'open'] : ['open', 'held']);
    },
  );

  it.each([
    ['catalog', 'acquire'],
    ['packs', 'acquire'],
    ['packs', 'release'],
  ] as const)('unavailable: cat:INT-19 %s gives no answer to %s; the same request goes on later', async (owner, verb) => {
    const silent = changed(owner, { [verb]: () => Promise.resolve({ kind: 'unavailable' }) });
    expect(await begin(silent)).toEqual({ kind: 'unavailable', owner });
    expect(await begin()).toMatchObject({ kind: 'begun' });
    expect(await states()).toEqual(['open', 'open']);
  });

  it('not-activated: cat:INT-17 cat:INT-19 somebody gave the attempt up while the run went on: it is fenced off before its barriers open', async () => {
    const real = owners(schema.db);
    let looks = 0;
    const readExact: Owners['configurations']['readExact'] = async (id) => {
      if ((looks += 1) === 2) expect(await holdOf().release('given up')).toEqual({ kind: 'released', barriers: 2 });
      return real.configurations.readExact(id);
    };
    const answer = await begin({ ...real, configurations: { readExact } });
    expect(answer).toMatchObject({ kind: 'not-activated', answer: { kind: 'holder-fenced-off' } });
    expect([await countOf(schema, 'con_serving_gate'), await states()]).toEqual([0, ['open', 'open']]);
  });

  it('released: cat:INT-17 of an attempt that is given up, and of no other; there is nothing to release again', async () => {
    await dead();
    expect(await holdOf(AttemptId.mint()).release('given up')).toEqual({ kind: 'released', barriers: 0 });
    expect(await states()).toEqual(['held', 'held']);
    expect(await holdOf().release('given up')).toEqual({ kind: 'released', barriers: 2 });
    expect(await holdOf().release('given up')).toEqual({ kind: 'released', barriers: 0 });
    expect(await wanted()).toBe('set');
  });
});
