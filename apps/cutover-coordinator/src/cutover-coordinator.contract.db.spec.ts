import type { AccountName } from '@connector/kernel/brand';
import { type CredentialGenerationId, EpochId, OperationId, PermitId } from '@connector/kernel/ids';
import type { RunningService } from '@connector/platform/host/service';
import { cutoverCoordinator } from '@connector/services/cutover-coordinator/src/cutover-coordinator.service';
import { type Answered, type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { journalSchema, mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  enabledCredential,
  granted,
  isolated,
  registered,
  sending,
  terminated,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { countOf, preparedEpoch, serviceRow, VECTOR_EPOCH } from '@connector/testing/fixtures/serving';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

let schema: TestSchema;
let journal: TestSchema;
let home: TestHome;
let service: RunningService;
let operator: Calls;
let served: readonly [ServedAccount, ServedAccount];
let holder: TestHolder;
let credential: CredentialGenerationId;

beforeAll(async () => {
  [schema, journal, home] = await Promise.all([mainSchema(), journalSchema(), testHome()]);
  await tokensFor(home, 'cutover-coordinator', ['local', 'operator', 'cli']);
  for (const callee of ['catalog', 'control']) await tokensFor(home, callee, ['cutover-coordinator']);
});
// Nobody listens there: this service starts alone, and says `unavailable` where it needs them.
const NOBODY = { CONNECTOR_CATALOG_URL: 'http://127.0.0.1:1', CONNECTOR_CONTROL_URL: 'http://127.0.0.1:1' };
// Booted anew each time: a loop that lives over a reset may write what it read before.
beforeEach(async () => {
  await schema.reset();
  await serviceRow(schema);
  served = (await serveAccounts(schema, ['north/acme', 'south/acme'])) as [ServedAccount, ServedAccount];
  holder = await registered(schema);
  credential = await enabledCredential(schema);
  service = await bootOn(cutoverCoordinator, schema, home, {
    ...NOBODY,
    CONNECTOR_POLL_MS: '20',
    CONNECTOR_JOURNAL_NAME: journal.database,
  });
  operator = callsTo(service, 'operator');
});
afterEach(() => service.stop());
afterAll(async () => {
  await Promise.all([schema.close(), journal.close()]);
  await home.remove();
});

const move = (over: object = {}) => ({
  ...{ account: 'north/acme', expected_fence: '7', operation_id: OperationId.mint(), by: 'ops', reason: 'maintenance' },
  ...over,
});
const halt = (over: object = {}) => operator.post('/v1/accounts/halt', move(over));
const resume = (over: object = {}) => operator.post('/v1/accounts/resume', move(over));
const abandon = (permits: readonly PermitId[], over: object = {}) =>
  operator.post('/v1/permits/abandon', { operation_id: OperationId.mint(), permit_ids: permits, by: 'ops', ...over });

async function permitsOf(account: ServedAccount, count = 1): Promise<readonly HeldPermit[]> {
  for (let sequence = 1; sequence <= count; sequence += 1) await authored(schema, account, sequence, credential);
  return granted(schema.db, account, holder);
}
async function proved(): Promise<void> {
  await terminated(schema, holder.generationId);
  await isolated(schema, holder.generationId);
}
const modeOf = async (account: AccountName): Promise<string> =>
  String((await schema.sql('SELECT mode FROM con_serving_gate WHERE account = ?', [Buffer.from(account)]))[0]?.['mode']);
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 500; look += 1) {
    if (await holds()) return;
    await schema.sql('DO SLEEP(0.01)');
  }
  throw new Error('it never came to hold');
}
/** How often a loop has looked in all. */
async function looks(loop: string): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const runs = [...metrics.matchAll(new RegExp(`connector_loop_runs_total\\{loop="${loop}",answer="(?:idle|worked)"\\} (\\d+)`, 'g'))];
  return runs.reduce((sum, [, count]) => sum + Number(count), 0);
}
/** Two whole looks that began after this call. */
async function lookedTwice(loop: string): Promise<void> {
  const before = await looks(loop);
  await until(async () => (await looks(loop)) >= before + 3);
}
const kinds = ({ body }: Answered): readonly unknown[] => (body['permits'] as { kind: string }[]).map(({ kind }) => kind);

describe('contract › cutover-coordinator answers', () => {
  it('200 for a halt, with the same answer again, and the account is held once no permit is open (con:HALT-W con:HLTD-P)', async () => {
    const body = move();
    const first = await operator.post('/v1/accounts/halt', body);
    expect(first).toEqual({ status: 200, body: { kind: 'halting', account: 'north/acme', fence: '8' } });
    await until(async () => (await modeOf(served[0].account)) === 'v2_halted');
    expect(await operator.post('/v1/accounts/halt', body)).toEqual(first);
    expect(await modeOf(served[1].account)).toBe('v2_serving');
  });

  it('404 and 409 by name for a move that the gate does not allow; nothing is written', async () => {
    expect(await halt({ account: 'nobody/here' })).toEqual({ status: 404, body: { kind: 'no-gate' } });
    expect(await halt({ expected_fence: '6' })).toEqual({ status: 409, body: { kind: 'fence-moved', fence: '7' } });
    expect(await resume()).toEqual({ status: 409, body: { kind: 'not-in-mode', mode: 'v2_serving' } });
    expect([await countOf(schema, 'con_operation'), await countOf(schema, 'con_audit_outbox')]).toEqual([0, 0]);
  });

  it('400 for an operation id that was used for another act, which it names', async () => {
    const operation_id = OperationId.mint();
    await halt({ operation_id });
    const again = await resume({ operation_id });
    expect(again).toMatchObject({ status: 400, body: { code: 'HOUSE:connector:OperationReused' } });
    expect(JSON.stringify(again.body)).toContain('was used for halt-gate');
  });

  it('409 for an operation id that was used for another account', async () => {
    const operation_id = OperationId.mint();
    await halt({ operation_id });
    expect(await halt({ operation_id, account: 'south/acme' })).toEqual({ status: 409, body: { kind: 'operation-reused' } });
    expect(await modeOf(served[1].account)).toBe('v2_serving');
  });

  it('200 for a resume, and every stage of the account is looked at again (con:RESU-W)', async () => {
    await halt();
    await until(async () => (await modeOf(served[0].account)) === 'v2_halted');
    expect(await resume({ expected_fence: '9' })).toMatchObject({ status: 200, body: { kind: 'serving', fence: '10' } });
    await schema.sql("UPDATE con_epoch SET state = 'draining'");
    await halt({ expected_fence: '10' });
    await until(async () => (await modeOf(served[0].account)) === 'v2_halted');
    expect(await resume({ expected_fence: '12' })).toMatchObject({ status: 409, body: { kind: 'epoch-not-active', state: 'draining' } });
  });

  it('the permits of a dead holder are closed by the loop once both receipts are there, and not before (con:ABN-P con:ABN-X)', async () => {
    const held = [...(await permitsOf(served[0], 3)), ...(await permitsOf(served[1], 1))];
    await sending(schema.db, holder, credential, held.slice(0, 1));
    await terminated(schema, holder.generationId);
    await lookedTwice('abandon');
    expect(await schema.sql('SELECT COUNT(*) AS n FROM con_dispatch_permit WHERE open_account IS NOT NULL')).toEqual([{ n: '4' }]);
    await isolated(schema, holder.generationId);
    await until(async () => (await countOf(schema, 'con_effect_evidence')) === 4);
    expect(await schema.sql('SELECT state, COUNT(*) AS n FROM con_remote_effect GROUP BY state ORDER BY state')).toEqual([
      { state: Buffer.from('prepared'), n: '3' },
      { state: Buffer.from('uncertain'), n: '1' },
    ]);
    expect(await countOf(schema, 'con_operation')).toBe(2);
  });

  it('the permits of a holder that lives, of the same name as a dead one, stay open (con:OPEN-29)', async () => {
    const next = await registered(schema, 'egress-1', 6n);
    await proved();
    await authored(schema, served[0], 1, credential);
    expect(await granted(schema.db, served[0], next)).toHaveLength(1);
    await lookedTwice('abandon');
    expect(await countOf(schema, 'con_effect_evidence')).toBe(0);
  });

  it('409 by name where a receipt is missing, 404 for a permit that is not there; nothing is written', async () => {
    const [held] = (await permitsOf(served[0])) as [HeldPermit];
    const missing = await abandon([held.permitId, PermitId.mint()]);
    expect([missing.status, missing.body['kind'], kinds(missing)]).toEqual([409, 'not-abandoned', ['termination-missing', 'not-found']]);
    expect(await abandon([PermitId.mint()])).toMatchObject({ status: 404, body: { kind: 'not-found' } });
    const foreign = await abandon([held.permitId], { account: 'south/acme' });
    expect([foreign.status, kinds(foreign)]).toEqual([404, ['not-found']]);
    expect(await countOf(schema, 'con_operation')).toBe(0);
  });

  it('200 on request for what the loop has closed already, and for the same operation again', async () => {
    const [held] = (await permitsOf(served[0])) as [HeldPermit];
    await proved();
    const operation_id = OperationId.mint();
    const first = await abandon([held.permitId], { operation_id });
    const permits = [{ permit_id: held.permitId, kind: 'abandoned', effect: 'prepared' }];
    expect(first).toEqual({ status: 200, body: { kind: 'abandoned', permits } });
    expect(await abandon([held.permitId], { operation_id })).toEqual(first);
    expect(await countOf(schema, 'con_effect_evidence')).toBe(1);
  });

  it('422 for permits of several accounts in one operation, 400 for none, too many or one twice', async () => {
    const held = [...(await permitsOf(served[0])), ...(await permitsOf(served[1]))].map(({ permitId }) => permitId);
    expect(await abandon(held)).toMatchObject({ status: 422, body: { kind: 'several-accounts', accounts: ['north/acme', 'south/acme'] } });
    const many = Array.from({ length: 51 }, () => PermitId.mint());
    for (const permits of [[], many, [...held, ...held]]) expect((await abandon(permits)).status).toBe(400);
  });

  it('503 for a verification with no owner in reach, 404 for no such epoch; nothing is written (con:EPOCH-03)', async () => {
    await preparedEpoch(schema);
    const verify = (epochId: EpochId) => operator.post(`/v1/epochs/${epochId}/verify`, { operation_id: OperationId.mint() });
    expect(await verify(VECTOR_EPOCH)).toMatchObject({ status: 503, body: { code: 'HOUSE:coordinator:OwnerUnavailable' } });
    expect(await verify(EpochId.mint())).toEqual({ status: 404, body: { kind: 'not-found' } });
    expect(await countOf(schema, 'con_epoch_verification')).toBe(0);
  });

  it('400 for a body of another shape, 401 without a token, 401 for a caller that has no business here; nothing is written', async () => {
    const paths = [
      '/v1/epochs',
      `/v1/epochs/${VECTOR_EPOCH}/verify`,
      '/v1/genesis',
      '/v1/accounts/halt',
      '/v1/accounts/resume',
      '/v1/permits/abandon',
    ];
    for (const path of paths) {
      expect((await operator.post(path, {})).status).toBe(400);
      expect((await callsTo(service).post(path, move())).status).toBe(401);
      expect((await callsTo(service, 'cli').post(path, move())).status).toBe(401);
    }
    expect((await halt({ expected_fence: 7 })).status).toBe(400);
    expect([await countOf(schema, 'con_operation'), await modeOf(served[0].account)]).toEqual([0, 'v2_serving']);
  });

  it('livez, readyz and metrics without a token; it is ready without its neighbours', async () => {
    for (const path of ['livez', 'readyz', 'startupz']) expect((await fetch(`${service.url}/${path}`)).status).toBe(200);
    await halt();
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(
      /connector_outcomes_total\{door="halt-gate",path="halt-gate",kind="halting"\} [1-9]/,
    );
  });
});
