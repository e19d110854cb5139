import type { AccountName, CredentialFence } from '@connector/kernel/brand';
import { InputFault } from '@connector/kernel/faults';
import { CredentialGenerationId, OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { decided, gateOf, reenabled, revoked } from '@connector/testing/fixtures/credential';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  registered,
  sending,
  settlement,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { countOf } from '@connector/testing/fixtures/serving';
import { SendToken } from '@connector/kernel/ids';
import { CREDENTIAL_MODES } from '../../model/serving/credential-gate';
import { abandonPermits } from '../outbound/abandon-permits.tx';
import { settlePermits } from '../outbound/settle-permits.tx';
import { startSending } from '../outbound/start-sending.tx';
import type { CredentialMove } from './credential-move';
import { reenableCredential } from './reenable-credential.tx';
import { revokeCredential } from './revoke-credential.tx';

let schema: TestSchema;
let served: ServedAccount;
let credential: CredentialGenerationId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  credential = await enabledCredential(schema);
});
afterAll(() => schema.close());

const gate = (): Promise<string> => gateOf(schema, credential);

/** The two moves of a credential gate: what each needs, makes and answers. */
const MOVES = [
  { name: 'revoke-credential', run: revokeCredential, verb: 'revoke', kind: 'revoked', rows: 'con:REV-W con:CGATE-01' },
  { name: 'reenable-credential', run: reenableCredential, verb: 'reenable', kind: 'reenabled', rows: 'con:REE-W con:CGATE-02' },
] as const;

describe.each(MOVES)('$name', ({ name, run, verb, kind, rows }) => {
  const { from, to } = CREDENTIAL_MODES[verb];
  const decide = (): Promise<CredentialMove> => decided(schema, served.account, credential, verb);
  beforeEach(() => schema.sql('UPDATE con_credential_gate SET mode = ?', [from]));

  it(`${kind}: ${rows} con:CGATE-M con:SM-ALL-02 moves ${from} to ${to}, raises the fence by one and says who decided and why`, async () => {
    const other = await enabledCredential(schema);
    expect(await run(schema.db, await decide())).toEqual({ kind, generationId: credential, fence: 4n });
    expect(await gate()).toBe(`${to} 4`);
    expect(await gateOf(schema, other)).toBe('enabled 3');
    const [entry] = await schema.sql('SELECT door, account, items FROM con_audit_outbox');
    expect([String(entry?.['door']), String(entry?.['account'])]).toEqual([name, 'north/acme']);
    expect(JSON.parse(String(entry?.['items']))).toMatchObject([{ credential, from, to, by: 'ops@example', reason: 'leaked' }]);
  });

  it(`${kind}: con:OPEN-33 the same operation again is given its first answer, without a write or another fence`, async () => {
    const once = await decide();
    const first = await run(schema.db, once);
    expect(await run(schema.db, once)).toEqual(first);
    expect(await gate()).toBe(`${to} 4`);
    expect([await countOf(schema, 'con_audit_outbox'), await countOf(schema, 'con_operation')]).toEqual([1, 1]);
  });

  it('not-decided: con:REV-X con:REV-P con:REE-P con:CGATE-W nobody moves the gate whom control wrote no decision for', async () => {
    const nobody = { operationId: OperationId.mint(), generationId: credential, expectedFence: 3n as CredentialFence };
    expect(await run(schema.db, nobody)).toEqual({ kind: 'not-decided' });
    expect(await gate()).toBe(`${from} 3`);
    expect(await countOf(schema, 'con_operation')).toBe(0);
  });

  it('not-decided: the decision of another operation, or of the other verb, is none for this move', async () => {
    const once = await decide();
    expect(await run(schema.db, { ...once, operationId: OperationId.mint() })).toEqual({ kind: 'not-decided' });
    await schema.sql('UPDATE ctl_credential_decision SET verb = ?', [verb === 'revoke' ? 'reenable' : 'revoke']);
    expect(await run(schema.db, once)).toEqual({ kind: 'not-decided' });
    expect(await gate()).toBe(`${from} 3`);
  });

  it('not-in-mode: con:NEG-CGATE a gate that is there already stays as it is', async () => {
    const once = await decide();
    await schema.sql('UPDATE con_credential_gate SET mode = ?', [to]);
    expect(await run(schema.db, once)).toEqual({ kind: 'not-in-mode', mode: to });
    expect(await gate()).toBe(`${to} 3`);
    expect(await countOf(schema, 'con_operation')).toBe(0);
  });

  it('fence-moved: a decision for another fence than the next one', async () => {
    const once = await decide();
    await schema.sql('UPDATE con_credential_gate SET fence = 5');
    expect(await run(schema.db, once)).toEqual({ kind: 'fence-moved', fence: 5n });
    expect(await gate()).toBe(`${from} 5`);
  });

  it('no-gate: con:OPEN-47 a generation whose gate is missing', async () => {
    const once = await decide();
    expect(await run(schema.db, { ...once, generationId: CredentialGenerationId.mint() })).toEqual({ kind: 'no-gate' });
  });

  it('operation-reused: con:OPEN-33 one operation id stands for one move of one gate', async () => {
    const once = await decide();
    await run(schema.db, once);
    const other = { ...once, generationId: await enabledCredential(schema) };
    expect(await run(schema.db, other)).toEqual({ kind: 'operation-reused' });
    expect(await run(schema.db, { ...once, expectedFence: 4n as CredentialFence })).toEqual({ kind: 'operation-reused' });
    expect(await countOf(schema, 'con_audit_outbox')).toBe(1);
  });

  it('refused: con:OPEN-33 an operation id that another door used, by its name; nothing is written', async () => {
    const once = await decide();
    await schema.sql("INSERT INTO con_operation (operation_id, door, answer) VALUES (?, 'halt-gate', '{}')", [
      OperationId.bytes(once.operationId),
    ]);
    await expect(run(schema.db, once)).rejects.toThrow(InputFault);
    expect(await gate()).toBe(`${from} 3`);
  });
});

describe('revoke-credential and what was granted before', () => {
  let holder: TestHolder;
  let held: readonly HeldPermit[];
  beforeEach(async () => {
    holder = await registered(schema);
    for (const sequence of [1, 2]) await authored(schema, served, sequence, credential);
    held = await granted(schema.db, served, holder);
  });

  const revoke = (): Promise<void> => revoked(schema, served.account, credential);
  const reenable = (): Promise<void> => reenabled(schema, served.account, credential);
  const send = (permits: readonly HeldPermit[]) =>
    startSending(schema.db, { ...holder, credentialGenerationId: credential, sendToken: SendToken.mint(), permits });
  const abandon = (permits: readonly HeldPermit[]) =>
    abandonPermits(schema.db, { operationId: OperationId.mint(), account: served.account, requestedBy: 'test', permits });
  const permitRows = (): Promise<unknown> => schema.sql('SELECT * FROM con_dispatch_permit ORDER BY permit_id');

  it('revoked: con:REV-W con:PRMT-M con:CRED-M neither the generation nor a permit is rewritten', async () => {
    const before = await permitRows();
    await revoke();
    expect(await permitRows()).toEqual(before);
    expect(await countOf(schema, 'con_effect_evidence')).toBe(0);
  });

  it('revoked: con:REV-O con:PACQ-X nothing more is granted, and what waits stays prepared', async () => {
    await authored(schema, served, 3, credential);
    await revoke();
    expect(await granted(schema.db, served, holder)).toEqual([]);
    expect(await schema.sql("SELECT COUNT(*) AS n FROM con_remote_effect WHERE state = 'prepared'")).toEqual([{ n: '1' }]);
  });

  it('revoked: PUB-CTL-03 con:REV-O con:SEND-X the granted permit never sends, the sending one settles as what happened', async () => {
    const [waits, flies] = held as [HeldPermit, HeldPermit];
    const token = await sending(schema.db, holder, credential, [flies]);
    await revoke();
    expect(await send([waits])).toEqual([{ kind: 'credential-revoked' }]);
    expect(await settlePermits(schema.db, settlement(served, holder, token, [flies], CONFIRMED))).toEqual([
      { kind: 'settled', effect: 'remote_confirmed' },
    ]);
    const [row] = await schema.sql("SELECT io_may_have_started FROM con_dispatch_permit WHERE state = 'granted'");
    expect(row?.['io_may_have_started']).toBe(0);
  });

  it('reenabled: con:REE-X con:PRMT-M a permit of the old fence stays what it is: it never sends and is abandoned as unsent', async () => {
    await revoke();
    await reenable();
    expect((await send(held)).map(({ kind }) => kind)).toEqual(['credential-fence-moved', 'credential-fence-moved']);
    expect(await abandon(held)).toEqual(held.map(() => ({ kind: 'abandoned', effect: 'prepared' })));
    expect((await send(held)).map(({ kind }) => kind)).toEqual(['not-granted', 'not-granted']);
  });

  it('reenabled: con:REE-O the effect of an abandoned permit gets a new one on the new fence, with an attempt of its own', async () => {
    await revoke();
    await abandon(held);
    expect(await granted(schema.db, served, holder)).toEqual([]);
    await reenable();
    const again = await granted(schema.db, served, holder);
    expect(again.map(({ credentialFence }) => credentialFence)).toEqual([5n, 5n]);
    const rows = await schema.sql('SELECT attempt_ordinal, state FROM con_dispatch_permit ORDER BY attempt_ordinal');
    expect(rows.map((row) => `${String(row['attempt_ordinal'])} ${String(row['state'])}`)).toEqual([
      ...['1 abandoned', '1 abandoned', '2 granted', '2 granted'],
    ]);
    expect((await send(again)).map(({ kind }) => kind)).toEqual(['sending', 'sending']);
  });

  it('reenabled: con:REE-X no attempt that was closed before opens again', async () => {
    const token = await sending(schema.db, holder, credential, held);
    await settlePermits(schema.db, settlement(served, holder, token, held, CONFIRMED));
    await revoke();
    const before = [await permitRows(), await schema.sql('SELECT * FROM con_remote_effect ORDER BY effect_id')];
    await reenable();
    expect(await granted(schema.db, served, holder)).toEqual([]);
    expect([await permitRows(), await schema.sql('SELECT * FROM con_remote_effect ORDER BY effect_id')]).toEqual(before);
  });

  it('reenabled: what waited is looked for at once, also where the account let it rest', async () => {
    await revoke();
    await schema.sql("UPDATE con_account_work SET due_at = NOW(6) + INTERVAL 30 SECOND WHERE stage = 'effect'");
    await reenable();
    const due = await schema.sql("SELECT account FROM con_account_work WHERE stage = 'effect' AND due_at <= NOW(6)");
    expect(due.map((row) => String(row['account']))).toEqual(['north/acme']);
  });

  it('reenabled: an account without a gate has no work to look for', async () => {
    const account = 'south/none' as AccountName;
    await revoked(schema, account, credential);
    await reenabled(schema, account, credential);
    expect(await gate()).toBe('enabled 5');
  });
});
