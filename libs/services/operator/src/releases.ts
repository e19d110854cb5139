import { AppId } from '@connector/catalog/model/identifier';
import { readBundle, readRelease, readTrust, readVersion } from '@connector/catalog/reads/releases';
import { Digest } from '@connector/kernel/digest';
import { argument, invariant } from '@connector/kernel/faults';
import type { Db } from '@connector/platform/db/db';
import { BLOB_STORED, RELEASE_DETAIL, RELEASE_PUBLISHED } from './api/registry-shapes';
import { askCatalog } from './ask-catalog';
import type { OwnerClient } from './owner-client';
import { askingIn, type BlobBody, type PublishReleaseBody } from './registry-bodies';
import { RowProblem } from './row-problem';
import { shownAs } from './shown';

const detail = shownAs(RELEASE_DETAIL);
const stored = shownAs(BLOB_STORED);
const registered = shownAs(RELEASE_PUBLISHED);

/** Releases as their publishers send them: signed elsewhere, judged by the catalog. */
export class Releases {
  constructor(
    private readonly db: Db,
    private readonly catalog: OwnerClient,
  ) {}

  /** By its digest, or by the version that leads to one (cat:MAN-04). */
  async get(app: string, text: string) {
    const appId = argument('app_id', AppId, app);
    const digest = text.startsWith('sha256:') ? argument('app_release_digest', Digest, text) : await readVersion(this.db, appId, text);
    const release = digest && (await readRelease(this.db, appId, digest));
    if (release === undefined) {
      throw new RowProblem('NotFound', { detail: `${app} has no release ${text}.`, nextSteps: [`connector apps get ${app}`] });
    }
    const bundleBytes = await readBundle(this.db, release.bundleDigest);
    invariant(bundleBytes !== undefined, 'HOUSE:operator:BundleAbsent', `the bundle of ${release.releaseDigest} is not there`);
    const { blocked = null } = await readTrust(this.db, release);
    return detail({ ...release, blocked, bundleBytes });
  }

  putBlob({ content_digest: digest, component_kind, component_format_version, raw_sha256, bytes_base64 }: BlobBody) {
    const at = `/v1/blobs/sha256/${argument('content_digest', Digest, digest).slice('sha256:'.length)}`;
    const body = { component_kind, component_format_version, raw_sha256, bytes_base64 };
    return askCatalog(this.catalog, { method: 'PUT', at, body, asking: { idempotencyKey: digest } }, stored);
  }

  publish({ manifest_base64, bundle_base64, statement_base64, signature_base64, ...keyed }: PublishReleaseBody) {
    const body = { manifest_base64, bundle_base64, attestation: { statement_base64, signature_base64 } };
    const asking = askingIn(keyed);
    return askCatalog(this.catalog, { method: 'POST', at: '/v1/app-releases', body, asking }, registered, 'ReleaseFaulty');
  }
}
