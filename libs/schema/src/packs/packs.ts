import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import { born, bytes, digest, id, name, nullable, u64, word } from '@connector/kernel/column';
import { AttemptId, AuditId, EpochId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';

/** Minted once per organization and owner pack, stable over upgrades. */
export const pckInstallation = table('pck_installation', {
  about: 'Which pack is installed for which organization, under which id.',
  rank: null,
  columns: { organization_id: name(64), owner_pack: name(128), pack_installation_id: name(64), installed_at: born() },
  primary: ['organization_id', 'owner_pack'],
  unique: { id: ['pack_installation_id'] },
});

/** con:DEFN-M: an immutable, content-addressed pack generation (decisions 12.1). */
export const pckGeneration = table('pck_generation', {
  about: 'Registered pack generations, byte for byte.',
  rank: 'pack-generation',
  columns: {
    storage_id: name(64),
    owner_pack: name(128),
    pack_version: name(32),
    payload_digest: digest(),
    manifest: bytes(262_144),
    registered_at: born(),
  },
  primary: ['storage_id'],
  unique: { payload: ['payload_digest'], version: ['owner_pack', 'pack_version'] },
});

/** con:DEFN-F: one definition of a generation, as its canonical bytes. */
export const pckDefinition = table('pck_definition', {
  about: 'The definitions of a pack generation.',
  rank: null,
  columns: {
    storage_id: name(64),
    kind: word(32),
    business_key: name(128),
    definition_version: name(32),
    definition: bytes(262_144),
    definition_digest: digest(),
  },
  primary: ['storage_id', 'kind', 'business_key', 'definition_version'],
});

/** That an epoch relies on this registry, under which digest; the epoch's own state says whether it still does. */
export const pckEpochPin = table('pck_epoch_pin', {
  about: 'Epochs whose pack generations must stay readable.',
  rank: null,
  columns: { epoch_id: id(EpochId), epoch_digest: digest(), pinned_at: born() },
  primary: ['epoch_id'],
});

/** cat:INT-13: whoever would take a generation away has to find none of these, under the lock of the generation. */
export const pckGenerationPin = table('pck_generation_pin', {
  about: 'The generations that an epoch refers to.',
  rank: null,
  columns: { epoch_id: id(EpochId), storage_id: name(64) },
  primary: ['epoch_id', 'storage_id'],
  index: { generation: ['storage_id'] },
});

/** cat:INT-16, decisions 12.9: the same as Catalog's, one per organization, since the registry is one owner. Born with its first pack. */
export const pckPublicationBarrier = table('pck_publication_barrier', {
  about: 'Whether an activation holds the pack authors of an organization off, and which.',
  rank: 'catalog-barrier',
  columns: {
    organization_id: name(64),
    state: word(8),
    barrier_fence: u64<BarrierFence>(),
    holder_fence: u64<BarrierHolderFence>(),
    attempt_id: nullable(id(AttemptId)),
    receipt: nullable(bytes(131_072)),
  },
  primary: ['organization_id'],
  index: { attempt: ['attempt_id'] },
});

/** cat:A-47, the same as Catalog's: one row a door that wrote something for somebody, in the same commit. Nothing reads it to decide. */
export const pckAudit = table('pck_audit', {
  about: 'What every door of the pack registry did, for people.',
  rank: null,
  columns: { audit_id: id(AuditId), door: word(64), caller: name(64), subject: name(256), details: bytes(16_384), at: born() },
  primary: ['audit_id'],
  index: { by_subject: ['subject', 'at'] },
});
