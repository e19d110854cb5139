import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountName } from '@connector/kernel/brand';
import { uuidText } from '@connector/kernel/document';
import {
  AttemptId,
  CertificateId,
  ConfigurationId,
  CredentialGenerationId,
  EpochId,
  type GenerationId,
  IsolationId,
  OperationId,
  TerminationId,
} from '@connector/kernel/ids';
import { readEpochHeader } from '@connector/connector/reads/serving/epoch';
import { readGate, type SeenGate } from '@connector/connector/reads/serving/gates';
import { declarePredecessor } from '@connector/connector/transitions/serving/declare-predecessor.tx';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { control } from '@connector/services/control/src/control.service';
import { cutoverCoordinator } from '@connector/services/cutover-coordinator/src/cutover-coordinator.service';
import { type Answered, callsTo, tokensFor } from '@connector/testing/calls';
import { journalSchema, mainSchema, type TestSchema } from '@connector/testing/database';
import { DEMO_POLICIES, SCOPE } from '@connector/testing/fixtures/demo-epoch';
import { installedApp } from '@connector/testing/fixtures/installation';
import { authored, granted, registered } from '@connector/testing/fixtures/outbound';
import { countOf, serviceRow } from '@connector/testing/fixtures/serving';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';

const SOURCE = 'larkspur/acme' as AccountName;
const DESTINATION = 'tern/acme' as AccountName;
const HANDLERS: Record<string, string> = {
  'contact/upsert': 'dev.example.workbench/contact-opens-ticket',
  'ticket/hint': 'dev.example.workbench/ticket-hint',
};

let schema: TestSchema;
let journal: TestSchema;
let home: TestHome;
let services: { catalog: RunningService; control: RunningService; coordinator: RunningService };

beforeAll(async () => {
  [schema, journal, home] = await Promise.all([mainSchema(), journalSchema(), testHome()]);
  await tokensFor(home, 'catalog', ['local', 'cutover-coordinator']);
  await tokensFor(home, 'runtime', ['catalog']);
  await tokensFor(home, 'control', ['local', 'cutover-coordinator']);
  await tokensFor(home, 'cutover-coordinator', ['local', 'operator']);
});
beforeEach(async () => {
  await schema.reset();
  await journal.reset();
  await serviceRow(schema);
  const env = { CONNECTOR_POLL_MS: '20' };
  const [catalogService, controlService] = [await bootOn(catalog, schema, home), await bootOn(control, schema, home, env)];
  const urls = { CONNECTOR_CATALOG_URL: catalogService.url, CONNECTOR_CONTROL_URL: controlService.url };
  const coordinator = await bootOn(cutoverCoordinator, schema, home, { ...env, ...urls, CONNECTOR_JOURNAL_NAME: journal.database });
  services = { catalog: catalogService, control: controlService, coordinator };
});
afterEach(() => Promise.all(Object.values(services).map((service) => service.stop())));
afterAll(async () => {
  await Promise.all([schema.close(), journal.close()]);
  await home.remove();
});

const to = (name: keyof typeof services) => callsTo(services[name], 'local');

/** Every step of a first epoch is sent twice: the second answer says the same. */
async function twice(send: () => Promise<Answered>, first: number, again = 200): Promise<Answered['body']> {
  const [one, other] = [await send(), await send()];
  if (one.status !== first || other.status !== again) throw new Error(`${JSON.stringify(one)} ${JSON.stringify(other)}`);
  const { kind: _one, ...members } = one.body;
  expect(other.body).toMatchObject(members);
  return one.body;
}

interface Definition {
  readonly kind: string;
  readonly business_key: string;
  readonly definition_version: string;
}
async function publish(name: string): Promise<readonly object[]> {
  const pack: unknown = JSON.parse(readFileSync(join(__dirname, '../../../libs/shipped-packs', name, 'pack.json'), 'utf8'));
  const { organization } = SCOPE;
  const placed = await twice(() => to('catalog').post('/v1/pack-generations', { organization, pack }), 201);
  return (placed['definitions'] as Definition[]).map(({ kind, business_key, definition_version }) => ({
    ...{ kind, business_key, definition_version },
    owner_pack: placed['owner_pack'],
    pack_installation_id: placed['pack_installation_id'],
    pack_payload_digest: placed['payload_digest'],
    credential_refs: kind === 'callout-profile' ? ['desk/api-token'] : [],
    ...(HANDLERS[business_key] === undefined
      ? {}
      : { runtime_command: { definition_id: HANDLERS[business_key], definition_version: '1' } }),
  }));
}

async function authorKeys(): Promise<void> {
  const keys = [
    { account: SOURCE, channel: 'hook', scheme: 'standard-webhooks', secret_path: 'channel/larkspur/acme/hook' },
    { account: DESTINATION, channel: 'hints', scheme: 'github-sha256', secret_path: 'channel/tern/acme/hints' },
  ];
  for (const key of keys) await twice(() => to('control').post('/v1/channel-keys', { ...key, key_version: 1, secret_version: '1' }), 201);
}

async function authorCredential(): Promise<CredentialGenerationId> {
  const credential_generation_id = CredentialGenerationId.mint();
  const body = {
    ...{ credential_generation_id, credential_identity: 'desk/api-token', provider: 'dev.example.tern-desk', account: DESTINATION },
    ...{ secret_path: 'provider/tern/acme', secret_version: '1', transport: { scheme: 'bearer' } },
  };
  await twice(() => to('control').post('/v1/credentials', body), 201);
  return credential_generation_id;
}

async function configure(credential: CredentialGenerationId): Promise<ConfigurationId> {
  const configuration_id = ConfigurationId.mint();
  const account = (name: AccountName, channel: string, scheme: string, route: string, mapping: string) => ({
    ...{ account: name, provider_organization: 'acme', channels: [{ channel, scheme, route }] },
    ...{ routes: [route], mappings: [mapping], policies: DEMO_POLICIES },
  });
  const configuration = {
    schema_version: 'nexuscrm.connector-service-configuration/v1',
    ...{ environment_id: 'test', service_id: 'connector' },
    accounts: [
      account(SOURCE, 'hook', 'standard-webhooks', 'contact/upsert', 'contact/default'),
      account(DESTINATION, 'hints', 'github-sha256', 'ticket/hint', 'ticket/default'),
    ],
    credential_relation: [
      {
        ...{ account: DESTINATION, credential_ref: 'desk/api-token' },
        credential_generation_id: uuidText(CredentialGenerationId.bytes(credential)),
      },
    ],
  };
  await twice(() => to('control').post('/v1/configurations', { configuration_id, configuration, authored_by: 'ops' }), 201);
  return configuration_id;
}

const MEMBERSHIP = `/v1/orgs/${SCOPE.organization}/app-installations/${SCOPE.installation}/integration-bindings`;
const want = (bindings: readonly object[], expected_catalog_revision = '1') =>
  to('catalog').put(MEMBERSHIP, { workload: SCOPE.workload, expected_catalog_revision, bindings }, `from-${expected_catalog_revision}`);
/** Away and back: equal rows under another revision are another attestation (cat:INT-20). */
async function moveOn(bindings: readonly object[]): Promise<void> {
  expect([(await want([], '2')).status, (await want(bindings, '3')).status]).toEqual([201, 201]);
}

interface Set {
  readonly bindings: readonly object[];
  readonly credential: CredentialGenerationId;
  readonly configuration: ConfigurationId;
}
/** Everything that owners must know before an epoch can be made. */
async function setUp(): Promise<Set> {
  const bindings = [...(await publish('larkspur-crm')), ...(await publish('tern-desk'))];
  await authorKeys();
  const credential = await authorCredential();
  const configuration = await configure(credential);
  await installedApp(schema);
  await twice(() => want(bindings), 201, 201);
  return { bindings, credential, configuration };
}

const prepare = (epoch_id: EpochId, { configuration }: Set) =>
  to('coordinator').post('/v1/epochs', { ...SCOPE, epoch_id, min_catalog_revision: '2', configuration_id: configuration });
const verify = (epochId: EpochId, operation_id = OperationId.mint()) =>
  to('coordinator').post(`/v1/epochs/${epochId}/verify`, { operation_id });
const genesisOf = (epoch_id: EpochId, over: object = {}) => ({
  ...{ epoch_id, operation_id: OperationId.mint(), certificate_id: CertificateId.mint(), attempt_id: AttemptId.mint() },
  ...{ requested_by: 'ops', reason: 'first start', predecessor: 'none' },
  ...over,
});
const genesis = (body: object) => to('coordinator').post('/v1/genesis', body);

async function prepared(): Promise<Set & { readonly epochId: EpochId }> {
  const set = await setUp();
  const epochId = EpochId.mint();
  await twice(() => prepare(epochId, set), 201);
  return { ...set, epochId };
}
async function verified(): Promise<Set & { readonly epochId: EpochId }> {
  const set = await prepared();
  const operation = OperationId.mint();
  expect(await twice(() => verify(set.epochId, operation), 200)).toEqual({ kind: 'verified', epoch_id: set.epochId });
  return set;
}
async function serving(): Promise<Set & { readonly epochId: EpochId }> {
  const set = await verified();
  const body = genesisOf(set.epochId);
  expect(await twice(() => genesis(body), 200)).toMatchObject({ kind: 'begun', accounts: [SOURCE, DESTINATION] });
  return set;
}
const stateOf = async (epochId: EpochId): Promise<string | undefined> => (await readEpochHeader(schema.db, epochId))?.state;
const gateOf = async (account: AccountName): Promise<SeenGate> => (await readGate(schema.db, account)) as SeenGate;
const journalRows = async (): Promise<number> => (await countOf(journal, 'jrn_service')) + (await countOf(journal, 'jrn_genesis_intent'));
/** Looks until it holds, bounded; the waiting is the database's. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 500; look += 1) {
    if (await holds()) return;
    await schema.sql('DO SLEEP(0.01)');
  }
  throw new Error('it never came to hold');
}

describe('first epoch', () => {
  it('begun: con:PREP-O con:VERI-W from two packs to accounts that serve, over HTTP alone; every step twice', async () => {
    const { epochId } = await serving();
    expect(await stateOf(epochId)).toBe('active');
    expect([(await gateOf(SOURCE)).mode, (await gateOf(DESTINATION)).mode]).toEqual(['v2_serving', 'v2_serving']);
    expect([await countOf(journal, 'jrn_genesis_commit'), await countOf(schema, 'con_genesis_certificate')]).toEqual([1, 1]);
  });

  it('unavailable: cat:INT-09 con:EPOCH-03 con:VERI-X with the catalog down the candidate stays prepared and nothing is written', async () => {
    const { epochId } = await prepared();
    await services.catalog.stop();
    const { status, body } = await verify(epochId);
    expect([status, body['code']]).toEqual([503, 'HOUSE:coordinator:OwnerUnavailable']);
    expect([await stateOf(epochId), await countOf(schema, 'con_operation')]).toEqual(['prepared', 0]);
  });

  it('verified, begun: cat:INT-13 every generation is pinned by the verification, and a beginning without its pins is refused', async () => {
    const { epochId } = await verified();
    expect(await countOf(schema, 'pck_generation_pin')).toBe(2);
    await schema.sql('DELETE FROM pck_epoch_pin');
    expect((await genesis(genesisOf(epochId))).body).toEqual({ kind: 'epoch-drifted', reason: 'packs: EPOCH_NOT_PINNED' });
    expect([await stateOf(epochId), await journalRows()]).toEqual(['rejected', 0]);
  });

  it('verified: what an operation decided is answered again, though an owner is down by then', async () => {
    const { epochId } = await prepared();
    const operation = OperationId.mint();
    await verify(epochId, operation);
    await Promise.all([services.catalog.stop(), services.control.stop()]);
    expect(await verify(epochId, operation)).toEqual({ status: 200, body: { kind: 'verified', epoch_id: epochId } });
  });

  it('rejected: cat:INT-09 con:EPOCH-02 a definition of other bytes is the end of the candidate, by name', async () => {
    const { epochId } = await prepared();
    await schema.sql("UPDATE pck_definition SET definition = '{}' WHERE kind = 'push-contract'");
    const operation = OperationId.mint();
    const { body } = await verify(epochId, operation);
    expect(body).toEqual({ kind: 'rejected', epoch_id: epochId, reason: 'packs: DIGEST_MISMATCH' });
    expect((await verify(epochId, operation)).body).toEqual(body);
    expect(await verify(epochId)).toMatchObject({ status: 409, body: { kind: 'not-prepared', state: 'rejected' } });
    expect(await stateOf(epochId)).toBe('rejected');
  });

  it.each([
    ['DEFINITION_ABSENT', "pck_definition WHERE kind = 'push-contract'"],
    ['GENERATION_ABSENT', 'pck_generation LIMIT 1'],
  ])('rejected: cat:INT-01 cat:INT-09 con:EPOCH-02 %s, and nothing is pinned', async (code, rows) => {
    const { epochId } = await prepared();
    await schema.sql(`DELETE FROM ${rows}`);
    expect((await verify(epochId)).body).toMatchObject({ kind: 'rejected', reason: `packs: ${code}` });
    expect([await stateOf(epochId), await countOf(schema, 'pck_epoch_pin')]).toEqual(['rejected', 0]);
  });

  it('refused, unavailable: cat:INT-09 no candidate is stored of what an owner says is another, is absent, or of which it says nothing', async () => {
    const set = await setUp();
    const asked = async (change: string) => (await schema.sql(change), (await prepare(EpochId.mint(), set)).body);
    const refused = (owner: string, code: string) => ({ kind: 'refused', owner, code });
    expect(await asked("UPDATE pck_definition SET definition = '{}'")).toEqual(refused('packs', 'DIGEST_MISMATCH'));
    expect(await asked('DELETE FROM pck_definition')).toEqual(refused('packs', 'DEFINITION_ABSENT'));
    expect(await asked('DELETE FROM pck_generation')).toEqual(refused('packs', 'GENERATION_ABSENT'));
    const body = {
      ...SCOPE,
      workload: 'wl.nobody',
      epoch_id: EpochId.mint(),
      min_catalog_revision: '1',
      configuration_id: set.configuration,
    };
    expect((await to('coordinator').post('/v1/epochs', body)).body).toEqual(refused('catalog', 'WORKLOAD_NOT_AUTHORIZED'));
    await services.catalog.stop();
    expect((await prepare(EpochId.mint(), set)).status).toBe(503);
    expect(await countOf(schema, 'con_epoch')).toBe(0);
  });

  it('rejected: con:BIND-K the view has moved on since, though its rows are equal (cat:INT-07, cat:INT-20)', async () => {
    const { epochId, bindings } = await prepared();
    await moveOn(bindings);
    expect((await verify(epochId)).body).toEqual({ kind: 'rejected', epoch_id: epochId, reason: 'differs: catalog' });
  });

  it('unavailable: a view below the asked revision makes no epoch yet', async () => {
    const set = await setUp();
    const body = { ...SCOPE, epoch_id: EpochId.mint(), min_catalog_revision: '3', configuration_id: set.configuration };
    expect((await to('coordinator').post('/v1/epochs', body)).status).toBe(503);
    expect(await countOf(schema, 'con_epoch')).toBe(0);
  });

  it('refused: nothing is stored where an owner says that a part is not there', async () => {
    const { status, body } = await prepare(EpochId.mint(), { ...(await setUp()), configuration: ConfigurationId.mint() });
    expect([status, body]).toEqual([422, { kind: 'refused', owner: 'configuration', code: 'GENERATION_ABSENT' }]);
    expect(await countOf(schema, 'con_epoch')).toBe(0);
  });

  it('conflicting-epoch: con:PREP-L another content under the same id', async () => {
    const { epochId, bindings, ...set } = await prepared();
    await moveOn(bindings);
    expect(await prepare(epochId, { bindings, ...set })).toMatchObject({ status: 409, body: { kind: 'conflicting-epoch' } });
  });

  it('credential-gate-missing: con:OPEN-47 a generation whose gate was never opened is named', async () => {
    const set = await setUp();
    await schema.sql('DELETE FROM con_credential_gate');
    expect(await prepare(EpochId.mint(), set)).toEqual({
      status: 409,
      body: { kind: 'credential-gate-missing', generations: [set.credential] },
    });
  });

  it('epoch-not-verified: con:EPOCH-06 no word is written in the journal for a candidate that nobody verified', async () => {
    const { epochId } = await prepared();
    expect(await genesis(genesisOf(epochId))).toEqual({ status: 409, body: { kind: 'epoch-not-verified', state: 'prepared' } });
    expect(await genesis(genesisOf(EpochId.mint()))).toEqual({ status: 404, body: { kind: 'epoch-absent' } });
    expect(await journalRows()).toBe(0);
  });

  it('epoch-drifted: con:EPOCH-05 the owners are asked again first; the epoch is rejected and a journal never names it', async () => {
    const { epochId, bindings } = await verified();
    await moveOn(bindings);
    const body = genesisOf(epochId);
    expect(await genesis(body)).toEqual({ status: 409, body: { kind: 'epoch-drifted', reason: 'differs: catalog' } });
    expect(await genesis(body)).toEqual({ status: 409, body: { kind: 'epoch-not-verified', state: 'rejected' } });
    expect(await journalRows()).toBe(0);
  });

  it('unavailable: con:EPOCH-06 an owner is down right before; the epoch stays verified', async () => {
    const { epochId } = await verified();
    await services.catalog.stop();
    expect((await genesis(genesisOf(epochId))).status).toBe(503);
    expect([await stateOf(epochId), await journalRows()]).toEqual(['verified', 0]);
  });

  it('account-set-mismatch: the accounts that were confirmed are not the frozen ones', async () => {
    const { epochId } = await verified();
    const { status, body } = await genesis(genesisOf(epochId, { accounts: [SOURCE] }));
    expect([status, body]).toEqual([409, { kind: 'account-set-mismatch', accounts: [SOURCE, DESTINATION] }]);
    expect(await journalRows()).toBe(0);
    expect((await genesis(genesisOf(epochId, { accounts: [DESTINATION, SOURCE] }))).status).toBe(200);
  });

  it('conflicting-declaration: a deployment that had a predecessor begins by no genesis', async () => {
    const { epochId } = await verified();
    await declarePredecessor(journal.db, { predecessor: 'v1', by: 'ops' });
    const answer = await genesis(genesisOf(epochId));
    expect(answer).toEqual({ status: 409, body: { kind: 'conflicting-declaration', predecessor: 'v1' } });
    expect(await countOf(schema, 'con_serving_gate')).toBe(0);
  });

  it('begun: what landed is found again though an owner of what it froze is down; another operation is refused', async () => {
    const { epochId } = await verified();
    const body = genesisOf(epochId);
    expect((await genesis(body)).status).toBe(200);
    await services.control.stop();
    expect(await genesis(body)).toMatchObject({ status: 200, body: { kind: 'begun' } });
    expect(await genesis(genesisOf(epochId))).toEqual({ status: 409, body: { kind: 'epoch-not-verified', state: 'active' } });
    expect((await services.catalog.stop().then(() => genesis(body))).status).toBe(503);
  });

  it('halting: con:HALT-O con:HLTD-X an open permit holds the account; abandoned on both receipts it lets go, and resuming serves again', async () => {
    const { credential } = await serving();
    const served = await gateOf(DESTINATION);
    const holder = await registered(schema);
    await authored(schema, served, 1, credential);
    expect(await granted(schema.db, served, holder)).toHaveLength(1);
    const move = { account: DESTINATION, by: 'ops', reason: 'maintenance' };
    const halt = { ...move, expected_fence: String(served.fence), operation_id: OperationId.mint() };
    expect(await twice(() => to('coordinator').post('/v1/accounts/halt', halt), 200)).toMatchObject({ kind: 'halting', fence: '2' });
    await until(haltRests);
    expect((await gateOf(DESTINATION)).mode).toBe('halting_v2');
    await end(holder.generationId);
    await until(async () => (await gateOf(DESTINATION)).mode === 'v2_halted');
    expect(await schema.sql('SELECT state, open_account FROM con_dispatch_permit')).toEqual([
      { state: Buffer.from('abandoned'), open_account: null },
    ]);
    const resume = { ...move, expected_fence: '3', operation_id: OperationId.mint() };
    expect(await twice(() => to('coordinator').post('/v1/accounts/resume', resume), 200)).toMatchObject({ kind: 'serving', fence: '4' });
    expect(await gateOf(DESTINATION)).toMatchObject({ mode: 'v2_serving', fence: 4n });
  });
});

/** The loop looked, found the permit, and rests until somebody raises the stage again. */
async function haltRests(): Promise<boolean> {
  const [row] = await schema.sql(
    "SELECT produced > 0 AND due_at IS NULL AS rests FROM con_account_work WHERE stage = 'halt' AND account = ?",
    [Buffer.from(DESTINATION)],
  );
  return Number(row?.['rests']) === 1;
}

async function end(generation_id: GenerationId): Promise<void> {
  const evidence_base64 = Buffer.from('exit 137').toString('base64');
  const ended = { generation_id, termination_id: TerminationId.mint(), service: 'egress-adapter', supervisor: 'local-1', evidence_base64 };
  await twice(() => to('control').post('/v1/terminations', ended), 201);
  // One receipt alone proves nothing (con:ABN-X): the permit is open until the second one is there.
  expect((await gateOf(DESTINATION)).mode).toBe('halting_v2');
  const cut = { generation_id, isolation_id: IsolationId.mint(), controller: 'local-1', evidence_base64 };
  await twice(() => to('control').post('/v1/isolations', cut), 201);
}
