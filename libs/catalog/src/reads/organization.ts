import { bytes, digest } from '@connector/kernel/column';
import type { Digest } from '@connector/kernel/digest';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catCandidate, catInstallation, catNamespaceClaim } from '@connector/schema/catalog/installations';
import { candidateDocument } from '../model/installation/candidate';
import type { ActiveApp } from '../model/installation/check-dependencies';
import { eachLiveOnce } from '../model/installation/live';
import type { NamespaceClaim } from '../model/installation/namespaces';

const LIVE_MAX = 1000;
const CLAIMS_MAX = 10_000;
const LIVE = readRows(
  catInstallation,
  ['app_installation_id', 'live_app_id'],
  `WHERE organization_id = :organization_id AND live_app_id IS NOT NULL LIMIT ${LIVE_MAX}`,
  'seen-live',
);
const SERVING = readQuery(
  catCandidate,
  { active_release_digest: digest(), document: bytes(1_000_000) },
  `SELECT i.active_release_digest, c.document
     FROM ${catInstallation.name} i
     JOIN ${catCandidate.name} c
       ON c.organization_id = i.organization_id AND c.app_installation_id = i.app_installation_id AND c.attempt = i.active_attempt
    WHERE i.organization_id = :organization_id AND i.live_app_id IS NOT NULL LIMIT ${LIVE_MAX}`,
  'seen-active',
);
const CLAIMS = readRows(
  catNamespaceClaim,
  ['namespace_id', 'app_installation_id'],
  `WHERE organization_id = :organization_id AND open_namespace_id IS NOT NULL LIMIT ${CLAIMS_MAX}`,
  'seen-open',
);

export interface SeenLive {
  readonly installation: string;
  readonly appId: string;
}

/** What lives in an organization now. DefectFault `HOUSE:catalog:LiveTwice` where an App does so twice (cat:INST-11). */
export async function readLive(db: Db, organization: string): Promise<readonly SeenLive[]> {
  const live = await db.read(LIVE, { organization_id: organization });
  return eachLiveOnce(live.map((row) => ({ installation: row.app_installation_id, appId: row.live_app_id ?? '' })));
}

/** What lives in an organization, for whoever plans. Nothing holds it still: the door of an installation reads it again under the lineage. */
export interface SeenOrganization {
  readonly live: readonly SeenLive[];
  readonly active: readonly ActiveApp[];
  readonly claims: readonly NamespaceClaim[];
  readonly resolved: readonly ResolvedTo[];
}
/** A live installation is resolved to a release of an App (cat:A-36). */
export interface ResolvedTo {
  readonly installation: string;
  readonly appId: string;
  readonly pinned: Digest;
}

export async function readSeenOrganization(db: Db, organization: string): Promise<SeenOrganization> {
  const key = { organization_id: organization };
  const [live, serving, claims] = await Promise.all([readLive(db, organization), db.read(SERVING, key), db.read(CLAIMS, key)]);
  const candidates = serving.map((row) => ({ release: row.active_release_digest, ...candidateDocument.parse(row.document).value }));
  return {
    live,
    active: candidates.map(({ release, app_id: appId, dependencies }) => ({
      ...{ appId, appReleaseDigest: release, dependsOn: dependencies.map((one) => one.app_id) },
    })),
    resolved: candidates.flatMap(({ app_installation_id: installation, dependencies }) =>
      dependencies.map(({ app_id: appId, app_release_digest: pinned }) => ({ installation, appId, pinned })),
    ),
    claims: claims.map((row) => ({ namespaceId: row.namespace_id, installation: row.app_installation_id })),
  };
}
