import { awaitingExecutions, nextResultLook, standingClaims } from '@connector/connector/reads/execution/awaiting';
import { claimCandidates, nextClaimDue } from '@connector/connector/reads/execution/claim-candidates';
import { readSubmission } from '@connector/connector/reads/execution/submission';
import { pendingReceipts } from '@connector/connector/reads/inbound/pending-receipts';
import { abandonablePermits } from '@connector/connector/reads/outbound/abandonable-permits';
import { confirmedEffects } from '@connector/connector/reads/outbound/confirmed-effects';
import { grantCandidates } from '@connector/connector/reads/outbound/grant-candidates';
import { heldPermits } from '@connector/connector/reads/outbound/held-permits';
import { permitsOfHolder } from '@connector/connector/reads/outbound/holder-permits';
import { nextEffectDue } from '@connector/connector/reads/outbound/next-effect-due';
import { permitPlaces } from '@connector/connector/reads/outbound/permit-places';
import { readChannelKeyFences } from '@connector/connector/reads/serving/channel-key-fences';
import { readDueWork } from '@connector/connector/reads/serving/due-work';
import { readGate } from '@connector/connector/reads/serving/gates';
import { WORK_STAGES } from '@connector/connector/model/serving/work';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { claimLanes } from '@connector/connector/transitions/execution/claim-lanes.tx';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { createEffectsOfFeed } from '@connector/connector/transitions/outbound/create-effects.tx';
import { waitingDecisions } from '@connector/control/reads/credential-decisions';
import { readKeySets } from '@connector/control/reads/channel-key-sets';
import { CredentialGenerationId, type ExecutionId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { delivery, ROUTE } from '@connector/testing/fixtures/delivery';
import { readyExecutions } from '@connector/testing/fixtures/execution';
import { arrive, laneOf, strictRoute } from '@connector/testing/fixtures/ordered';
import {
  authored,
  enabledCredential,
  granted,
  isolated,
  registered,
  terminated,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { Signals } from '@connector/testing/signals';
import { MAIN_TABLES } from '@connector/schema/tables';
import { importsOf, resolveImport } from '../tidy/ast';
import { model } from '../tidy/model';
import { isProduction, repository } from '../tidy/repo';
import { StatementFinder } from '../tidy/statements';
import { faultsOf, Plans, type Planned } from '@connector/testing/plans';

const ACCOUNTS = 10;
const EACH = 100;
/** What one look of the claimant takes of an account. */
const SHARE = 20;
const numbered = Array.from({ length: EACH }, (_, at) => `${at}`);

const CLAIM = { claimant: 'c-1', leaseMs: 60_000 };
/** What gives rows that are ready, up to a batch. */
const LOOKS = /con_account_work|#pending|#claimable|#due$|#confirmed|#of-holder|#abandonable/;

let schema: TestSchema;
let plans: Plans;
let accounts: readonly ServedAccount[];
let first: ServedAccount;
let holder: TestHolder;

/** A thousand ready rows of each kind: executions, lanes, receipts that wait for the sweep, commands that wait for their effect. */
beforeAll(async () => {
  schema = await mainSchema();
  plans = new Plans(schema);
  accounts = await serveAccounts(
    schema,
    Array.from({ length: ACCOUNTS }, (_, at) => `north/a${at}`),
  );
  [first] = accounts as [ServedAccount];
  holder = await registered(schema);
  const credential = await enabledCredential(schema);
  for (const served of accounts) await filled(served, credential);
  await schema.sql('UPDATE con_account_work SET due_at = NOW(6) - INTERVAL 1 SECOND');
  await analyzed();
});
afterAll(async () => {
  await plans.close();
  await schema.close();
});

async function filled(served: ServedAccount, credential: CredentialGenerationId): Promise<void> {
  await readyExecutions(schema, served, numbered);
  const changes = [...numbered.map((record) => ({ record, at: 1 })), ...numbered.map((at) => ({ record: `late ${at}`, at: 2 }))];
  for (const half of [changes.slice(0, EACH), changes.slice(EACH)]) await arrive(schema.db, served, strictRoute(), half);
  const late = numbered.slice(0, 50).map((at) => laneOf(served, `late ${at}`));
  await claimLanes(schema.db, served, { ...CLAIM, lanes: late });
  const alone = numbered.map((key) => prepareDelivery(served, ROUTE, delivery(served, `alone ${key}`, key), { kind: 'deferred' }));
  await admitAndMaterialize(schema.db, served, ROUTE, alone);
  for (const at of numbered) await authored(schema, served, Number(at) + 1, credential);
}

/** What an engine that has run for a while knows of its tables. */
async function analyzed(): Promise<void> {
  const tables = await schema.sql('SELECT table_name AS t FROM information_schema.tables WHERE table_schema = ?', [schema.database]);
  await schema.sql(`ANALYZE TABLE ${tables.map(({ t }) => String(t)).join(', ')}`);
}

/** Everything that the loops ask for, in the order in which work goes on. */
async function everyLook(db: Db): Promise<void> {
  for (const stage of WORK_STAGES) await readDueWork(db, stage);
  await readGate(db, first.account);
  await pendingReceipts(db, first.account, SHARE);
  await claims(db);
  await grantCandidates(db, first.account, SHARE);
  for (const served of accounts) await createEffectsOfFeed(schema.db, served, 200);
  await analyzed();
  await grantCandidates(db, first.account, SHARE);
  await nextEffectDue(db, first.account);
  await permits(db);
  await readKeySets(db, undefined);
  await readChannelKeyFences(db, [first.account]);
  await waitingDecisions(db, CredentialGenerationId.of(Buffer.alloc(16)));
}

async function claims(db: Db): Promise<void> {
  const { executions } = await claimCandidates(db, first, SHARE);
  await nextClaimDue(db, first);
  await claimExecutions(db, first, { ...CLAIM, executions, ifFree: true });
  await claimLanes(db, first, { ...CLAIM, lanes: numbered.slice(0, SHARE).map((record) => laneOf(first, record)), ifFree: true });
  await readSubmission(db, executions[0] as ExecutionId);
  await awaitingExecutions(db, first.account);
  await nextResultLook(db, first.account);
  await standingClaims(db, executions);
}

async function permits(db: Db): Promise<void> {
  for (const served of accounts) await granted(schema.db, served, holder);
  await schema.sql("UPDATE con_remote_effect SET finalize_account = account WHERE state = 'dispatching'");
  await analyzed();
  await heldPermits(db, holder);
  const mine = await permitsOfHolder(db, holder, 'granted', SHARE);
  await permitPlaces(
    db,
    mine.slice(0, 3).map(({ permit_id }) => permit_id),
  );
  await confirmedEffects(db, first.account, SHARE);
  await terminated(schema, holder.generationId);
  await isolated(schema, holder.generationId);
  await abandonablePermits(db, SHARE);
}

/** As the claimant goes about it: the accounts that are due in their order, past each whose gate is held. */
async function claimFirst(db: Db, claimant: string) {
  for (const { account } of await readDueWork(db, 'execution')) {
    const served = accounts.find((one) => one.account === account) as ServedAccount;
    const { executions } = await claimCandidates(db, served, SHARE);
    const answers = await claimExecutions(db, served, { ...CLAIM, claimant, executions, ifFree: true });
    const claimed = answers.flatMap((answer) => (answer.kind === 'claimed' ? [answer.executionId] : []));
    if (claimed.length > 0) return { account, executions: claimed };
  }
  throw new Error(`${claimant} got nothing`);
}

/** The statements behind the reads that the loops of the services import, by what the code says. */
async function readsOfLoops(): Promise<ReadonlySet<string>> {
  const { tables } = await model();
  const files = repository().filter(({ path }) => isProduction(path));
  const finder = new StatementFinder(files, tables);
  const found = new Set<string>();
  for (const loop of files.filter(({ path, text }) => LOOP.test(path) && /\bonce\(signal|readDueWork\(/.test(text))) {
    for (const { from, name } of importsOf(loop).values()) {
      const path = resolveImport(loop.path, from);
      const read = files.find((file) => /\/reads\//.test(file.path) && file.path === `${path}.ts`);
      for (const statement of read === undefined ? [] : finder.reachedFrom(read, [name])) found.add(statement);
    }
  }
  return found;
}
const LOOP = /^libs\/services\/[^/]+\/src\/(?!.*\.service\.ts$)/;

describe('claims and sweeps beside a thousand ready rows in ten accounts', () => {
  let planned: readonly Planned[];
  const named = (names: RegExp): readonly Planned[] => planned.filter(({ name }) => names.test(name));

  beforeAll(async () => {
    await everyLook(plans.db);
    planned = plans.take();
  });

  it('every read of every loop is among them', async () => {
    const reads = await readsOfLoops();
    expect(reads.size).toBeGreaterThan(15);
    const names = new Set(planned.map(({ name }) => name));
    expect([...reads].filter((name) => !names.has(name))).toEqual([]);
  });

  it('every plan is a range of an index, without sort and without temporary table (PUB-DB-03) [needs mariadb]', () => {
    expect(planned.flatMap(faultsOf)).toEqual([]);
  });

  it('what looks for ready rows examines at most twice what it gives (PUB-DB-03) [needs mariadb]', () => {
    const looks = named(LOOKS);
    expect(new Set(looks.map(({ name }) => name)).size).toBe(8);
    expect(looks.some(({ rows }) => rows === SHARE)).toBe(true);
    expect(looks.filter(({ examined, rows }) => examined > 2 * Math.max(rows ?? 0, 1))).toEqual([]);
  });

  it('a claim reads rows by the keys that it was given, a few a lane whatever else is ready (PUB-DB-03) [needs mariadb]', () => {
    for (const { name, examined } of named(/#claim$|^lock /)) expect([name, examined <= 7 * SHARE]).toEqual([name, true]);
  });

  it('no statement of a look or a claim reads a payload (PUB-EXE-11)', () => {
    const blobs = new Set(
      MAIN_TABLES.flatMap(({ columns }) => Object.entries(columns).flatMap(([name, { ddl }]) => (/BLOB/.test(ddl) ? [name] : []))),
    );
    expect(blobs).toContain('payload');
    const claiming = named(
      /^(lock|update) |con_account_work|#claimable|#next|con_serving_gate|con_epoch$|#heads|#behind|#awaiting|#standing/,
    );
    const read = claiming.flatMap(({ name, sql }) =>
      [...blobs].filter((blob) => new RegExp(`\\b${blob}\\b`).test(sql)).map((blob) => `${name} ${blob}`),
    );
    expect(read).toEqual([]);
  });

  it('two claimants get disjoint sets, and the second its own while the first holds a gate (PUB-DB-03)', async () => {
    const signals = new Signals();
    const stop = signals.stopAt('claim-executions/commit');
    const [one, other] = [schema.another(signals.hook), schema.another()];
    const busy = claimFirst(one, 'c-2');
    await Promise.race([stop.reached, busy]);
    const taken = await claimFirst(other, 'c-3');
    stop.release();
    const kept = await busy;
    expect([kept.account, kept.executions.length, taken.executions.length]).toEqual([accounts[0]?.account, SHARE, SHARE]);
    expect(taken.account).not.toBe(kept.account);
    expect(taken.executions.filter((execution) => kept.executions.includes(execution))).toEqual([]);
  });
});
