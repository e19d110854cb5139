import { writePaths } from '@connector/kernel/paths';
import { AUDIT, REQUEST } from './steps';

/** A key and whether it may speak now, by the database's clock. */
const KEY = ['read cat_publisher#clock', 'read cat_publisher_key?', 'read cat_key_revocation?'] as const;

/** One step of an App's ownership, with its event (cat:PUB-08, cat:PUB-09). */
const MOVE = ['update cat_app_ownership', 'insert cat_ownership_event'] as const;

/** What the publisher and App registry writes, statement by statement. */
export const registryPaths = writePaths({
  'register-publisher': {
    code: 'register-publisher',
    about: 'Register a publisher that the operator trusts, with the AppID prefixes that it may reserve under.',
    again: 'publisher id; the request key',
    steps: ['lock cat_publisher', ...REQUEST, 'insert cat_publisher?', 'insert cat_publisher_prefix?', 'read cat_publisher_prefix?', AUDIT],
  },
  'add-publisher-key': {
    code: 'add-publisher-key',
    about: 'Accept a signing key of a publisher, with its validity window.',
    again: 'key id; the request key',
    steps: ['lock cat_publisher', ...REQUEST, 'insert cat_publisher_key', 'read cat_publisher_key?', 'read cat_key_revocation?', AUDIT],
  },
  'revoke-publisher-key': {
    code: 'revoke-publisher-key',
    about: 'Let a signing key sign nothing any more; releases that it signed stay as they are.',
    again: 'key id; the request key',
    steps: ['lock cat_publisher', ...REQUEST, 'read cat_publisher_key', 'read cat_key_revocation?', 'insert cat_key_revocation?', AUDIT],
  },
  'register-release': {
    code: 'register-release',
    about: 'Register a signed release of an App, with its reservation, owners and slots.',
    again: 'release digest; the request key',
    steps: [
      'lock cat_publisher',
      ...REQUEST,
      'read cat_release_dependency?',
      'lock cat_app_ownership',
      'read cat_app_release',
      ...KEY,
      'read cat_publisher_prefix#granted?',
      'read cat_app_release#graph?',
      'read cat_component_owner?',
      'read cat_capability_owner?',
      'lock cat_slot_head?',
      'read cat_slot_reservation?',
      'read cat_slot_revision?',
      'insert cat_app?',
      'insert cat_app_ownership?',
      'insert cat_ownership_event?',
      'insert cat_metadata_bundle',
      'insert cat_app_release',
      'insert cat_release_dependency?',
      'insert cat_component_owner?',
      'insert cat_capability_owner?',
      'insert cat_slot_reservation?',
      'insert cat_slot_revision?',
      'insert cat_slot_head?',
      'update cat_slot_head?',
      'insert cat_slot_release_version?',
      AUDIT,
    ],
  },
  'offer-transfer': {
    code: 'offer-transfer',
    about: 'Keep a transfer of an App that its owner signed; nothing moves until the operator accepts it.',
    again: 'digest of the statement; the request key',
    steps: ['lock cat_publisher', ...REQUEST, 'lock cat_app_ownership', ...KEY, 'insert cat_transfer_offer?', AUDIT],
  },
  'accept-transfer': {
    code: 'accept-transfer',
    about: 'Move an App to the publisher that a signed offer names, under the next ownership epoch.',
    again: 'app id and ownership epoch; the request key',
    steps: [
      'read cat_transfer_offer',
      'lock cat_publisher',
      ...REQUEST,
      'lock cat_app_ownership',
      'read cat_publisher_key',
      'read cat_key_revocation',
      ...MOVE,
      AUDIT,
    ],
  },
  'recover-app': {
    code: 'recover-app',
    about: 'Move an App whose owner lost its keys, on the operator’s word alone, under the next ownership epoch.',
    again: 'app id and ownership epoch; the request key',
    steps: ['lock cat_publisher', ...REQUEST, 'lock cat_app_ownership', ...MOVE, AUDIT],
  },
  'block-release': {
    code: 'block-release',
    about: 'Let no new candidate take a release; what is active stays.',
    again: 'app id and release digest; the request key',
    steps: ['lock cat_app_ownership', ...REQUEST, 'read cat_app_release#blocked', 'insert cat_release_block?', AUDIT],
  },
});
