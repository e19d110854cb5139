import { randomUUID } from 'node:crypto';
import { DefectFault } from '@connector/kernel/faults';
import type { Json } from '@connector/kernel/jcs';
import type { ServiceClient } from '@connector/platform/http/service-client';
import type { Kept } from '@connector/services/kept/src/kept-folder';
import { mint, type SecretStore } from '../secret-store';
import type { LocalSystem } from '../start-local';
import { ask, expectKind, STEP_REFUSED, textOf } from './ask';
import { asKept, keptBindings, keptFor } from './kept';
import { packOf, SHIPPED_PACKS, type ShippedPack } from './packs';
import { installWorkbench } from './workbench-app';
import { CHANNELS, CONFIGURATION, CREDENTIAL, HANDLER_VERSION, IDS, SCOPE, WORKBENCH, type DemoChannel } from './world';

const BY = 'local';
const WHSEC_BYTES = 32;

/** `served-without-app`: under an epoch from before Apps were installed. It goes on serving; a further epoch needs a database begun anew. */
export type Begun =
  | { readonly kind: 'served-before' | 'served-without-app' }
  /** `kept`: the generations, `<pack> <version>`, that were published and set here before; none where it began with what ships. */
  | { readonly kind: 'begun'; readonly kept: readonly string[] };

/**
 * Everything that a production installation would do before its first delivery, by the same doors: credentials, keys, configuration, an App
 * that is published and installed, packs, membership, epoch prepared and verified, genesis (decisions 10, 12.2). Each step may be asked for
 * again, so a start that was cut off goes on.
 */
export async function beginDemo(system: LocalSystem, world: World = DEMO_WORLD): Promise<Begun> {
  await mintDemoSecrets(system, world.channels);
  const coordinator = await system.client('cutover-coordinator');
  if ((await genesis(coordinator)) === 'begun') return servedBefore(await system.client('catalog'));
  const kept = await verified(system, coordinator, world);
  const answer = await genesis(coordinator);
  if (answer !== 'begun') throw asKept(system.layout.published, kept, new DefectFault(STEP_REFUSED, `genesis answered ${answer}`));
  return { kind: 'begun', kept: [...(kept?.packs.values() ?? [])].map(({ built }) => `${built.ownerPack} ${built.packVersion}`) };
}

async function servedBefore(catalog: ServiceClient): Promise<Begun> {
  const { kind } = await ask(catalog, 'GET', `/v1/apps/${WORKBENCH.app}`);
  return { kind: kind === 'found' ? 'served-before' : 'served-without-app' };
}

/** What a machine starts with; the bytes of packs and configuration, and the channels between them, are whoever's who asks. */
export interface World {
  readonly configuration: typeof CONFIGURATION;
  readonly packOf: (name: ShippedPack) => Json;
  readonly channels: readonly DemoChannel[];
}
export const DEMO_WORLD: World = { configuration: CONFIGURATION, packOf, channels: CHANNELS };

/** Up to an epoch that could begin; with what was kept for it. */
export async function verified(
  { client, store, layout }: LocalSystem,
  coordinator: ServiceClient,
  world: World,
): Promise<Kept | undefined> {
  const kept = await keptFor(layout.published);
  await authored(await client('control'), world);
  try {
    const served = await published(await client('catalog'), store, world, kept);
    await expectKind(coordinator, '/v1/epochs', prepareBody(served), ['prepared', 'already-prepared']);
    await expectKind(coordinator, `/v1/epochs/${IDS.epoch}/verify`, { operation_id: IDS.verification, requested_by: BY }, ['verified']);
    return kept;
  } catch (thrown) {
    throw asKept(layout.published, kept, thrown);
  }
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

/** What an epoch is asked to freeze. */
export interface Served {
  readonly installation: string;
  readonly catalogRevision: string;
}

/** The App, the packs that ship, and a membership: what was kept, else all that is in them. */
export async function published(
  catalog: ServiceClient,
  store: SecretStore,
  { packOf: pack, channels }: World,
  kept?: Kept,
): Promise<Served> {
  const installation = await installWorkbench(catalog, store);
  const shipped: object[] = [];
  for (const name of SHIPPED_PACKS) {
    const body = { organization: SCOPE.organization, pack: pack(name) };
    const { body: answer } = await expectKind(catalog, '/v1/pack-generations', body, ['registered', 'already-registered']);
    shipped.push(...bindingsOf(answer, channels));
  }
  const bindings = kept === undefined ? shipped : await keptBindings(catalog, kept);
  return { installation, catalogRevision: await wanted(catalog, { installation, workload: SCOPE.workload }, bindings) };
}

/** The bindings of a workload, under the revision that the organization has by now: nobody else wants anything on this machine. */
export async function wanted(
  catalog: ServiceClient,
  { installation, workload }: { readonly installation: string; readonly workload: string },
  bindings: readonly object[],
): Promise<string> {
  const place = `/v1/orgs/${SCOPE.organization}/app-installations/${installation}/integration-bindings`;
  const put = (expected: string, kinds: readonly string[]) => {
    const body = { workload, expected_catalog_revision: expected, bindings };
    return expectKind(catalog, place, body, kinds, { method: 'PUT', key: `membership-${randomUUID()}` });
  };
  // No organization is at revision 0 and has an installation: the answer says where it is, or that all of this stands.
  const seen = await put('0', ['revision-moved', 'already-set']);
  const revision = textOf(seen.body, 'catalog_revision');
  return seen.kind === 'already-set' ? revision : textOf((await put(revision, ['set', 'already-set'])).body, 'catalog_revision');
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

const prepareBody = ({ installation, catalogRevision }: Served) => ({
  epoch_id: IDS.epoch,
  ...SCOPE,
  installation,
  min_catalog_revision: catalogRevision,
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
