import type { CredentialFence, HolderFence } from '@connector/kernel/brand';
import { type CredentialGenerationId, PermitId, SendToken } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  enabledCredential,
  granted,
  registered,
  revoke,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { startSending, type SendBatch, type StartSending } from './start-sending.tx';

let schema: TestSchema;
let served: ServedAccount;
let holder: TestHolder;
let credential: CredentialGenerationId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  holder = await registered(schema);
  credential = await enabledCredential(schema);
});
afterAll(() => schema.close());

/** Permits for this many new commands. */
async function permits(count = 1): Promise<readonly HeldPermit[]> {
  for (let sequence = 1; sequence <= count; sequence += 1) await authored(schema, served, sequence, credential);
  return granted(schema.db, served, holder);
}

async function send(over: Partial<SendBatch>): Promise<readonly StartSending[]> {
  return startSending(schema.db, { ...holder, credentialGenerationId: credential, sendToken: SendToken.mint(), permits: [], ...over });
}
const states = async (): Promise<readonly string[]> =>
  (await schema.sql('SELECT state FROM con_dispatch_permit')).map((row) => String(row['state']));

describe('start-sending', () => {
  it('sending: con:SEND-W con:PRMT-01 marks that I/O may have started and keeps the token', async () => {
    const held = await permits();
    const sendToken = SendToken.mint();
    expect(await send({ permits: held, sendToken })).toEqual([{ kind: 'sending' }]);
    const [row] = await schema.sql(
      'SELECT state, io_may_have_started, send_token = ? AS token, sending_at IS NOT NULL AS timed, open_account, closed_at FROM con_dispatch_permit',
      [SendToken.bytes(sendToken)],
    );
    const open = { open_account: Buffer.from('north/acme'), closed_at: null };
    expect(row).toEqual({ state: Buffer.from('sending'), io_may_have_started: 1, token: 1, timed: 1, ...open });
    expect(await schema.sql("SELECT state FROM con_remote_effect WHERE state = 'dispatching'")).toHaveLength(1);
  });

  it.each(['halting_v2', 'v2_halted'])('sending: con:SEND-P con:CRASH-20 con:OPEN-22 the gate is not asked: legal in %s', async (mode) => {
    const held = await permits();
    await schema.sql('UPDATE con_serving_gate SET mode = ?, fence = fence + 1', [mode]);
    expect(await send({ permits: held })).toEqual([{ kind: 'sending' }]);
  });

  it('sending: con:SEND-O the same token again after an unknown COMMIT is one’s own right', async () => {
    const held = await permits();
    const sendToken = SendToken.mint();
    expect(await send({ permits: held, sendToken })).toEqual([{ kind: 'sending' }]);
    expect(await send({ permits: held, sendToken })).toEqual([{ kind: 'sending' }]);
    expect(await schema.sql("SELECT COUNT(*) AS n FROM con_audit_outbox WHERE door = 'start-sending'")).toEqual([{ n: '1' }]);
  });

  it('sending: con:CRASH-19 one’s own token holds though the gate was revoked after the commit', async () => {
    const held = await permits();
    const sendToken = SendToken.mint();
    await send({ permits: held, sendToken });
    await revoke(schema, credential);
    expect(await send({ permits: held, sendToken })).toEqual([{ kind: 'sending' }]);
  });

  it('not-granted: con:SEND-X another token for a sending permit never sends', async () => {
    const held = await permits();
    await send({ permits: held });
    expect(await send({ permits: held })).toEqual([{ kind: 'not-granted', state: 'sending' }]);
  });

  it.each(['returned', 'abandoned'])('not-granted: con:SEND-X a permit that is %s never sends', async (state) => {
    const held = await permits();
    await schema.sql('UPDATE con_dispatch_permit SET state = ?, open_account = NULL', [state]);
    expect(await send({ permits: held })).toEqual([{ kind: 'not-granted', state }]);
    expect(await states()).toEqual([state]);
  });

  it('credential-revoked: con:SEND-X con:PRMT-01 a revoked gate sends nothing and the permit stays granted', async () => {
    const held = await permits();
    await schema.sql("UPDATE con_credential_gate SET mode = 'revoked'");
    expect(await send({ permits: held })).toEqual([{ kind: 'credential-revoked' }]);
    expect(await states()).toEqual(['granted']);
  });

  it('credential-gate-missing: con:OPEN-47 without a gate row nothing is sent', async () => {
    const held = await permits();
    await schema.sql('DELETE FROM con_credential_gate');
    expect(await send({ permits: held })).toEqual([{ kind: 'credential-gate-missing' }]);
    expect(await states()).toEqual(['granted']);
  });

  it('credential-fence-moved: con:SEND-X con:REE-X reenabled under a new fence does not revive the permit', async () => {
    const held = await permits();
    await schema.sql('UPDATE con_credential_gate SET fence = fence + 2');
    expect(await send({ permits: held })).toEqual([{ kind: 'credential-fence-moved' }]);
    const claimed = held.map((permit) => ({ ...permit, credentialFence: 5n as CredentialFence }));
    expect(await send({ permits: claimed })).toEqual([{ kind: 'credential-fence-moved' }]);
    expect(await states()).toEqual(['granted']);
  });

  it('credential-fence-moved: a caller that names another fence than its permit has sends nothing', async () => {
    const held = await permits();
    const claimed = held.map((permit) => ({ ...permit, credentialFence: 2n as CredentialFence }));
    expect(await send({ permits: claimed })).toEqual([{ kind: 'credential-fence-moved' }]);
  });

  it('holder-fenced-off: con:SEND-P another name, or another fence of the name, sends nothing', async () => {
    const held = await permits();
    expect(await send({ permits: held, holderId: 'egress-2' })).toEqual([{ kind: 'holder-fenced-off' }]);
    expect(await send({ permits: held, holderFence: 6n as HolderFence })).toEqual([{ kind: 'holder-fenced-off' }]);
    expect(await states()).toEqual(['granted']);
  });

  it('not-found: no such permit, or one of another credential generation', async () => {
    const held = await permits();
    const other = await enabledCredential(schema);
    expect(await send({ permits: held, credentialGenerationId: other })).toEqual([{ kind: 'not-found' }]);
    const absent = held.map((permit) => ({ ...permit, permitId: PermitId.mint() }));
    expect(await send({ permits: absent })).toEqual([{ kind: 'not-found' }]);
    expect(await states()).toEqual(['granted']);
  });

  it('sending: each permit of a batch gets its own answer, in order', async () => {
    const [one, two, three] = (await permits(3)) as [HeldPermit, HeldPermit, HeldPermit];
    await send({ permits: [two] });
    expect((await send({ permits: [three, two, one] })).map(({ kind }) => kind)).toEqual(['sending', 'not-granted', 'sending']);
  });
});
