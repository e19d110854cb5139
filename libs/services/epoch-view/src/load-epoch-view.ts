import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { BindingKind } from '@connector/kernel/document-binding';
import { DefectFault, invariant } from '@connector/kernel/faults';
import { ConfigurationId, CredentialGenerationId, type EpochId } from '@connector/kernel/ids';
import type { Json } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import { orderingContractDigest } from '@connector/connector/model/digests/policy';
import type { BindingPart, DefinitionProof } from '@connector/connector/model/digests/serving-epoch.parts';
import { readEpochContent } from '@connector/connector/reads/serving/epoch';
import { serviceConfiguration, type ServiceConfiguration } from '@connector/control/model/documents';
import { parsePolicies } from '@connector/control/model/policies';
import { readConfiguration } from '@connector/control/reads/configuration';
import { compileCallout } from '@connector/packs/engine/callout';
import { compilePush } from '@connector/packs/engine/push';
import { compileRoute } from '@connector/packs/engine/route';
import { bindingDefinitionDigest } from '@connector/packs/model/documents';
import { readDefinition } from '@connector/packs/reads/definitions';
import type { Db } from '@connector/platform/db/db';
import { contractOf } from './contract-of';
import type { AccountView, ChannelView, EpochView, PushView, RouteView } from './epoch-view';

interface Frozen {
  readonly binding: BindingPart;
  readonly proof: DefinitionProof;
  readonly definition: Json;
}

/** Reads an epoch whole and checks every byte of it against its digest. A part that is missing or different is a defect, never a default. */
export async function loadEpochView(db: Db, epochId: EpochId, epochDigest: Digest): Promise<EpochView> {
  const content = await readEpochContent(db, epochId, epochDigest);
  if (content === undefined) throw broken('EpochAbsent', `no epoch ${epochId} with its digest`);
  const { catalog, configuration: part, bindings, proofs } = content.parts;
  // One after another: a whole epoch at once would take the pool away from the work that waits for it.
  const frozen: Frozen[] = [];
  for (const [index, binding] of bindings.entries()) frozen.push(await freeze(db, binding, proofs[index] as DefinitionProof));
  const configurationId = ConfigurationId.of(part.generationId);
  const configuration = await configurationOf(db, configurationId, part.generationDigest);
  const routes = routesOf(frozen);
  const accounts = new Map(configuration.accounts.map((account) => [account.account, accountView(account, configuration, routes)]));
  const pushes = new Map(pushesOf(frozen).map((push) => [push.businessKey, push]));
  return {
    epochId,
    epochDigest,
    scope: { organization: catalog.organization, installation: catalog.installation, workload: catalog.workload },
    configurationId,
    configurationDigest: part.generationDigest,
    accounts: [...accounts.values()].map(({ account }) => account),
    account: (name) => accounts.get(name),
    route: (businessKey, version) => routes.find(({ ref }) => ref.businessKey === businessKey && ref.definitionVersion === version),
    push: (businessKey) => pushes.get(businessKey),
  };
}

async function freeze(db: Db, binding: BindingPart, proof: DefinitionProof): Promise<Frozen> {
  const { kind, businessKey, definitionVersion } = binding;
  const stored = await readDefinition(db, { storageId: proof.packGenerationStorageId, kind, businessKey, definitionVersion });
  if (stored === undefined) throw broken('DefinitionAbsent', `${kind} ${businessKey} ${definitionVersion}`);
  const equal = stored.digest === proof.definitionDigest && bindingDefinitionDigest(kind, stored.bytes) === proof.definitionDigest;
  if (!equal) throw broken('DefinitionMismatch', `${kind} ${businessKey} ${definitionVersion}`);
  return { binding, proof, definition: jsonOf(stored.bytes) };
}

async function configurationOf(db: Db, id: ConfigurationId, digest: Digest): Promise<ServiceConfiguration> {
  const stored = await readConfiguration(db, id);
  if (stored === undefined) throw broken('ConfigurationAbsent', id);
  const { value: parsed } = serviceConfiguration.parse(stored.documentBytes);
  if (stored.generationDigest !== digest || serviceConfiguration.build(parsed).digest !== digest) throw broken('ConfigurationMismatch', id);
  return parsed;
}

const ofKind = (frozen: readonly Frozen[], kind: BindingKind): readonly Frozen[] => frozen.filter(({ binding }) => binding.kind === kind);

/** What a definition names it names in its own pack: another pack may have the same key for another host or another event. */
function namedBy({ binding: { ownerPack }, definition }: Frozen, frozen: readonly Frozen[], kind: BindingKind, member: string): Json {
  const businessKey = textMember(definition, member);
  const found = ofKind(frozen, kind).find(({ binding }) => binding.ownerPack === ownerPack && binding.businessKey === businessKey);
  if (found === undefined) throw broken('BindingAbsent', `${kind} ${ownerPack} ${businessKey}`);
  return found.definition;
}

function routesOf(frozen: readonly Frozen[]): readonly RouteView[] {
  return ofKind(frozen, 'inbound-route').map((one) => {
    const { binding, proof, definition } = one;
    const route = compileRoute(definition, namedBy(one, frozen, 'field-mapping', 'mapping'));
    if (route.kind !== 'route') throw broken('RouteNotExecutable', `${binding.businessKey}: ${route.code}`);
    const { runtimeCommand } = binding;
    invariant(runtimeCommand !== null, 'HOUSE:epoch-view:RouteWithoutHandler', binding.businessKey);
    const { digest } = orderingContractDigest(jsonOf(route.orderingContract));
    return {
      ref: {
        identity: binding.identity,
        packGenerationStorageId: proof.packGenerationStorageId,
        businessKey: binding.businessKey,
        definitionVersion: binding.definitionVersion,
        ordering: contractOf(route.ordering, digest),
      },
      route,
      orderingContractDigest: digest,
      handler: runtimeCommand,
    };
  });
}

function pushesOf(frozen: readonly Frozen[]): readonly PushView[] {
  return ofKind(frozen, 'push-contract').map((one) => {
    const { binding, proof, definition } = one;
    const profile = namedBy(one, frozen, 'callout-profile', 'callout_profile');
    const push = compilePush(definition, profile);
    const callout = compileCallout(profile);
    if (push.kind !== 'push' || callout.kind !== 'callout') throw broken('PushNotExecutable', binding.businessKey);
    return {
      packGenerationStorageId: proof.packGenerationStorageId,
      packPayloadDigest: proof.packPayloadDigest,
      businessKey: binding.businessKey,
      definitionVersion: binding.definitionVersion,
      identity: binding.identity,
      push,
      callout,
    };
  });
}

type ConfiguredAccount = ServiceConfiguration['accounts'][number];

function accountView(account: ConfiguredAccount, configuration: ServiceConfiguration, routes: readonly RouteView[]): AccountView {
  const channels = new Map(account.channels.map((channel) => [channel.channel, channelView(channel, routes)]));
  const credentials = new Map(
    configuration.credential_relation
      .filter((relation) => relation.account === account.account)
      .map((relation) => [relation.credential_ref, generationOf(relation.credential_generation_id)]),
  );
  return {
    account: account.account as AccountName,
    providerOrganization: account.provider_organization,
    policies: parsePolicies(account.policies),
    channel: (name) => channels.get(name),
    credential: (ref) => credentials.get(ref),
  };
}

function channelView(channel: ConfiguredAccount['channels'][number], routes: readonly RouteView[]): ChannelView {
  const route = routes.find(({ ref }) => ref.businessKey === channel.route);
  if (route === undefined) throw broken('ChannelWithoutRoute', `${channel.channel}: ${channel.route}`);
  return { channel: channel.channel, scheme: channel.scheme, route };
}

/** The documents name generations as UUIDs, the rows by their 16 bytes. */
function generationOf(uuid: string): CredentialGenerationId {
  return CredentialGenerationId.of(Buffer.from(uuid.replaceAll('-', ''), 'hex'));
}

function textMember(definition: Json, member: string): string {
  const value: unknown = typeof definition === 'object' && definition !== null ? Reflect.get(definition, member) : undefined;
  if (typeof value !== 'string') throw broken('DefinitionMember', member);
  return value;
}

function jsonOf(bytes: Buffer): Json {
  const parsed = parseStrict(bytes);
  if (!parsed.ok) throw broken('DocumentNotJson', parsed.code);
  return parsed.value;
}

function broken(name: string, detail: string): DefectFault {
  return new DefectFault(`HOUSE:epoch-view:${name}`, detail);
}
