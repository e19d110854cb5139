import { CLAUSE, early, EARLY, FENCE, ignored, LOCK, type Mutant, plant, replaced, SWALLOWED, unlocked } from './mutant';

const PUBLISHER = unlocked('cat_publisher');
const OWNERSHIP = unlocked('cat_app_ownership');
const HEAD = unlocked('cat_slot_head');
const SAME_EPOCH = replaced('update cat_app_ownership', 'ownership_epoch = ?\n', 'ownership_epoch = ownership_epoch + 0 * ?\n');
const ANY_OWNER = replaced(
  'update cat_app_ownership',
  'AND publisher_id = ? AND ownership_epoch = ?',
  'AND (publisher_id = ? OR ownership_epoch = ? OR TRUE)',
);

/** Registrations stand behind two rows, so each lock is taken away with the one before it. */
export const REGISTRY_MUTANTS: readonly Mutant[] = [
  plant('put-blob', SWALLOWED, 'put blob | put blob', 'put-blob', ignored('art_blob')),
  plant(
    'register-publisher',
    SWALLOWED,
    'register publisher | register publisher, other prefixes',
    'register-publisher',
    ignored('cat_publisher'),
  ),
  plant('add-publisher-key', SWALLOWED, 'add key | add key, other window', 'add-publisher-key', ignored('cat_publisher_key')),
  plant('revoke-publisher-key', LOCK, 'revoke key | register', 'revoke-publisher-key', PUBLISHER),
  plant('register-release', LOCK, 'register | register other bytes', 'register-release', PUBLISHER, OWNERSHIP),
  plant('register-release', LOCK, 'register | register, one request', 'register-release', PUBLISHER),
  plant('register-release', EARLY, 'transfer | register', 'register-release', early('cat_app_ownership'), PUBLISHER),
  plant('register-release', SWALLOWED, 'register | register, two publishers', 'register-release', ignored('cat_app')),
  plant('register-release', LOCK, 'slot CAS | slot CAS', 'register-release', PUBLISHER, OWNERSHIP, HEAD),
  plant(
    'register-release',
    FENCE,
    'slot CAS | slot CAS',
    'register-release',
    replaced('update cat_slot_head', 'SET head_definition_version = ?', 'SET head_definition_version = head_definition_version + 0 * ?'),
  ),
  plant('offer-transfer', LOCK, 'offer | transfer', 'offer-transfer', PUBLISHER, OWNERSHIP),
  plant('accept-transfer', LOCK, 'transfer | recover', 'accept-transfer', PUBLISHER, OWNERSHIP),
  plant('accept-transfer', FENCE, 'transfer | recover', 'accept-transfer', SAME_EPOCH),
  plant('accept-transfer', CLAUSE, 'transfer | recover', 'accept-transfer', PUBLISHER, OWNERSHIP, ANY_OWNER),
  plant('recover-app', LOCK, 'transfer | recover', 'recover-app', PUBLISHER, OWNERSHIP),
  plant('block-release', SWALLOWED, 'block | block', 'block-release', ignored('cat_release_block')),
];
