import type { AccountName } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { AttemptId, CertificateId, EpochId, OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts } from '@connector/testing/fixtures/account';
import { heldFor, holderOf, holdOf } from '@connector/testing/fixtures/barriers';
import { countOf, forceEpoch, serviceRow, VECTOR_EPOCH, VECTOR_GENERATIONS, verifiedEpoch } from '@connector/testing/fixtures/serving';
import { vectorEpoch } from '@connector/testing/vectors/serving-epoch';
import { accountSetDigest } from '../../model/digests/scope';
import { epochMachine } from '../../model/serving/epoch';
import { WORK_STAGES } from '../../model/serving/work';
import { readEpochHeader } from '../../reads/serving/epoch';
import { readGates } from '../../reads/serving/gates';
import { readReleasing } from '../../reads/serving/releasing';
import { activateGenesis, type ActivateGenesis } from './activate-genesis.tx';
import { takeHolderFence } from './take-holder-fence.tx';

let schema: TestSchema;
let epochDigest: Digest;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  await serviceRow(schema);
  epochDigest = await verifiedEpoch(schema);
});
afterAll(() => schema.close());

const OTHER = Digest.sha256(Buffer.from('other'));
const ACCOUNTS = ['south/acme', 'north/acme', 'north/bolt'] as AccountName[];
const CONFIGURATION = { digest: vectorEpoch().configuration.generationDigest, accounts: [...ACCOUNTS].reverse() };
function input(change: Partial<ActivateGenesis> = {}): ActivateGenesis {
  const ids = { operationId: OperationId.mint(), certificateId: CertificateId.mint() };
  const asked = { requestedBy: 'ops', reason: 'first start', capacity: 'unqualified' as const };
  const epoch = { epochId: VECTOR_EPOCH, epochDigest, accounts: ACCOUNTS, configuration: CONFIGURATION };
  return { ...ids, ...epoch, barriers: heldFor(vectorEpoch()), ...asked, ...change };
}
async function nothingBegan(): Promise<void> {
  for (const table of ['con_serving_gate', 'con_genesis_certificate', 'con_account_work', 'con_effect_feed']) {
    expect(await countOf(schema, table)).toBe(0);
  }
  expect((await readEpochHeader(schema.db, VECTOR_EPOCH))?.state).not.toBe('active');
}

describe('activate-genesis', () => {
  it('activated: con:EPOCH-04 con:GATE-K every account serves at its first fence under the active epoch', async () => {
    const asked = input();
    expect(await activateGenesis(schema.db, asked)).toEqual({
      kind: 'activated',
      epochId: VECTOR_EPOCH,
      epochDigest,
      certificateId: asked.certificateId,
    });
    const gates = await readGates(schema.db);
    expect(gates.map(({ account }) => account)).toEqual(['north/acme', 'north/bolt', 'south/acme']);
    for (const gate of gates) expect(gate).toMatchObject({ mode: 'v2_serving', fence: 1n, epochId: VECTOR_EPOCH, epochDigest });
    expect(new Set(gates.map(({ accountPrefix }) => accountPrefix.toString('hex'))).size).toBe(3);
    expect(await readEpochHeader(schema.db, VECTOR_EPOCH)).toEqual({ epochDigest, state: 'active' });
  });

  it('activated: work rows of every stage, resting, and feeds at their first sequence are born with the gates', async () => {
    await activateGenesis(schema.db, input());
    const works = await schema.sql('SELECT stage, account FROM con_account_work WHERE produced = 0 AND due_at IS NULL');
    expect(works).toHaveLength(3 * WORK_STAGES.length);
    const feeds = await schema.sql('SELECT account, next_seq FROM con_effect_feed ORDER BY account');
    expect(feeds.map((row) => [String(row['account']), String(row['next_seq'])])).toEqual([
      ['north/acme', '1'],
      ['north/bolt', '1'],
      ['south/acme', '1'],
    ]);
  });

  it('activated: one certificate says over which accounts and epoch, who asked and why, and claims no capacity', async () => {
    await activateGenesis(schema.db, input());
    const [row] = await schema.sql('SELECT accounts, account_set_digest, requested_by, reason, capacity FROM con_genesis_certificate');
    expect(JSON.parse(String(row?.['accounts']))).toEqual([...ACCOUNTS].sort());
    expect(row?.['account_set_digest']).toEqual(Digest.bytes(accountSetDigest(ACCOUNTS).digest));
    expect([row?.['requested_by'], row?.['reason'], row?.['capacity']].map(String)).toEqual(['ops', 'first start', 'unqualified']);
    expect(await countOf(schema, 'con_audit_outbox')).toBe(2);
    expect(String((await schema.sql('SELECT revision FROM con_service'))[0]?.['revision'])).toBe('1');
  });

  it('activated: the same operation again is given its first answer and writes nothing', async () => {
    const once = input();
    const first = await activateGenesis(schema.db, once);
    expect(await activateGenesis(schema.db, once)).toEqual(first);
    expect(await countOf(schema, 'con_serving_gate')).toBe(3);
  });

  it('operation-reused: con:OPEN-33 the same operation cannot issue another certificate', async () => {
    const once = input();
    await activateGenesis(schema.db, once);
    expect(await activateGenesis(schema.db, { ...once, certificateId: CertificateId.mint() })).toEqual({ kind: 'operation-reused' });
    expect(await countOf(schema, 'con_genesis_certificate')).toBe(1);
  });

  it('epoch-was-active: con:EPOCH-K a second genesis is refused', async () => {
    await activateGenesis(schema.db, input());
    expect(await activateGenesis(schema.db, input())).toEqual({ kind: 'epoch-was-active' });
    expect(await countOf(schema, 'con_genesis_certificate')).toBe(1);
  });

  it.each(['active', 'draining', 'retired'])(
    'epoch-was-active: another epoch is or was in service (%s), though no gate is left',
    async (state) => {
      await serveAccounts(schema, []);
      await schema.sql("UPDATE con_epoch SET state = ? WHERE state = 'active'", [state]);
      expect(await activateGenesis(schema.db, input())).toEqual({ kind: 'epoch-was-active' });
      expect(await countOf(schema, 'con_serving_gate')).toBe(0);
    },
  );

  it('gates-exist: an account already has a gate', async () => {
    const [served] = await serveAccounts(schema, ['west/old']);
    if (served) await forceEpoch(schema, served.epochId, 'prepared');
    expect(await activateGenesis(schema.db, input())).toEqual({ kind: 'gates-exist' });
    expect(await countOf(schema, 'con_serving_gate')).toBe(1);
  });

  it.each(epochMachine.states.filter((state) => !['verified', 'active', 'draining', 'retired'].includes(state)))(
    'epoch-not-verified: con:EPOCH-04 con:GATE-29 the epoch is %s',
    async (state) => {
      await forceEpoch(schema, VECTOR_EPOCH, state);
      expect(await activateGenesis(schema.db, input())).toEqual({ kind: 'epoch-not-verified', state });
      await nothingBegan();
    },
  );

  it('epoch-not-verified: there is no such epoch', async () => {
    expect(await activateGenesis(schema.db, input({ epochId: EpochId.mint() }))).toEqual({ kind: 'epoch-not-verified', state: 'absent' });
    await nothingBegan();
  });

  it('activated: cat:INT-19 the certificate keeps the receipts of the barriers under which it was activated', async () => {
    const asked = input();
    await activateGenesis(schema.db, asked);
    const [row] = await schema.sql('SELECT catalog_barrier, packs_barrier FROM con_genesis_certificate');
    expect(row).toEqual({ catalog_barrier: asked.barriers.catalog, packs_barrier: asked.barriers.packs });
  });

  it('holder-fenced-off: cat:INT-17 cat:INT-19 another run took the barriers into its hand, so they may be released by now', async () => {
    expect(await takeHolderFence(schema.db, OperationId.mint())).toEqual({ kind: 'taken', holderFence: 2n });
    expect(await activateGenesis(schema.db, input())).toEqual({ kind: 'holder-fenced-off', holderFence: 2n });
    await nothingBegan();
    const barriers = heldFor(vectorEpoch(), AttemptId.mint(), holderOf(2));
    expect(await activateGenesis(schema.db, input({ barriers }))).toMatchObject({ kind: 'activated' });
  });

  const parts = vectorEpoch();
  const catalogPart = (change: object) => ({ ...parts, catalog: { ...parts.catalog, ...change } });
  const lineage = (change: object) => catalogPart({ lineage: { ...parts.catalog.lineage, ...change } });
  const [proof] = parts.proofs;
  it.each([
    ['catalog', 'another organization', catalogPart({ organization: 'org-9' })],
    ['catalog', 'another installation', catalogPart({ installation: 'other' })],
    ['catalog', 'another workload', catalogPart({ workload: 'wl.other' })],
    ['catalog', 'another view', catalogPart({ viewDigest: OTHER })],
    ['catalog', 'another lineage', lineage({ lineageId: 'other' })],
    ['catalog', 'another revision', lineage({ catalogRevision: 99n })],
    ['catalog', 'another activation epoch', lineage({ activationEpoch: 99n })],
    ['packs', 'fewer generations', { ...parts, proofs: [] }],
    ['packs', 'another generation', { ...parts, proofs: proof ? [{ ...proof, packPayloadDigest: OTHER }] : [] }],
  ] as const)('barrier-differs: cat:INT-19 the receipt of %s is of %s', async (owner, _what, frozen) => {
    const [good, wrong] = [heldFor(parts), heldFor(frozen as typeof parts)];
    const barriers = { ...good, [owner]: heldFor(frozen as typeof parts, good.attemptId)[owner] };
    expect(wrong[owner].equals(good[owner])).toBe(false);
    expect(await activateGenesis(schema.db, input({ barriers }))).toEqual({ kind: 'barrier-differs', owner });
    await nothingBegan();
  });

  it('barrier-differs: cat:INT-19 the receipts are of another attempt; bytes that are none are refused', async () => {
    const barriers = { ...heldFor(parts), attemptId: AttemptId.mint() };
    expect(await activateGenesis(schema.db, input({ barriers }))).toEqual({ kind: 'barrier-differs', owner: 'catalog' });
    const missing = input({ barriers: { ...heldFor(parts), packs: Buffer.alloc(0) } });
    await expect(activateGenesis(schema.db, missing)).rejects.toMatchObject({ code: 'HOUSE:kernel:DocumentNotJson' });
    await nothingBegan();
  });

  it('epoch-digest-differs: whoever asks means another content', async () => {
    expect(await activateGenesis(schema.db, input({ epochDigest: OTHER }))).toEqual({ kind: 'epoch-digest-differs' });
    await nothingBegan();
  });

  it('configuration-differs: the accounts come from another configuration than the epoch froze', async () => {
    const configuration = { ...CONFIGURATION, digest: OTHER };
    expect(await activateGenesis(schema.db, input({ configuration }))).toEqual({ kind: 'configuration-differs' });
    await nothingBegan();
  });

  it.each<[string, readonly string[]]>([
    ['one is missing', ['south/acme', 'north/acme']],
    ['one is extra', ['south/acme', 'north/acme', 'north/bolt', 'west/new']],
    ['one is unknown', ['south/acme', 'north/acme', 'west/new']],
    ['one is given twice', ['south/acme', 'north/acme', 'north/acme']],
  ])('account-set-mismatch: con:GATE-K %s', async (_what, accounts) => {
    expect(await activateGenesis(schema.db, input({ accounts: accounts as AccountName[] }))).toEqual({ kind: 'account-set-mismatch' });
    await nothingBegan();
  });

  it.each([0, 251])('account-count: %s accounts', async (count) => {
    const accounts = Array.from({ length: count }, (_, at) => `north/${at}` as AccountName);
    const asked = input({ accounts, configuration: { ...CONFIGURATION, accounts } });
    expect(await activateGenesis(schema.db, asked)).toEqual({ kind: 'account-count', accounts: count, accountsMax: 250 });
  });

  it('activated: as many accounts as the certificate holds, with the longest names', async () => {
    const accounts = Array.from({ length: 250 }, (_, at) => `${'p'.repeat(63)}/${String(at).padStart(63, '0')}` as AccountName);
    expect(await activateGenesis(schema.db, input({ accounts, configuration: { ...CONFIGURATION, accounts } }))).toMatchObject({
      kind: 'activated',
    });
  });

  it('credential-revoked: con:OPEN-30 a generation that the epoch names may not dispatch', async () => {
    await schema.sql("UPDATE con_credential_gate SET mode = 'revoked' LIMIT 1");
    expect(await activateGenesis(schema.db, input())).toEqual({ kind: 'credential-revoked', generationId: VECTOR_GENERATIONS[0] });
    await nothingBegan();
  });

  it('credential-gate-missing: con:OPEN-47 a missing gate fails closed', async () => {
    await schema.sql('DELETE FROM con_credential_gate ORDER BY generation_id DESC LIMIT 1');
    expect(await activateGenesis(schema.db, input())).toEqual({ kind: 'credential-gate-missing', generationId: VECTOR_GENERATIONS[1] });
    await nothingBegan();
  });

  it('epoch-was-active: con:EPOCH-K of two concurrent activations one begins the service', async () => {
    const kinds = (await Promise.all([activateGenesis(schema.db, input()), activateGenesis(schema.db, input())])).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['activated', 'epoch-was-active']);
    expect(await countOf(schema, 'con_serving_gate')).toBe(3);
  });
});

describe('take-holder-fence', () => {
  const stored = async () => String((await schema.sql('SELECT holder_fence FROM con_service'))[0]?.['holder_fence']);

  it('taken: cat:INT-17 each run has a higher one than every run before, and the same asking again has its own', async () => {
    const operation = OperationId.mint();
    expect(await takeHolderFence(schema.db, operation)).toEqual({ kind: 'taken', holderFence: 2n });
    expect(await takeHolderFence(schema.db, OperationId.mint())).toEqual({ kind: 'taken', holderFence: 3n });
    expect(await takeHolderFence(schema.db, operation)).toEqual({ kind: 'taken', holderFence: 2n });
    expect(await stored()).toBe('3');
  });

  it('taken: cat:INT-17 to release what was seen: the operation keeps exactly that, and a run keeps nothing', async () => {
    const [run, operation] = [OperationId.mint(), OperationId.mint()];
    const barrier = { owner: 'packs', organization: 'org-1', attemptId: AttemptId.mint(), barrierFence: holdOf(3) } as const;
    await takeHolderFence(schema.db, run);
    expect([await readReleasing(schema.db, run), await readReleasing(schema.db, operation)]).toEqual([undefined, undefined]);
    await takeHolderFence(schema.db, operation, [barrier]);
    expect(await takeHolderFence(schema.db, operation, [])).toEqual({ kind: 'taken', holderFence: 3n, releasing: [barrier] });
    expect(await readReleasing(schema.db, operation)).toEqual([barrier]);
  });

  it('taken: by the first run that there is', async () => {
    await schema.sql('UPDATE con_service SET holder_fence = NULL');
    expect(await takeHolderFence(schema.db, OperationId.mint())).toEqual({ kind: 'taken', holderFence: 1n });
  });
});
