import { BINDING_KIND, closed, COUNT, DIGEST, oneOf } from '@connector/kernel/document-shape';
import { EpochId } from '@connector/kernel/ids';
import type { PackManifest } from '@connector/packs/model/documents';
import { idOf, INSTANT, orNull, shapeOf, some, STRING } from './shapes';

/** What the operator answers about pack generations. */
const GENERATION = { owner_pack: STRING, pack_version: STRING, payload_digest: DIGEST, storage_id: STRING };
const ROW = { ...GENERATION, registered_at: INSTANT };
export const PACKS = closed({ rows: some(closed(ROW)), next: orNull(STRING) });

const MANIFEST = shapeOf<PackManifest>()(
  closed({
    schema_version: oneOf('nexuscrm.connector-pack/v1'),
    ...{ owner_pack: STRING, pack_version: STRING },
    definitions: some(
      closed({ kind: BINDING_KIND, business_key: STRING, definition_version: STRING, canonical_definition_digest: DIGEST }),
    ),
    extensions: some(closed({ name: STRING, raw_sha256: DIGEST, byte_length: COUNT })),
  }),
);
export const PACK_DETAIL = closed({
  ...ROW,
  manifest: MANIFEST,
  installations: some(closed({ organization: STRING, pack_installation_id: STRING })),
  /** Epochs that rely on it, at most 20. */
  pinned_by: some(idOf(EpochId)),
});
export const PACK_PUBLISHED = closed({ kind: oneOf('registered', 'already-registered'), ...GENERATION, pack_installation_id: STRING });
