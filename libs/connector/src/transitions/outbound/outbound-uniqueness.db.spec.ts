import { type CredentialGenerationId, EffectId, LinkId, OutboundCommandId, PermitId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import {
  authored,
  enabledCredential,
  granted,
  insertRow,
  registered,
  type HeldPermit,
  type TestHolder,
} from '@connector/testing/fixtures/outbound';
import { conRemoteLink } from '@connector/schema/connector/outbound';
import { conCredentialGate } from '@connector/schema/connector/serving';

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

const twice = async (table: string, columns: readonly string[], change: string): Promise<void> => {
  const list = columns.join(', ');
  await schema.sql(`INSERT INTO ${table} (${list}) SELECT ${change} FROM ${table} LIMIT 1`);
};
const EFFECT = [
  'effect_id',
  'outbound_command_id',
  'account',
  'logical_effect_digest',
  'epoch_id',
  'epoch_digest',
  'credential_generation_id',
  'request_digest',
  'state',
  'attempt_count',
  'due_at',
];
const PERMIT = [
  'permit_id',
  'effect_id',
  'attempt_ordinal',
  'account',
  'epoch_id',
  'gate_fence',
  'credential_generation_id',
  'credential_fence',
  'request_digest',
  'holder_id',
  'holder_fence',
  'state',
  'io_may_have_started',
];
const other = "UNHEX('00000000000000000000000000000001')";
const DUPLICATE = { errno: 1062 };

describe('uniqueness of the outbound, by SQL', () => {
  it('refused: con:UNIQ-05 a second gate for one credential generation; permits carry the fence that was seen', async () => {
    const [permit] = (await permits()) as [HeldPermit];
    const again = { generation_id: credential, mode: 'enabled', fence: 9n as HeldPermit['credentialFence'] };
    await expect(insertRow(schema, conCredentialGate, again)).rejects.toMatchObject(DUPLICATE);
    const [row] = await schema.sql(
      'SELECT p.credential_fence = g.fence AS same FROM con_dispatch_permit p JOIN con_credential_gate g ON g.generation_id = p.credential_generation_id WHERE p.permit_id = ?',
      [PermitId.bytes(permit.permitId)],
    );
    expect(row).toEqual({ same: 1 });
  });

  it('refused: con:UNIQ-17 a second effect of one outbound command, and an effect without one', async () => {
    const [permit] = (await permits()) as [HeldPermit];
    const columns = EFFECT.map((column) => (column === 'effect_id' ? other : column)).join(', ');
    await expect(twice('con_remote_effect', EFFECT, columns)).rejects.toMatchObject(DUPLICATE);
    const [row] = await schema.sql('SELECT outbound_command_id FROM con_remote_effect');
    expect(row).toEqual({ outbound_command_id: OutboundCommandId.bytes(OutboundCommandId.of(EffectId.bytes(permit.effectId))) });
    const without = columns.replace('outbound_command_id', 'NULL');
    await expect(twice('con_remote_effect', EFFECT, without)).rejects.toMatchObject({ errno: 1048 });
  });

  it('refused: con:UNIQ-18 a second attempt under one ordinal', async () => {
    await permits();
    const columns = ['effect_id', 'ordinal', 'epoch_id', 'route_policy_digest', 'request_digest', 'credential_generation_id'];
    await expect(twice('con_effect_attempt', columns, columns.join(', '))).rejects.toMatchObject(DUPLICATE);
    await twice('con_effect_attempt', columns, columns.join(', ').replace('ordinal', 'ordinal + 1'));
  });

  it('refused: con:UNIQ-19 con:PRMT-K a second permit of one attempt, open or closed', async () => {
    await permits();
    const columns = PERMIT.map((column) => (column === 'permit_id' ? other : column)).join(', ');
    await expect(twice('con_dispatch_permit', PERMIT, columns)).rejects.toMatchObject(DUPLICATE);
    await schema.sql("UPDATE con_dispatch_permit SET state = 'abandoned', open_account = NULL");
    await expect(twice('con_dispatch_permit', PERMIT, columns)).rejects.toMatchObject(DUPLICATE);
  });

  it('counted: con:UNIQ-19 every open permit is in the open set of its own account, a closed one in none', async () => {
    await permits(2);
    const open = 'SELECT COUNT(*) AS n FROM con_dispatch_permit WHERE open_account = account AND state IN (?, ?)';
    expect(await schema.sql(open, ['granted', 'sending'])).toEqual([{ n: '2' }]);
  });

  it('refused: con:UNIQ-20 con:OPEN-27 a second active link of one slot or of one remote record of the account', async () => {
    const [permit] = (await permits()) as [HeldPermit];
    const link = (slot: string, remote: string, account = served.account) => ({
      link_id: LinkId.mint(),
      account,
      effect_id: permit.effectId,
      owner_slot: slot,
      remote_identity: remote,
      state: 'active',
      active_slot: slot,
      active_remote: remote,
    });
    await insertRow(schema, conRemoteLink, link('a', 'thing/1'));
    await expect(insertRow(schema, conRemoteLink, link('a', 'thing/2'))).rejects.toMatchObject(DUPLICATE);
    await expect(insertRow(schema, conRemoteLink, link('b', 'thing/1'))).rejects.toMatchObject(DUPLICATE);
    await insertRow(schema, conRemoteLink, link('b', 'thing/2'));
    const [, elsewhere] = (await serveAccounts(schema, ['north/x', 'north/y'])) as [ServedAccount, ServedAccount];
    await insertRow(schema, conRemoteLink, link('a', 'thing/1', elsewhere.account));
    await schema.sql('UPDATE con_remote_link SET active_slot = NULL, active_remote = NULL');
    await insertRow(schema, conRemoteLink, link('a', 'thing/1'));
  });
});
