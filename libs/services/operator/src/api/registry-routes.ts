import {
  AcceptBody,
  AddKeyBody,
  AddPublisherBody,
  BlobBody,
  OfferTransferBody,
  PageQuery,
  PlanAcceptBody,
  PlanRecoverBody,
  PlanRevokeKeyBody,
  PublishReleaseBody,
  RecoverBody,
  RevokeKeyBody,
} from '../registry-bodies';
import { PLANNED } from './answers';
import { acts, reads } from './operation';
import {
  APP_DETAIL,
  APPS,
  AUDIT,
  BLOB_STORED,
  KEY_ADDED,
  KEY_REVOKED,
  PUBLISHER_ADDED,
  PUBLISHER_DETAIL,
  PUBLISHERS,
  RECOVERED,
  RELEASE_DETAIL,
  RELEASE_PUBLISHED,
  TRANSFER_OFFERED,
  TRANSFERRED,
} from './registry-shapes';

const WRITES = ['NotFound', 'CatalogRefused', 'CatalogUnavailable', 'OutcomeUnknown'] as const;
const CONFIRMS = [...WRITES, 'PlanUnknown'] as const;
const role = 'publisher';
const DOES_PLAN = 'carries out exactly the plan of the digest';

/** Publishers, Apps and releases: what the registry of the catalog holds (catalog.md B.3). */
export const PUBLISHER_ACTS = {
  list: reads('publishers.list', 'publishers', 'publishers by id; `next` goes back as `after`', PUBLISHERS, { query: PageQuery }),
  get: reads('publishers.get', 'publishers/:id', 'one publisher: prefixes, keys and their windows', PUBLISHER_DETAIL, {
    refuses: ['NotFound'],
  }),
  add: acts('publishers.add', 'publishers', 'trusts a publisher', PUBLISHER_ADDED, { body: AddPublisherBody, refuses: WRITES }),
  addKey: acts('publishers.add-key', 'publishers/add-key', 'accepts a key of a publisher for a time', KEY_ADDED, {
    body: AddKeyBody,
    refuses: WRITES,
  }),
  planRevokeKey: acts('publishers.plan-revoke-key', 'publishers/plan-revoke-key', 'what a revocation would do', PLANNED, {
    body: PlanRevokeKeyBody,
    refuses: ['NotFound', 'CatalogRefused'],
  }),
  revokeKey: acts('publishers.revoke-key', 'publishers/revoke-key', DOES_PLAN, KEY_REVOKED, { body: RevokeKeyBody, refuses: CONFIRMS }),
};

export const APP_ACTS = {
  list: reads('apps.list', 'apps', 'reserved Apps by id; `next` goes back as `after`', APPS, { query: PageQuery }),
  get: reads('apps.get', 'apps/:id', 'one App: owner, how it came to be, offers and releases', APP_DETAIL, { refuses: ['NotFound'] }),
  transfer: acts('apps.transfer', 'apps/transfer', 'keeps what the owner signed; nothing moves by it', TRANSFER_OFFERED, {
    ...{ role, body: OfferTransferBody, refuses: WRITES },
  }),
  planAccept: acts('apps.plan-accept', 'apps/plan-accept', 'what accepting an offer would do', PLANNED, {
    body: PlanAcceptBody,
    refuses: ['NotFound', 'CatalogRefused'],
  }),
  accept: acts('apps.accept', 'apps/accept', DOES_PLAN, TRANSFERRED, { body: AcceptBody, refuses: CONFIRMS }),
  planRecover: acts('apps.plan-recover', 'apps/plan-recover', 'what a recovery would do', PLANNED, {
    body: PlanRecoverBody,
    refuses: ['NotFound', 'CatalogRefused'],
  }),
  recover: acts('apps.recover', 'apps/recover', DOES_PLAN, RECOVERED, { body: RecoverBody, refuses: CONFIRMS }),
};

export const RELEASE_ACTS = {
  get: reads('releases.get', 'releases/:app/:release', 'one release by its digest or its version, byte for byte', RELEASE_DETAIL, {
    refuses: ['NotFound'],
  }),
  putBlob: acts('releases.put-blob', 'releases/blobs', 'keeps behavior bytes under their content digest', BLOB_STORED, {
    ...{ role, body: BlobBody, refuses: WRITES },
  }),
  publish: acts('releases.publish', 'releases', 'registers a signed release; the same bytes again are the same one', RELEASE_PUBLISHED, {
    ...{ role, body: PublishReleaseBody, refuses: [...WRITES, 'ReleaseFaulty', 'ReleaseVersionTaken'] },
  }),
};

export const AUDIT_ACTS = {
  list: reads(
    'audit.list',
    'audit/:subject',
    'what the catalog did about an App, a publisher, an organization or an installation, and the pack registry for an organization',
    AUDIT,
    { query: PageQuery, refuses: ['NotFound'] },
  ),
};
