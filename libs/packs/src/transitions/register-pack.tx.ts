/**
 * register-pack: an immutable pack generation, and its installation for one organization
 *
 * why     A generation is its bytes: the payload digest is its identity, and a version label is used once (decisions 12.1).
 * paths   register-pack
 * locks   barrier
 * fence   the organization's barrier open (cat:INT-16); what stands already is no authoring and is answered; (owner pack, pack version) and the
 *         payload digest, before the organization has anything of the pack; (organization, owner pack) for the installation id. All insert-only.
 * again   The payload digest: the same bytes again are the same generation.
 */
import type { Digest } from '@connector/kernel/digest';
import { uuidText } from '@connector/kernel/document';
import { InputFault, invariant } from '@connector/kernel/faults';
import { type AttemptId, GenerationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { pckDefinition, pckGeneration, pckInstallation } from '@connector/schema/packs/packs';
import { audit } from '../fences/audit';
import { holdPackBarrier } from '../fences/barrier';
import { packBarrierMachine } from '../model/barrier';
import { packManifest, type PackManifest } from '../model/documents';
import { packDoors } from '../model/paths';
import { checkDefinitions, type DefinitionFault, type PackDefinition } from './pack-definitions';

export interface RegisterPack {
  /** Role and person, for the audit. */
  readonly caller: string;
  readonly organization: string;
  /** The manifest's canonical bytes. */
  readonly manifest: Buffer;
  readonly definitions: readonly PackDefinition[];
}

/** Where a generation stands and how the organization calls its pack. */
export interface PackPlace {
  readonly storageId: string;
  readonly packInstallationId: string;
  readonly payloadDigest: Digest;
}
export type RegisteredPack =
  | ({ readonly kind: 'registered' | 'already-registered' } & PackPlace)
  | { readonly kind: 'conflicting-version'; readonly storedDigest: Digest; readonly givenDigest: Digest }
  | ({ readonly kind: 'definitions-differ' } & DefinitionFault)
  /** An activation relies on what the organization has: the same asking may be sent again once it is over or released. */
  | { readonly kind: 'barrier-held'; readonly attemptId: AttemptId | null };

const INSTALLED = readRows(
  pckInstallation,
  ['pack_installation_id'],
  'WHERE organization_id = :organization_id AND owner_pack = :owner_pack',
);
const STANDING = readRows(
  pckGeneration,
  ['storage_id', 'payload_digest'],
  'WHERE owner_pack = :owner_pack AND pack_version = :pack_version',
);

/** InputFault where the manifest is not canonical or declares extensions, which this registry does not hold yet. */
export async function registerPack(db: Db, input: RegisterPack): Promise<RegisteredPack> {
  const manifest = packManifest.parse(input.manifest);
  if (manifest.value.extensions.length > 0)
    throw new InputFault('HOUSE:packs:Extensions', 'a generation with extensions cannot be registered');
  const fault = checkDefinitions(manifest.value, input.definitions);
  if (fault !== undefined) return { kind: 'definitions-differ', ...fault };
  return db.fenced(packDoors['register-pack'], async (tx) => {
    const barrier = await holdPackBarrier(tx, input.organization);
    if (packBarrierMachine.parse(barrier.state) === 'held')
      return (await standing(tx, input.organization, manifest)) ?? { kind: 'barrier-held', attemptId: barrier.attempt_id };
    const stored = await store(tx, manifest.value, manifest.digest, input);
    if (stored.kind === 'conflicting-version') return stored;
    const { first, packInstallationId } = await install(tx, input.organization, manifest.value.owner_pack);
    const place = { storageId: stored.storageId, packInstallationId, payloadDigest: manifest.digest };
    if (stored.kind === 'registered' || first) await tell(tx, input, manifest, place);
    return { kind: stored.kind, ...place };
  });
}

async function tell(tx: FencedTx, { caller, organization }: RegisterPack, { value, digest }: Manifest, place: PackPlace): Promise<void> {
  const label = { owner_pack: value.owner_pack, pack_version: value.pack_version, payload_digest: digest };
  const ids = { storage_id: place.storageId, pack_installation_id: place.packInstallationId };
  await audit(tx, { caller, organization, details: { ...label, ...ids } });
}

/** Where this very generation stands for the organization; undefined where anything would have to be written. */
async function standing(tx: FencedTx, organization: string, { value, digest }: Manifest): Promise<RegisteredPack | undefined> {
  const { owner_pack, pack_version } = value;
  const [stored] = await tx.read(STANDING, { owner_pack, pack_version });
  const [installed] = await tx.read(INSTALLED, { organization_id: organization, owner_pack });
  if (installed === undefined || stored?.payload_digest !== digest) return undefined;
  const { pack_installation_id: packInstallationId } = installed;
  return { kind: 'already-registered', storageId: stored.storage_id, packInstallationId, payloadDigest: digest };
}

/** Ids of this registry are random and opaque to everybody else. */
function mintUuid(): string {
  return uuidText(GenerationId.bytes(GenerationId.mint()));
}

/** Minted once per organization and pack, and kept over every later generation; whoever holds the barrier is alone here. */
async function install(tx: FencedTx, organization: string, ownerPack: string) {
  const key = { organization_id: organization, owner_pack: ownerPack };
  const [standing] = await tx.read(INSTALLED, key);
  if (standing !== undefined) return { first: false, packInstallationId: standing.pack_installation_id };
  const packInstallationId = mintUuid();
  await tx.insert(pckInstallation, [{ ...key, pack_installation_id: packInstallationId }]);
  return { first: true, packInstallationId };
}

type Manifest = ReturnType<typeof packManifest.parse>;
type Stored =
  | { readonly kind: 'registered' | 'already-registered'; readonly storageId: string }
  | { readonly kind: 'conflicting-version'; readonly storedDigest: Digest; readonly givenDigest: Digest };

async function store(tx: FencedTx, value: PackManifest, digest: Digest, input: RegisterPack): Promise<Stored> {
  const label = { owner_pack: value.owner_pack, pack_version: value.pack_version };
  const storageId = mintUuid();
  const row = { storage_id: storageId, ...label, payload_digest: digest, manifest: input.manifest };
  if ((await tx.insertNew(pckGeneration, row)) !== 'inserted') {
    // Owner and version are in the payload, so the same payload is found under the same label.
    const [standing] = await tx.read(STANDING, label);
    invariant(standing !== undefined, 'HOUSE:packs:RowVanished', `${value.owner_pack} ${value.pack_version} was there and is not`);
    if (standing.payload_digest === digest) return { kind: 'already-registered', storageId: standing.storage_id };
    return { kind: 'conflicting-version', storedDigest: standing.payload_digest, givenDigest: digest };
  }
  await tx.insert(pckDefinition, definitionRows(storageId, value, input.definitions));
  return { kind: 'registered', storageId };
}

function definitionRows(storageId: string, { definitions }: PackManifest, given: readonly PackDefinition[]) {
  const digestOf = new Map(definitions.map((entry) => [keyOf(entry.kind, entry.business_key, entry.definition_version), entry]));
  return given.flatMap(({ kind, businessKey, definitionVersion, bytes }) => {
    const entry = digestOf.get(keyOf(kind, businessKey, definitionVersion));
    const key = { kind, business_key: businessKey, definition_version: definitionVersion };
    return entry ? [{ storage_id: storageId, ...key, definition: bytes, definition_digest: entry.canonical_definition_digest }] : [];
  });
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
