import type { ComparedRelease } from '@connector/catalog/model/release-diff';
import { appReleaseDigest, metadataBundleDigest } from '@connector/catalog/model/release-digests';
import { storedBundle, storedManifest } from '@connector/catalog/model/stored-manifest';
import { CliFailure, EXIT } from '../exit';
import { type Members, textOf } from '../members';
import { checkLocalRelease, faultLines, type LocalRelease } from './local-release';

type Side = { readonly kind: 'local'; readonly local: LocalRelease } | { readonly kind: 'registered'; readonly shown: Members };

/** A release on one side of a comparison. A faulty folder is refused: what a release says that is none means nothing. */
export function comparedRelease(side: Side): ComparedRelease {
  if (side.kind === 'registered') return registered(side.shown);
  const check = checkLocalRelease(side.local);
  if (check.kind === 'release') return check.release;
  const { faults, more } = check;
  throw new CliFailure(EXIT.usage, faultLines(side.local, check), { errors: faults, errors_more: more });
}

/** Compared by what was registered, and only if it is what its digests say. */
function registered(shown: Members): ComparedRelease {
  const bytes = (name: string): Buffer => Buffer.from(textOf(shown[name]), 'base64');
  const [manifest, bundle] = [storedManifest(bytes('manifest_base64')), storedBundle(bytes('bundle_base64'))];
  const releaseDigest = appReleaseDigest(bytes('manifest_base64'));
  const whole =
    releaseDigest === shown['release_digest'] && metadataBundleDigest(bytes('bundle_base64')) === manifest.metadata_bundle_digest;
  if (!whole) throw new CliFailure(EXIT.failed, [`What came as ${textOf(shown['release_digest'])} has other digests.`]);
  return { releaseDigest, manifest, bundle };
}
