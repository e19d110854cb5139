import { name } from '@connector/kernel/column';
import { InputFault, RetryableFault } from '@connector/kernel/faults';
import { readQuery, readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catAppRelease, catReleaseDependency } from '@connector/schema/catalog/registry';
import { cycleThrough, type DependingRelease } from '../../model/dependency-cycle';
import { AppId } from '../../model/identifier';
import { storedManifest } from '../../model/stored-manifest';
import type { AppOwner } from '../../model/ownership-statements';
import type { AppRelease } from '../../model/release';
import { lockApps } from '../../fences/app';

/** Apps that one registration may reach, and releases of one of them that it may walk. */
const APPS_MAX = 1_000;
const RELEASES_MAX = 1_000;

const EDGES = readQuery(
  catReleaseDependency,
  { dependency_app_id: name(128) },
  `SELECT DISTINCT dependency_app_id FROM ${catReleaseDependency.name} WHERE app_id IN (:app_id) LIMIT ${APPS_MAX + 1}`,
);
const RELEASES = readRows(
  catAppRelease,
  ['app_id', 'semantic_version', 'manifest'],
  `WHERE app_id = :app_id LIMIT ${RELEASES_MAX + 1}`,
  'graph',
);

function tooLarge(): InputFault {
  return new InputFault('CATALOG:DEPENDENCY_GRAPH', `a release reaches at most ${APPS_MAX} Apps of at most ${RELEASES_MAX} releases each`);
}

export interface Ground {
  /** The owner of the App itself; undefined where nobody has reserved it. */
  readonly owner: AppOwner | undefined;
  /** Every App that the release can reach over what is registered. */
  readonly reached: readonly AppId[];
}

/**
 * Locks the App and every App that its release can reach. Two registrations that close one cycle between them reach one another's Apps, so one
 * of them waits and then sees the other's release. RetryableFault where the graph grew before it was held. An App that nobody has reserved has no
 * row to meet on: two first releases of two publishers at one instant may both stand, and neither can be installed, since preparation asks for the
 * other as ACTIVE (cat:A-15).
 */
export async function holdGround(tx: FencedTx, { appId, manifest }: AppRelease): Promise<Ground> {
  const direct = manifest.dependencies.map((dependency) => dependency.app_id);
  const reached = await reach(tx, direct);
  const owners = await lockApps(tx, [...new Set([appId, ...reached])]);
  const now = reached.length === 0 ? reached : await reach(tx, direct);
  if (now.some((app) => !reached.includes(app)))
    throw new RetryableFault('HOUSE:catalog:GraphMoved', 'a release of a dependency was registered meanwhile');
  return { owner: owners.get(appId), reached };
}

async function reach(tx: FencedTx, from: readonly AppId[]): Promise<readonly AppId[]> {
  const reached = new Set(from);
  for (let frontier = [...reached]; frontier.length > 0;) {
    const found = (await tx.read(EDGES, { app_id: frontier })).map((row) => AppId.parse(row.dependency_app_id));
    frontier = [...new Set(found)].filter((app) => !reached.has(app));
    for (const app of frontier) reached.add(app);
    if (reached.size > APPS_MAX) throw tooLarge();
  }
  return [...reached];
}

/** The way on which the release would come back to itself. Its Apps are held, so what is registered stays as it is. */
export async function findCycle(tx: FencedTx, release: AppRelease, { reached }: Ground): Promise<readonly AppId[] | undefined> {
  if (!reached.includes(release.appId)) return undefined;
  const registered = new Map<AppId, readonly DependingRelease[]>();
  for (const app of reached) registered.set(app, await releasesOf(tx, app));
  const { appId, semanticVersion, manifest } = release;
  return cycleThrough({ appId, semanticVersion, dependencies: manifest.dependencies }, registered);
}

async function releasesOf(tx: FencedTx, appId: AppId): Promise<readonly DependingRelease[]> {
  const rows = await tx.read(RELEASES, { app_id: appId });
  if (rows.length > RELEASES_MAX) throw tooLarge();
  return rows.map((row) => ({ appId, semanticVersion: row.semantic_version, dependencies: storedManifest(row.manifest).dependencies }));
}
