import { binary, born, bytes, digest, instant, int, name, nullable, u64, word } from '@connector/kernel/column';
import { table } from '@connector/kernel/table';

/** An identifier of the App grammar: at most 128 ASCII bytes, the same only when its bytes are (cat:ID-06, cat:A-41). */
const identifier = () => name(128);

/** cat:PUB-01: a lasting logical identity. Its row is locked by whatever judges its keys or changes them. */
export const catPublisher = table('cat_publisher', {
  about: 'Publishers that the operator trusts.',
  rank: 'publisher',
  columns: { publisher_id: identifier(), registered_at: born() },
  primary: ['publisher_id'],
});

/** cat:A-23: where a publisher may reserve AppIDs. */
export const catPublisherPrefix = table('cat_publisher_prefix', {
  about: 'The AppID prefixes under which a publisher may reserve.',
  rank: null,
  columns: { publisher_id: identifier(), app_prefix: identifier() },
  primary: ['publisher_id', 'app_prefix'],
});

/** cat:PUB-03: an Ed25519 key with its validity window, from `valid_from` until before `valid_until`. A key is of one publisher. */
export const catPublisherKey = table('cat_publisher_key', {
  about: 'The signing keys of publishers.',
  rank: null,
  columns: {
    key_id: identifier(),
    publisher_id: identifier(),
    public_key: binary(32),
    valid_from: instant(),
    valid_until: nullable(instant()),
    added_at: born(),
  },
  primary: ['key_id'],
  index: { by_publisher: ['publisher_id'] },
});

/** cat:A-18: a key that signs nothing any more. Releases that it signed stay as they are. */
export const catKeyRevocation = table('cat_key_revocation', {
  about: 'Which publisher keys are revoked, and why.',
  rank: null,
  columns: { key_id: identifier(), reason: name(256), revoked_by: name(64), revoked_at: born() },
  primary: ['key_id'],
});

/** cat:ID-10: the bytes of an AppID, reserved once and for ever (cat:ID-11). */
export const catApp = table('cat_app', {
  about: 'Reserved AppIDs.',
  rank: null,
  columns: { app_id: identifier(), first_publisher_id: identifier(), reserved_at: born() },
  primary: ['app_id'],
});

/** cat:PUB-14: who owns an App now. Registration and transfer of one App meet on its row; moved by a CAS on the epoch alone. */
export const catAppOwnership = table('cat_app_ownership', {
  about: 'The present owner of every App and its ownership epoch.',
  rank: 'app',
  columns: { app_id: identifier(), publisher_id: identifier(), ownership_epoch: u64() },
  primary: ['app_id'],
});

/** cat:PUB-09: one row an ownership epoch; the first has no old publisher. */
export const catOwnershipEvent = table('cat_ownership_event', {
  about: 'How every App came to its owners.',
  rank: null,
  columns: {
    app_id: identifier(),
    ownership_epoch: u64(),
    kind: word(16),
    old_publisher_id: nullable(identifier()),
    new_publisher_id: identifier(),
    statement: nullable(bytes(8192)),
    signature: nullable(binary(64)),
    accepted_by: name(64),
    at: born(),
  },
  primary: ['app_id', 'ownership_epoch'],
});

/** cat:PUB-06: a transfer that the owner signed. It moves nothing until the operator accepts it. */
export const catTransferOffer = table('cat_transfer_offer', {
  about: 'Signed offers to give an App to another publisher.',
  rank: null,
  columns: {
    app_id: identifier(),
    statement_digest: digest(),
    new_publisher_id: identifier(),
    ownership_epoch: u64(),
    key_id: identifier(),
    statement: bytes(8192),
    signature: binary(64),
    offered_at: born(),
  },
  primary: ['app_id', 'statement_digest'],
});

/** cat:DIG-07: the index of a release's components. Its behaviour bytes are the artifact registry's. */
export const catMetadataBundle = table('cat_metadata_bundle', {
  about: 'Metadata bundles, byte for byte.',
  rank: null,
  columns: { bundle_digest: digest(), bytes: bytes(5 * 1024 * 1024) },
  primary: ['bundle_digest'],
});

/** cat:REG-02, cat:REG-07: (AppID, semver) and the release digest name one another once and for ever; with the attestation judged at registration. */
export const catAppRelease = table('cat_app_release', {
  about: 'Registered releases: the signed manifest, and under whom it was registered.',
  rank: null,
  columns: {
    app_id: identifier(),
    release_digest: digest(),
    semantic_version: identifier(),
    bundle_digest: digest(),
    manifest: bytes(262_144),
    publisher_id: identifier(),
    ownership_epoch: u64(),
    key_id: identifier(),
    attestation: bytes(8192),
    signature: binary(64),
    registered_at: born(),
  },
  primary: ['app_id', 'release_digest'],
  unique: { version: ['app_id', 'semantic_version'] },
});

/** cat:A-15: which Apps a release depends on, to walk the graph; the ranges stand in the manifest alone (cat:MAN-06). */
export const catReleaseDependency = table('cat_release_dependency', {
  about: 'The Apps that every release depends on.',
  rank: null,
  columns: { app_id: identifier(), release_digest: digest(), dependency_app_id: identifier() },
  primary: ['app_id', 'release_digest', 'dependency_app_id'],
});

/** cat:A-39: a release that no new candidate may take. */
export const catReleaseBlock = table('cat_release_block', {
  about: 'Releases that the operator blocked, and why.',
  rank: null,
  columns: { app_id: identifier(), release_digest: digest(), reason: name(256), blocked_by: name(64), blocked_at: born() },
  primary: ['app_id', 'release_digest'],
});

/** cat:BUN-21: written once. */
export const catComponentOwner = table('cat_component_owner', {
  about: 'Which App owns a component.',
  rank: null,
  columns: { component_id: digest(), app_id: identifier() },
  primary: ['component_id'],
});

/** cat:A-21: written once. */
export const catCapabilityOwner = table('cat_capability_owner', {
  about: 'Which App provides a capability.',
  rank: null,
  columns: { capability_id: identifier(), app_id: identifier() },
  primary: ['capability_id'],
});

const slot = { app_id: identifier(), local_component_key: name(71) };

/** cat:SLOT-22: the declaration that a slot has for its life. */
export const catSlotReservation = table('cat_slot_reservation', {
  about: 'The declaration of every layout slot.',
  rank: null,
  columns: { ...slot, declaration_component_id: digest(), namespace_id: identifier() },
  primary: ['app_id', 'local_component_key'],
});

/** cat:SLOT-23 */
export const catSlotRevision = table('cat_slot_revision', {
  about: 'The definition versions of every layout slot.',
  rank: null,
  columns: {
    ...slot,
    definition_version: int(),
    revision_digest: digest(),
    target_component_id: digest(),
    previous_target_component_id: nullable(digest()),
  },
  primary: ['app_id', 'local_component_key', 'definition_version'],
});

/** cat:SLOT-24, cat:SLOT-33: advanced by a CAS on version and digest. */
export const catSlotHead = table('cat_slot_head', {
  about: 'The latest definition version of every layout slot.',
  rank: 'slot-head',
  columns: { ...slot, head_definition_version: int(), head_revision_digest: digest() },
  primary: ['app_id', 'local_component_key'],
});

/** cat:SLOT-25 */
export const catSlotReleaseVersion = table('cat_slot_release_version', {
  about: 'Which definition version of a layout slot a release carries.',
  rank: null,
  columns: { app_id: identifier(), release_digest: digest(), local_component_key: name(71), definition_version: int() },
  primary: ['app_id', 'release_digest', 'local_component_key'],
});
