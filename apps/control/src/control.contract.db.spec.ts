import { uuidText } from '@connector/kernel/document';
import type { CredentialFence } from '@connector/kernel/brand';
import { ConfigurationId, CredentialGenerationId, GenerationId, IsolationId, OperationId, TerminationId } from '@connector/kernel/ids';
import { decideCredential, type DecideCredential } from '@connector/control/transitions/decide-credential.tx';
import { addChannelKey } from '@connector/control/transitions/add-channel-key.tx';
import { readChannelKeyFence } from '@connector/connector/reads/serving/gates';
import type { RunningService } from '@connector/platform/host/service';
import { control } from '@connector/services/control/src/control.service';
import { type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { ACCOUNT, configurationInput, credentialInput } from '@connector/control/transitions/control.fixture';
import { countOf } from '@connector/testing/fixtures/serving';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

let schema: TestSchema;
let home: TestHome;
let service: RunningService;
let local: Calls;

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'control', ['local', 'operator', 'cutover-coordinator']);
});
// Booted anew each time: a loop that lives over a reset may write what it read before.
beforeEach(async () => {
  await schema.reset();
  service = await bootOn(control, schema, home, { CONNECTOR_POLL_MS: '20' });
  local = callsTo(service, 'local');
});
afterEach(() => service.stop());
afterAll(async () => {
  await schema.close();
  await home.remove();
});

const credentialBody = (id: CredentialGenerationId, over: object = {}) => {
  const { credentialIdentity, provider, account, secretPath, secretVersion, transport } = credentialInput();
  const secret = { secret_path: secretPath, secret_version: secretVersion };
  return { credential_generation_id: id, credential_identity: credentialIdentity, provider, account, ...secret, transport, ...over };
};
const credential = (id: CredentialGenerationId, over: object = {}) => local.post('/v1/credentials', credentialBody(id, over));
const configurationBody = (id: ConfigurationId, generation: CredentialGenerationId, over: object = {}) => {
  const { configuration } = configurationInput(generation);
  return { configuration_id: id, configuration: { ...configuration, ...over }, authored_by: 'ops' };
};
const configure = (id: ConfigurationId, generation: CredentialGenerationId, over: object = {}) =>
  local.post('/v1/configurations', configurationBody(id, generation, over));
const KEY = {
  account: ACCOUNT,
  channel: 'hook',
  key_version: 1,
  scheme: 'standard-webhooks',
  secret_path: 'channel/one',
  secret_version: '1',
};
const fence = () => readChannelKeyFence(schema.db, ACCOUNT, 'hook');
const TABLES = [
  'ctl_service_configuration',
  'ctl_credential_generation',
  'ctl_credential_decision',
  'ctl_channel_key',
  'ctl_termination',
  'ctl_isolation',
  'con_credential_gate',
];
const rows = async (): Promise<number> => {
  let count = 0;
  for (const table of TABLES) count += await countOf(schema, table);
  return count;
};

describe('contract › control answers', () => {
  it('201 for a credential with its gate open, 200 for the same again (con:OPEN-47)', async () => {
    const id = CredentialGenerationId.mint();
    expect(await credential(id)).toEqual({ status: 201, body: { kind: 'authored', generation_id: id } });
    expect(await credential(id)).toEqual({ status: 200, body: { kind: 'already-authored', generation_id: id } });
    expect(await countOf(schema, 'con_credential_gate')).toBe(1);
  });

  it('200 opens the gate that a crash between the two commits left out (con:OPEN-47)', async () => {
    const id = CredentialGenerationId.mint();
    await credential(id);
    await schema.sql('DELETE FROM con_credential_gate');
    expect((await credential(id)).status).toBe(200);
    expect(await countOf(schema, 'con_credential_gate')).toBe(1);
  });

  const gate = async (): Promise<string> =>
    (await schema.sql('SELECT mode, fence FROM con_credential_gate')).map((row) => `${String(row['mode'])} ${String(row['fence'])}`).join();
  const decision = (id: CredentialGenerationId, over: object = {}) => ({
    ...{ credential_generation_id: id, expected_fence: '1', operation_id: OperationId.mint(), by: 'm.ortiz', reason: 'leaked' },
    ...over,
  });
  const revoke = (body: object) => callsTo(service, 'operator').post('/v1/credentials/revoke', { final: false, ...body });
  const reenable = (body: object) => callsTo(service, 'operator').post('/v1/credentials/reenable', body);

  it('200 for a revocation with its gate moved, 200 with the same answer again, 200 for its reenablement (con:REV-W con:REE-W)', async () => {
    const id = CredentialGenerationId.mint();
    await credential(id);
    const once = decision(id);
    const revoked = { status: 200, body: { kind: 'revoked', generation_id: id, fence: '2' } };
    expect(await revoke(once)).toEqual(revoked);
    expect(await gate()).toBe('revoked 2');
    expect(await reenable(decision(id, { expected_fence: '2' }))).toEqual({
      status: 200,
      body: { kind: 'reenabled', generation_id: id, fence: '3' },
    });
    expect(await revoke(once)).toEqual(revoked);
    expect(await gate()).toBe('enabled 3');
  });

  it('409 by name: under another fence, in the other mode, of another act; 404 without a gate; nothing moves (con:REV-X con:REE-P)', async () => {
    const id = CredentialGenerationId.mint();
    await credential(id);
    expect(await revoke(decision(id, { expected_fence: '2' }))).toEqual({ status: 409, body: { kind: 'fence-moved', fence: '1' } });
    expect(await reenable(decision(id))).toEqual({ status: 409, body: { kind: 'not-in-mode', mode: 'enabled' } });
    expect(await revoke(decision(CredentialGenerationId.mint()))).toEqual({ status: 404, body: { kind: 'no-gate' } });
    expect([await gate(), await countOf(schema, 'ctl_credential_decision')]).toEqual(['enabled 1', 0]);
    const final = decision(id, { final: true });
    expect((await revoke(final)).status).toBe(200);
    expect(await reenable(decision(id, { expected_fence: '2' }))).toEqual({ status: 409, body: { kind: 'revocation-is-final' } });
    expect(await revoke({ ...final, final: false })).toEqual({ status: 409, body: { kind: 'operation-reused' } });
    expect(await gate()).toBe('revoked 2');
  });

  it.each(['by', 'reason', 'operation_id', 'expected_fence'])('400 for a decision without %s; nothing is written', async (member) => {
    const id = CredentialGenerationId.mint();
    await credential(id);
    expect((await revoke(decision(id, { [member]: undefined }))).status).toBe(400);
    expect(await countOf(schema, 'ctl_credential_decision')).toBe(0);
  });

  describe('a decision whose author died between its two commits', () => {
    let id: CredentialGenerationId;
    let left: DecideCredential;
    /** No loop carries it: what carries it is the request. */
    beforeEach(async () => {
      await service.stop();
      service = await bootOn(control, schema, home, { CONNECTOR_POLL_MS: '60000' });
      local = callsTo(service, 'local');
      id = CredentialGenerationId.mint();
      await credential(id);
      const decided = { verb: 'revoke', final: false, by: 'm.ortiz', reason: 'leaked' } as const;
      left = { generationId: id, expectedFence: 1n as CredentialFence, operationId: OperationId.mint(), ...decided };
      await decideCredential(schema.db, left);
      expect(await gate()).toBe('enabled 1');
    });

    it('200: is carried by the same request again (con:REV-P)', async () => {
      expect(await revoke(decision(id, { operation_id: left.operationId }))).toMatchObject({ status: 200, body: { kind: 'revoked' } });
      expect(await gate()).toBe('revoked 2');
    });

    it('409 fence-moved: is carried by the next request for the generation, which saw the gate from before', async () => {
      expect(await revoke(decision(id))).toEqual({ status: 409, body: { kind: 'fence-moved', fence: '2' } });
      expect(await gate()).toBe('revoked 2');
    });

    it('is carried by the loop of the next process, under its own operation', async () => {
      await service.stop();
      service = await bootOn(control, schema, home, { CONNECTOR_POLL_MS: '20' });
      for (let look = 0; look < 500 && (await gate()) !== 'revoked 2'; look += 1) await schema.sql('DO SLEEP(0.01)');
      expect(await gate()).toBe('revoked 2');
      const [operation] = await schema.sql('SELECT operation_id FROM con_operation');
      expect(operation?.['operation_id']).toEqual(OperationId.bytes(left.operationId));
    });
  });

  it('409 for another credential under the id, and for a secret that verifies callers; no gate is opened', async () => {
    const id = CredentialGenerationId.mint();
    await credential(id);
    expect(await credential(id, { secret_version: '2' })).toMatchObject({ status: 409, body: { kind: 'conflicting-credential' } });
    await local.post('/v1/channel-keys', KEY);
    const shared = { secret_path: KEY.secret_path, credential_identity: 'other' };
    expect(await credential(CredentialGenerationId.mint(), shared)).toMatchObject({ status: 409, body: { kind: 'secret-is-channel-key' } });
    expect(await countOf(schema, 'con_credential_gate')).toBe(1);
  });

  it('201 for a configuration, 200 again, 409 for another under its id', async () => {
    const [id, generation] = [ConfigurationId.mint(), CredentialGenerationId.mint()];
    await credential(generation);
    const first = await configure(id, generation);
    expect([first.status, first.body['kind'], first.body['generation_id']]).toEqual([201, 'authored', id]);
    expect(await configure(id, generation)).toEqual({ status: 200, body: { ...first.body, kind: 'already-authored' } });
    const other = await configure(id, generation, { environment_id: 'other' });
    expect([other.status, other.body['kind'], other.body['digest']]).toEqual([409, 'conflicting-configuration', first.body['digest']]);
    expect(await countOf(schema, 'ctl_service_configuration')).toBe(1);
  });

  it('422 by name where the relation names a generation that is not there; nothing is written', async () => {
    const { status, body } = await configure(ConfigurationId.mint(), CredentialGenerationId.mint());
    expect([status, body]).toEqual([422, { kind: 'credential-absent', account: ACCOUNT, credential_ref: 'primary' }]);
    expect(await rows()).toBe(0);
  });

  it.each([
    ['no document', {}, { accounts: undefined }],
    ['an account that is none', {}, { accounts: [null] }],
    ['a member too many', {}, { constructor: 'x' }],
    ['an id of another kind', { configuration_id: 'epo_00000000000000000000000000' }, {}],
  ])('400 for %s; nothing is written', async (_, outer, inner) => {
    const body = { ...configurationBody(ConfigurationId.mint(), CredentialGenerationId.mint(), inner), ...outer };
    expect((await local.post('/v1/configurations', body)).status).toBe(400);
    expect(await rows()).toBe(0);
  });

  it('200 with the exact bytes by id, 404 for another one; a name finds nothing (con:SCG-R con:CRED-R)', async () => {
    const [id, generation] = [ConfigurationId.mint(), CredentialGenerationId.mint()];
    await credential(generation);
    const { body: authored } = await configure(id, generation);
    const coordinator = callsTo(service, 'cutover-coordinator');
    const found = await coordinator.get(`/v1/configurations/${id}`);
    expect([found.status, found.body['generation_digest']]).toEqual([200, authored['digest']]);
    const document = JSON.parse(Buffer.from(found.body['document_base64'] as string, 'base64').toString('utf8')) as Record<string, unknown>;
    expect(document['credential_relation']).toEqual([
      { account: ACCOUNT, credential_ref: 'primary', credential_generation_id: uuidText(CredentialGenerationId.bytes(generation)) },
    ]);
    expect(await coordinator.get(`/v1/credentials/${generation}`)).toMatchObject({ status: 200, body: { kind: 'found' } });
    const absent = { status: 404, body: { kind: 'absent', code: 'GENERATION_ABSENT' } };
    expect(await coordinator.get(`/v1/configurations/${ConfigurationId.mint()}`)).toEqual(absent);
    expect(await coordinator.get(`/v1/credentials/${CredentialGenerationId.mint()}`)).toEqual(absent);
    expect((await coordinator.get('/v1/credentials/primary')).status).toBe(400);
  });

  it('201 for a channel key with its gate moved to the revision, 200 again, 409 for another under its version', async () => {
    expect(await local.post('/v1/channel-keys', KEY)).toEqual({ status: 201, body: { kind: 'added', revision: '1' } });
    expect(await fence()).toBe(1n);
    expect(await local.post('/v1/channel-keys', KEY)).toEqual({ status: 200, body: { kind: 'already-added', revision: '1' } });
    expect(await local.post('/v1/channel-keys', { ...KEY, scheme: 'github-sha256' })).toMatchObject({ status: 409 });
    const next = { ...KEY, key_version: 2, secret_version: '2', ends_at: '2031-01-31T12:00:00.000000Z' };
    expect(await local.post('/v1/channel-keys', next)).toMatchObject({ status: 201, body: { revision: '2' } });
    expect(await fence()).toBe(2n);
  });

  it.each(['2031-02-30T12:00:00.000000Z', '2031-01-31T12:00:00.00000+1', '2031-01-31 12:00:00.0000000'])(
    '400 for an end that is %s',
    async (ends_at) => {
      expect((await local.post('/v1/channel-keys', { ...KEY, ends_at })).status).toBe(400);
      expect(await rows()).toBe(0);
    },
  );

  it('200 for a retired key with its gate moved, 200 again, 404 for one that never was', async () => {
    await local.post('/v1/channel-keys', KEY);
    const retire = (key_version: number) =>
      local.post('/v1/channel-keys/retire', { account: ACCOUNT, channel: 'hook', key_version, reason: 'rotated' });
    expect(await retire(1)).toEqual({ status: 200, body: { kind: 'retired', revision: '2' } });
    expect(await fence()).toBe(2n);
    expect(await retire(1)).toEqual({ status: 200, body: { kind: 'already-retired', revision: '2' } });
    expect(await retire(9)).toEqual({ status: 404, body: { kind: 'no-key' } });
  });

  it('a key set whose author died between its two commits is carried to its gate by the loop (decisions 13.10)', async () => {
    const channels = Array.from({ length: 205 }, (_, at) => `c${at}`);
    for (const channel of channels)
      await addChannelKey(schema.db, {
        ...{ account: ACCOUNT, channel, keyVersion: 1, scheme: 'standard-webhooks', endsAt: null },
        ...{ secretPath: 'channel/one', secretVersion: '1' },
      });
    for (let look = 0; look < 500 && (await countOf(schema, 'con_channel_key_gate')) < channels.length; look += 1)
      await schema.sql('DO SLEEP(0.01)');
    expect(await schema.sql('SELECT COUNT(*) AS n, MIN(fence) AS low, MAX(fence) AS high FROM con_channel_key_gate')).toEqual([
      { n: '205', low: '1', high: '1' },
    ]);
  });

  it('201 for the receipts of a process, 200 again, 409 from somebody else (con:TERM-F con:ISO-F)', async () => {
    const [generation_id, termination_id, isolation_id] = [GenerationId.mint(), TerminationId.mint(), IsolationId.mint()];
    const evidence_base64 = Buffer.from('exit 137').toString('base64');
    const ended = { generation_id, termination_id, service: 'egress-adapter', supervisor: 'local-1', evidence_base64 };
    const cut = { generation_id, isolation_id, controller: 'local-1', evidence_base64 };
    expect(await local.post('/v1/terminations', ended)).toEqual({ status: 201, body: { kind: 'recorded', termination_id } });
    expect(await local.post('/v1/terminations', { ...ended, termination_id: TerminationId.mint() })).toEqual({
      status: 200,
      body: { kind: 'already-recorded', termination_id },
    });
    expect(await local.post('/v1/terminations', { ...ended, supervisor: 'other' })).toMatchObject({ status: 409 });
    expect(await local.post('/v1/isolations', cut)).toEqual({ status: 201, body: { kind: 'recorded', isolation_id } });
    expect(await local.post('/v1/isolations', cut)).toMatchObject({ status: 200, body: { kind: 'already-recorded' } });
    expect(await local.post('/v1/isolations', { ...cut, controller: 'other' })).toMatchObject({ status: 409 });
  });

  it('401 without a token, 403 for the word of anybody but the supervisor; nothing is written (con:MAP-13 con:MAP-14 con:REV-X)', async () => {
    const paths = [
      'configurations',
      'credentials',
      'credentials/revoke',
      'credentials/reenable',
      'channel-keys',
      'channel-keys/retire',
      'terminations',
      'isolations',
    ];
    for (const path of paths) expect((await callsTo(service).post(`/v1/${path}`, {})).status).toBe(401);
    const body = {
      generation_id: GenerationId.mint(),
      termination_id: TerminationId.mint(),
      service: 's',
      supervisor: 'o',
      evidence_base64: '',
    };
    expect((await callsTo(service, 'operator').post('/v1/terminations', body)).status).toBe(403);
    const coordinator = callsTo(service, 'cutover-coordinator');
    for (const path of paths)
      expect((await coordinator.post(`/v1/${path}`, credentialBody(CredentialGenerationId.mint()))).status).toBe(403);
    expect(await rows()).toBe(0);
  });

  it('livez, readyz and metrics without a token', async () => {
    for (const path of ['livez', 'readyz', 'startupz']) expect((await fetch(`${service.url}/${path}`)).status).toBe(200);
    await credential(CredentialGenerationId.mint());
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/connector_outcomes_total\{door="open-credential-gate",path="open-credential-gate",kind="opened"\} [1-9]/);
  });
});
