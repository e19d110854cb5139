/**
 * block-release: no new candidate may take a release
 *
 * why     A bad release is never deleted: it fails the check of trust for new candidates, and what is active changes by a transition (cat:A-39).
 * paths   block-release
 * locks   the App: whoever judges one of its releases under that lock has committed, or sees the block
 * fence   the primary key; the first block stands
 * again   The request key; app id and release digest.
 */
import type { Digest } from '@connector/kernel/digest';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catAppRelease, catReleaseBlock } from '@connector/schema/catalog/registry';
import { lockApps } from '../../fences/app';
import { audit } from '../../fences/audit';
import { keepRequest, recallRequest } from '../../fences/request';
import type { AppId } from '../../model/identifier';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';

export interface BlockRelease {
  readonly appId: AppId;
  readonly releaseDigest: Digest;
  /** At most 256 bytes, for people. */
  readonly reason: string;
}
export interface BlockedRelease {
  readonly kind: 'blocked' | 'already-blocked' | 'unknown-release';
  readonly appId: AppId;
  readonly releaseDigest: Digest;
}

const RELEASE = readRows(catAppRelease, ['semantic_version'], 'WHERE app_id = :app_id AND release_digest = :release_digest', 'blocked');

export function blockRelease(db: Db, { appId, releaseDigest, reason }: BlockRelease, request: RequestKey): Promise<BlockedRelease> {
  const key = { app_id: appId, release_digest: releaseDigest };
  return db.fenced(catalogDoors['block-release'], async (tx) => {
    await lockApps(tx, [appId]);
    const before = await recallRequest<BlockedRelease>(tx, request);
    if (before !== undefined) return before;
    const [release] = await tx.read(RELEASE, key);
    if (release === undefined) return { kind: 'unknown-release', appId, releaseDigest };
    const made = await tx.insertNew(catReleaseBlock, { ...key, reason, blocked_by: request.caller });
    if (made !== 'inserted') return { kind: 'already-blocked', appId, releaseDigest };
    const details = { release_digest: releaseDigest, version: release.semantic_version, reason };
    await audit(tx, { caller: request.caller, subject: appId, details });
    return keepRequest(tx, request, { kind: 'blocked', appId, releaseDigest });
  });
}
