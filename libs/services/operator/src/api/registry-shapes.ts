import { closed, DECIMAL, DIGEST, oneOf, type Shape } from '@connector/kernel/document-shape';
import { BOOLEAN, INSTANT, orNull, some, STRING } from './shapes';

/** What the operator answers about publishers, Apps and releases. */
const BASE64 = STRING;
const pageOf = <T>(row: Parameters<typeof some<T>>[0]) => closed({ rows: some(row), next: orNull(STRING) });

const PUBLISHER = { publisher_id: STRING, registered_at: INSTANT };
export const PUBLISHERS = pageOf(closed(PUBLISHER));
export const PUBLISHER_DETAIL = closed({
  ...PUBLISHER,
  app_prefixes: some(STRING),
  keys: some(
    closed({
      ...{ key_id: STRING, valid_from: INSTANT, valid_until: orNull(INSTANT), added_at: INSTANT },
      ...{ revoked_at: orNull(INSTANT), reason: orNull(STRING) },
    }),
  ),
  /** The 100 newest keys are shown; whether there are others, which their ids name. */
  more: BOOLEAN,
});
export const PUBLISHER_ADDED = closed({
  kind: oneOf('registered', 'already-registered'),
  ...{ publisher_id: STRING, app_prefixes: some(STRING) },
});
export const KEY_ADDED = closed({ kind: oneOf('added', 'already-added'), key_id: STRING });
export const KEY_REVOKED = closed({ kind: oneOf('revoked', 'already-revoked'), key_id: STRING });

const APP = { app_id: STRING, publisher_id: STRING, ownership_epoch: DECIMAL };
export const APPS = pageOf(closed(APP));
export const APP_DETAIL = closed({
  ...APP,
  events: some(
    closed({
      ...{ ownership_epoch: DECIMAL, kind: STRING, old_publisher_id: orNull(STRING), new_publisher_id: STRING },
      ...{ accepted_by: STRING, at: INSTANT },
    }),
  ),
  /** Those that can be accepted now. */
  offers: some(closed({ transfer_id: DIGEST, new_publisher_id: STRING, offered_at: INSTANT })),
  releases: some(closed({ semantic_version: STRING, release_digest: DIGEST, publisher_id: STRING, registered_at: INSTANT })),
  /** Of each list at most 100 are shown; whether there are others. */
  more: closed({ events: BOOLEAN, offers: BOOLEAN, releases: BOOLEAN }),
});
export const TRANSFER_OFFERED = closed({
  kind: oneOf('offered', 'already-offered'),
  ...{ app_id: STRING, transfer_id: DIGEST, new_publisher_id: STRING, expected_ownership_epoch: DECIMAL },
});
const MOVED = { app_id: STRING, old_publisher_id: STRING, publisher_id: STRING, ownership_epoch: DECIMAL };
export const TRANSFERRED = closed({ kind: oneOf('transferred'), ...MOVED });
export const RECOVERED = closed({ kind: oneOf('recovered'), ...MOVED });

export const BLOB_STORED = closed({ kind: oneOf('stored', 'already-stored') });
const RELEASE = { app_id: STRING, semantic_version: STRING, release_digest: DIGEST, bundle_digest: DIGEST };
const REGISTERED = { ...RELEASE, publisher_id: STRING, ownership_epoch: DECIMAL };
export const RELEASE_PUBLISHED = closed({ kind: oneOf('registered', 'already-registered'), ...REGISTERED });
/** The very bytes, so that whoever compares compares what was registered. */
export const RELEASE_DETAIL = closed({
  ...REGISTERED,
  ...{ key_id: STRING, registered_at: INSTANT, blocked: orNull(closed({ reason: STRING, blocked_at: INSTANT })) },
  ...{ manifest_base64: BASE64, bundle_base64: BASE64, attestation_base64: BASE64, signature_base64: BASE64 },
});

const DETAILS: Shape<Readonly<Record<string, unknown>>> = { schema: { type: 'object' } };
/** Latest first; `caller` is the role that asked and, where a person did, who. */
export const AUDIT = pageOf(closed({ door: STRING, caller: STRING, at: INSTANT, details: DETAILS }));
