import { bindingView } from '@connector/catalog/model/documents';
import { by, doubles, fresh, type Commit } from './invariant';
import type { Rows } from './rows';

type Revision = Rows['revisions'][number];
const revisionKey = ({ organization_id, lineage_id, catalog_revision }: Revision): string =>
  `${organization_id} ${lineage_id} ${catalog_revision}`;
interface OfWorkload {
  readonly organization_id: string;
  readonly app_installation_id: string;
  readonly authorized_workload_id: string;
}
const workloadKey = (row: OfWorkload): string => `${row.organization_id} ${row.app_installation_id} ${row.authorized_workload_id}`;

/** The head of an organization rises by one a commit that changes what serves, and each has its row. */
export function revisionsRise({ before, after }: Commit): readonly string[] {
  const heads = by(before.lineages, ({ organization_id }) => organization_id);
  const taken = fresh(before.revisions, after.revisions, revisionKey);
  const steps = after.lineages.flatMap((lineage) => {
    const from = heads.get(lineage.organization_id)?.catalog_revision ?? 0n;
    const rows = taken.filter(({ organization_id }) => organization_id === lineage.organization_id);
    const isNext = lineage.catalog_revision - from === BigInt(rows.length) && rows.length <= 1;
    return isNext ? [] : [`${lineage.organization_id} went from ${from} to ${lineage.catalog_revision} with ${rows.length} revision rows`];
  });
  return [...steps, ...doubles(after.revisions.map(revisionKey)).map((key) => `revision ${key} twice`)];
}

/** What serves a workload of an ACTIVE installation is exactly what it is wanted to use, and the pointer names a view that stands. */
export function viewsAreWanted({ after }: Commit): readonly string[] {
  const heads = by(after.memberships, workloadKey);
  const serving = after.pointers.filter((pointer) => after.installations.some((one) => isOf(one, pointer)));
  return serving.flatMap((pointer) => {
    const key = workloadKey(pointer);
    const view = after.views.find((one) => workloadKey(one) === key && one.catalog_revision === pointer.catalog_revision);
    if (view === undefined) return [`${key} is pointed at a view that is not there`];
    const { lineage, bindings } = bindingView.parse(Buffer.from(view.view, 'utf8')).value;
    const head = heads.get(key);
    const wanted = after.authorized.filter((row) => workloadKey(row) === key && row.catalog_revision === head?.catalog_revision);
    const served = bindings.map(({ business_key }) => business_key);
    return [
      ...(BigInt(lineage.catalog_revision) === pointer.catalog_revision ? [] : [`${key} serves a view that names another revision`]),
      ...(served.join() === wanted.map(({ business_key }) => business_key).join()
        ? []
        : [`${key} serves ${served.join()} and is wanted others`]),
    ];
  });
}

function isOf(installation: Rows['installations'][number], pointer: Rows['pointers'][number]): boolean {
  const { organization_id, app_installation_id, active_attempt, activation_epoch } = installation;
  const same = organization_id === pointer.organization_id && app_installation_id === pointer.app_installation_id;
  return same && active_attempt !== null && activation_epoch === pointer.activation_epoch;
}

/** What a membership authorized and what a view said stays as it was (cat:INT-13). */
export function kept({ before, after }: Commit): readonly string[] {
  const authorized = new Set(after.authorized.map((row) => `${workloadKey(row)} ${row.catalog_revision} ${row.business_key}`));
  const views = by(after.views, (row) => `${workloadKey(row)} ${row.catalog_revision}`);
  return [
    ...before.authorized
      .map((row) => `${workloadKey(row)} ${row.catalog_revision} ${row.business_key}`)
      .filter((key) => !authorized.has(key))
      .map((key) => `${key} is authorized no more`),
    ...before.views
      .filter((row) => views.get(`${workloadKey(row)} ${row.catalog_revision}`)?.view_digest !== row.view_digest)
      .map((row) => `the view ${workloadKey(row)} ${row.catalog_revision} is another one`),
  ];
}
