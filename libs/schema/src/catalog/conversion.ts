import { born, bytes, digest, id, name, nullable, word } from '@connector/kernel/column';
import { OperationId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';

const organization = () => name(64);
const identifier = () => name(128);

/**
 * cat:CONV-08, cat:A-38. Rows never change. The one that succeeded has its key, its App, its source and its installation; of a failed one they are
 * NULL, so that no unique key but the first knows it. An attempt that came to hold its source is named by that hold: whether it converts or gives up
 * is decided by whose row comes first.
 */
export const catConversion = table('cat_conversion', {
  about: 'The attempts to convert a legacy pack: the one that succeeded, and those that failed.',
  rank: null,
  columns: {
    organization_id: organization(),
    attempt_id: id(OperationId),
    pack_install_id: name(128),
    applied_payload_hash: digest(),
    app_id: identifier(),
    app_release_digest: digest(),
    conversion_key: nullable(digest()),
    converted_app_id: nullable(identifier()),
    converted_source: nullable(digest()),
    app_installation_id: nullable(name(64)),
    /** What was proven, or what was not. */
    entry: bytes(1_000_000),
    caller: name(64),
    at: born(),
  },
  primary: ['organization_id', 'attempt_id'],
  unique: {
    conversion: ['organization_id', 'conversion_key'],
    target: ['organization_id', 'converted_app_id'],
    source: ['organization_id', 'converted_source'],
  },
});

/** cat:COEX-05: born with the conversion, from the mapping that was signed; a reader goes by losing its open App, and none ever comes. */
export const catLegacyReader = table('cat_legacy_reader', {
  about: 'The deletion ledger: who still reads the frozen source of a converted pack, and for which capability.',
  rank: 'installation',
  columns: {
    organization_id: organization(),
    app_id: identifier(),
    reader_id: identifier(),
    kind: word(32),
    capability_id: identifier(),
    open_app_id: nullable(identifier()),
    named_at: born(),
  },
  primary: ['organization_id', 'app_id', 'reader_id'],
  index: { open: ['organization_id', 'open_app_id'] },
});

/** cat:COEX-13 */
export const catLegacyDeletion = table('cat_legacy_deletion', {
  about: 'Decisions to delete a converted pack, with the gates as they were passed.',
  rank: null,
  columns: { organization_id: organization(), app_id: identifier(), entry: bytes(262_144), decided_by: name(64), decided_at: born() },
  primary: ['organization_id', 'app_id'],
});
