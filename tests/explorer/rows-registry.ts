import { readRows } from '@connector/kernel/statement';
import {
  catApp,
  catAppOwnership,
  catAppRelease,
  catOwnershipEvent,
  catPublisher,
  catPublisherKey,
  catPublisherPrefix,
  catReleaseBlock,
  catSlotHead,
  catSlotReservation,
  catSlotRevision,
  catTransferOffer,
} from '@connector/schema/catalog/registry';

const OF_APP = 'WHERE app_id IN (:app_id) LIMIT 1000';
const OF_PUBLISHER = 'WHERE publisher_id IN (:publisher_id) LIMIT 1000';

/** The rows of an App in the registry. */
export const APP_READS = {
  apps: readRows(catApp, ['app_id', 'first_publisher_id'], OF_APP),
  owners: readRows(catAppOwnership, ['app_id', 'publisher_id', 'ownership_epoch'], OF_APP),
  ownerships: readRows(
    catOwnershipEvent,
    ['app_id', 'ownership_epoch', 'kind', 'old_publisher_id', 'new_publisher_id', 'accepted_by'],
    OF_APP,
  ),
  offers: readRows(catTransferOffer, ['app_id', 'statement_digest', 'new_publisher_id', 'ownership_epoch'], OF_APP),
  releases: readRows(
    catAppRelease,
    ['app_id', 'release_digest', 'semantic_version', 'bundle_digest', 'publisher_id', 'ownership_epoch', 'key_id'],
    OF_APP,
  ),
  blocks: readRows(catReleaseBlock, ['app_id', 'release_digest', 'reason'], OF_APP),
  slots: readRows(catSlotReservation, ['app_id', 'local_component_key', 'declaration_component_id', 'namespace_id'], OF_APP),
  slotRevisions: readRows(
    catSlotRevision,
    ['app_id', 'local_component_key', 'definition_version', 'revision_digest', 'target_component_id', 'previous_target_component_id'],
    OF_APP,
  ),
  slotHeads: readRows(catSlotHead, ['app_id', 'local_component_key', 'head_definition_version', 'head_revision_digest'], OF_APP),
} as const;

/** Who is trusted. */
export const PUBLISHER_READS = {
  publishers: readRows(catPublisher, ['publisher_id'], OF_PUBLISHER),
  prefixes: readRows(catPublisherPrefix, ['publisher_id', 'app_prefix'], OF_PUBLISHER),
  signingKeys: readRows(catPublisherKey, ['key_id', 'publisher_id', 'valid_from', 'valid_until'], OF_PUBLISHER),
} as const;
