import { bindingView } from '@connector/catalog/model/documents';
import { type CurrentView, readCurrentView, type ViewScope } from '@connector/catalog/reads/current-view';
import { listBindings } from '@connector/catalog/reads/installation-list';
import { readCatalogRevision } from '@connector/catalog/reads/publication';
import type { Db } from '@connector/platform/db/db';
import { BINDINGS, MEMBERSHIP, MEMBERSHIP_SET } from './api/installs-shapes';
import { movedFrom, refusalOf } from './catalog-refusals';
import { requireInstallation } from './installs';
import type { BindingsQuery, MembershipBody } from './installs-bodies';
import type { OwnerClient } from './owner-client';
import { askingIn } from './registry-bodies';
import { RowProblem } from './row-problem';
import { shownAs } from './shown';

const bindings = shownAs(BINDINGS);
const shownView = shownAs(MEMBERSHIP);
const set = shownAs(MEMBERSHIP_SET);

/** What serves in an installation: handler and frontend bindings, and the view of each workload. */
export class Views {
  constructor(
    private readonly db: Db,
    private readonly catalog: OwnerClient,
  ) {}

  async bindings(organization: string, installation: string, { limit, after }: BindingsQuery) {
    const page = await listBindings(this.db, { organization, installation }, limit, after);
    if (page.rows.length === 0) await requireInstallation(this.db, organization, installation);
    return bindings(page);
  }

  /** With the revision of the organization, which a change of the membership has to name. */
  async show(scope: ViewScope) {
    const revision = await readCatalogRevision(this.db, scope.organization);
    const current = await readCurrentView(this.db, scope, 0n);
    if (current.kind !== 'found') throw noView(scope, current, revision);
    const { viewBytes, viewDigest, sourceSnapshotDigest, receiptDigest, lineage } = current;
    const view = bindingView.parse(viewBytes).value;
    return shownView({ ...scope, catalogRevision: revision, viewDigest, sourceSnapshotDigest, receiptDigest, lineage, view });
  }

  async set({ organization, installation, workload, expected_catalog_revision, bindings: wanted, ...keyed }: MembershipBody) {
    const at = `/v1/orgs/${encodeURIComponent(organization)}/app-installations/${encodeURIComponent(installation)}/integration-bindings`;
    const asked = { workload, expected_catalog_revision, bindings: wanted };
    const answer = await this.catalog.keyed('PUT', at, asked, askingIn(keyed));
    if (answer.status < 300) return set(Object.fromEntries(answer.body));
    const look = `connector membership show ${installation} --organization ${organization} --workload ${workload}`;
    if (answer.kind === 'revision-moved') throw movedFrom({ catalog_revision: expected_catalog_revision }, answer, look);
    throw refusalOf(answer, 'MembershipFaulty');
  }
}

function noView({ organization, installation, workload }: ViewScope, { kind, ...why }: CurrentView, revision: bigint): RowProblem {
  const code = 'code' in why ? why.code : kind;
  const detail = `${workload} has no view in ${installation}: ${code}. ${organization} is at catalog revision ${revision}.`;
  const nextSteps =
    code === 'INSTALLATION_NOT_ACTIVE'
      ? [`connector installs list --organization ${organization}`]
      : [
          `connector installs get ${installation} --organization ${organization}, which says whom it grants what; a membership grants nothing`,
        ];
  return new RowProblem('NotFound', { detail, nextSteps });
}
