import { DefectFault } from '@connector/kernel/faults';
import type { Json } from '@connector/kernel/jcs';
import type { ServiceClient } from '@connector/platform/http/service-client';
import { mint } from '../secret-store';
import type { LocalSystem } from '../start-local';
import { ask, expectKind, textOf } from './ask';
import { packOf, SHIPPED_PACKS, type ShippedPack } from './packs';
import { CATALOG_REVISION, CHANNELS, CONFIGURATION, CREDENTIAL, HANDLER_VERSION, IDS, LINEAGE_ID, SCOPE, type DemoChannel } from './world';

const BY = 'local';
const WHSEC_BYTES = 32;

export type Begun = { readonly kind: 'begun' | 'served-before' };

/**
 * Everything that a production installation would do before its first delivery, by the same doors: packs, credentials, keys, configuration,
 * view, epoch prepared and verified, genesis (decisions 10). Each step may be asked for again, so a start that was cut off goes on.
 */
export async function beginDemo(system: LocalSystem, world: World = DEMO_WORLD): Promise<Begun> {
  await mintDemoSecrets(system, world.channels);
  const coordinator = await system.client('cutover-coordinator');
  if ((await genesis(coordinator)) === 'begun') return { kind: 'served-before' };
  await verified(system, coordinator, world);
  const answer = await genesis(coordinator);
  if (answer !== 'begun') throw new DefectFault('HOUSE:local:NotBegun', `genesis answered ${answer}`);
  return { kind: 'begun' };
}

/** What a machine starts with; the bytes of packs and configuration, and the channels between them, are whoever's who asks. */
export interface World {
  readonly configuration: typeof CONFIGURATION;
  readonly packOf: (name: ShippedPack) => Json;
  readonly channels: readonly DemoChannel[];
}
export const DEMO_WORLD: World = { configuration: CONFIGURATION, packOf, channels: CHANNELS };

/** Up to an epoch that could begin. */
export async function verified(system: LocalSystem, coordinator: ServiceClient, world: World): Promise<void> {
  await authored(await system.client('control'), world);
  await published(await system.client('catalog'), world);
  await expectKind(coordinator, '/v1/epochs', prepareBody(), ['prepared', 'already-prepared']);
  await expectKind(coordinator, `/v1/epochs/${IDS.epoch}/verify`, { operation_id: IDS.verification, requested_by: BY }, ['verified']);
}

export async function mintDemoSecrets({ store }: LocalSystem, channels = CHANNELS): Promise<void> {
  await store.ensure(CREDENTIAL.secret);
  for (const { scheme, secret } of channels) await store.ensure(secret, scheme === 'standard-webhooks' ? mintWhsec : mint);
}

const mintWhsec = (): string => `whsec_${Buffer.from(mint(), 'base64url').subarray(0, WHSEC_BYTES).toString('base64')}`;

async function authored(control: ServiceClient, { configuration: document, channels }: World): Promise<void> {
  const credential = {
    credential_generation_id: IDS.credential,
    credential_identity: CREDENTIAL.ref,
    provider: CREDENTIAL.provider,
    account: CREDENTIAL.account,
    secret_path: CREDENTIAL.secret.path,
    secret_version: CREDENTIAL.secret.version,
    transport: { scheme: 'bearer' },
  };
  await expectKind(control, '/v1/credentials', credential, ['authored', 'already-authored']);
  for (const { account, channel, scheme, secret } of channels) {
    const key = { account, channel, key_version: 1, scheme, secret_path: secret.path, secret_version: secret.version };
    await expectKind(control, '/v1/channel-keys', key, ['added', 'already-added']);
  }
  const configuration = { configuration_id: IDS.configuration, configuration: document, authored_by: BY };
  await expectKind(control, '/v1/configurations', configuration, ['authored', 'already-authored']);
}

/** The packs that ship, and a view of all that is in them as this revision. */
export async function published(catalog: ServiceClient, { packOf: pack, channels }: World, revision = CATALOG_REVISION): Promise<void> {
  const bindings: object[] = [];
  for (const name of SHIPPED_PACKS) {
    const body = { organization: SCOPE.organization, pack: pack(name) };
    const { body: answer } = await expectKind(catalog, '/v1/pack-generations', body, ['registered', 'already-registered']);
    bindings.push(...bindingsOf(answer, channels));
  }
  const view = { ...SCOPE, lineage_id: LINEAGE_ID, catalog_revision: revision, bindings };
  await expectKind(catalog, '/v1/interim-views', view, ['set', 'already-set']);
}

/** Every definition of a registered pack, authorized for the workbench. */
function bindingsOf(registered: object, channels: World['channels']): readonly object[] {
  const definitions: unknown = Reflect.get(registered, 'definitions');
  if (!Array.isArray(definitions)) throw new DefectFault('HOUSE:local:AnswerMember', 'an answer has no definitions');
  const pack = {
    owner_pack: textOf(registered, 'owner_pack'),
    pack_installation_id: textOf(registered, 'pack_installation_id'),
    pack_payload_digest: textOf(registered, 'payload_digest'),
  };
  return definitions.map((definition: object) => {
    const [kind, key] = [textOf(definition, 'kind'), textOf(definition, 'business_key')];
    const handler = kind === 'inbound-route' ? channels.find(({ route }) => route === key)?.handler : undefined;
    return {
      ...pack,
      kind,
      business_key: key,
      definition_version: textOf(definition, 'definition_version'),
      credential_refs: kind === 'callout-profile' ? [CREDENTIAL.ref] : [],
      ...(handler === undefined ? {} : { runtime_command: { definition_id: handler, definition_version: HANDLER_VERSION } }),
    };
  });
}

const prepareBody = () => ({
  epoch_id: IDS.epoch,
  ...SCOPE,
  min_catalog_revision: CATALOG_REVISION,
  configuration_id: IDS.configuration,
});

/** The same attempt each time; `begun` also when it was before. */
export async function genesis(coordinator: ServiceClient): Promise<string> {
  const body = {
    epoch_id: IDS.epoch,
    operation_id: IDS.genesis,
    certificate_id: IDS.certificate,
    attempt_id: IDS.attempt,
    requested_by: BY,
    reason: 'first start on this machine',
    predecessor: 'none',
  };
  return (await ask(coordinator, 'POST', '/v1/genesis', body)).kind;
}
