import { readInstallation } from '@connector/catalog/reads/installation';
import { listInstallations } from '@connector/catalog/reads/installation-list';
import { readJournal } from '@connector/catalog/reads/journal';
import type { Db } from '@connector/platform/db/db';
import { U64_TEXT } from '@connector/platform/host/body';
import { BodyFault } from '@connector/platform/host/problem';
import { closed } from '@connector/kernel/document-shape';
import type { Admissions } from './admissions';
import { INSTALL_DETAIL, INSTALLS, JOURNAL, OPENED } from './api/installs-shapes';
import { actRefused, refusalOf } from './catalog-refusals';
import { installPlan, PREPARED } from './install-plan';
import type { InstallBody, InstallsQuery, PlanInstallBody, ResumeBody } from './installs-bodies';
import type { OwnerAnswer, OwnerClient } from './owner-client';
import { askingIn } from './registry-bodies';
import { planDigest, type PlannedAct } from './plan';
import { planOfDigest } from './registry-confirm';
import { RowProblem } from './row-problem';
import { shownAs } from './shown';

const prepared = shownAs(closed(PREPARED));
const page = shownAs(INSTALLS);
const detail = shownAs(INSTALL_DETAIL);
const journal = shownAs(JOURNAL);
const opened = shownAs(OPENED);
const placeOf = (organization: string): string => `/v1/orgs/${encodeURIComponent(organization)}/app-installations`;
const listOf = (organization: string): string => `connector installs list --organization ${organization}`;
const LOOK_AGAIN = 'connector installs plan <file> --organization <id>';

/** Installations as people see and plan them. What makes them is the catalog's, step by step under its journal. */
export class Installs {
  constructor(
    private readonly db: Db,
    private readonly catalog: OwnerClient,
    private readonly admissions: Admissions,
  ) {}

  async list({ organization, limit, after }: InstallsQuery) {
    return page(await listInstallations(this.db, organization, limit, after));
  }

  async get(organization: string, installation: string) {
    const found = await requireInstallation(this.db, organization, installation);
    const epoch = found.securityEpoch;
    return detail({ ...found, admission: epoch === null ? null : await this.admissions.of(organization, installation, epoch) });
  }

  async journal(organization: string, installation: string, from: string) {
    const found = await readJournal(this.db, organization, installation, counterOf(from));
    // Of an attempt that was refused there is a journal and no installation.
    if (found.entries.length === 0) await requireInstallation(this.db, organization, installation);
    return journal(found);
  }

  /** Every check together: what it would do, or all that would refuse it (decisions 12.11). */
  async plan({ organization, request }: PlanInstallBody): Promise<PlannedAct> {
    const answer = await this.catalog.ask('POST', `${placeOf(organization)}/plan`, request);
    if (answer.status >= 300) throw refusalOf(answer, 'PreparationFaulty', listOf(organization));
    const found = prepared(Object.fromEntries(answer.body));
    const { catalog_revision: catalogRevision, security_epoch: securityEpoch } = found;
    const plan = installPlan({ organization, request, catalogRevision, securityEpoch });
    const digest = planDigest(plan);
    const expected = `--expected-revision ${catalogRevision} --expected-security-epoch ${securityEpoch}`;
    return {
      ...{ plan, digest },
      estimate: {
        ...{ semantic_version: found.semantic_version, schema_generation: found.schema_generation, namespaces: [...found.namespaces] },
        handlers: found.handlers.map((one) => `${one.capability_id} by ${one.handler_ref}`),
      },
      confirm: `connector installs install <file> --organization ${organization} ${expected} --confirm ${digest}`,
    };
  }

  /** Exactly the plan of that digest, or nothing: the door compares what it expects under the lock, and knows its own commit by the key. */
  async install(body: InstallBody) {
    const { organization, request, expected_catalog_revision: catalogRevision, expected_security_epoch: securityEpoch } = body;
    planOfDigest(installPlan({ organization, request, catalogRevision, securityEpoch }), body.confirm, LOOK_AGAIN);
    const asked = { ...request, expected_catalog_revision: catalogRevision, expected_security_epoch: securityEpoch };
    const answer = await this.catalog.keyed('POST', placeOf(organization), asked, askingIn(body));
    const expected = { catalog_revision: catalogRevision, security_epoch: securityEpoch };
    return openedBy(answer, expected, listOf(organization), LOOK_AGAIN);
  }

  async resume({ organization, installation, expected_state, expected_activation_epoch, ...keyed }: ResumeBody) {
    const expected = { expected_state, expected_activation_epoch };
    if (expected_state === 'REMOVED') throw removedAlready(organization, installation);
    const at = `${placeOf(organization)}/${encodeURIComponent(installation)}/resume`;
    const answer = await this.catalog.keyed('POST', at, expected, askingIn(keyed));
    return openedBy(answer, expected, `connector installs get ${installation} --organization ${organization}`);
  }
}

/** The catalog moves nothing out of this state, and so is not asked. */
function removedAlready(organization: string, installation: string): RowProblem {
  const detail = 'The installation is REMOVED; from there it goes nowhere: the App is installed anew. Nothing was written.';
  const nextSteps = [`connector installs get ${installation} --organization ${organization}`];
  return new RowProblem('CatalogRefused', { detail, actual: { state: 'REMOVED' }, nextSteps });
}

/** NotFound where the organization has none of this id. */
export async function requireInstallation(db: Db, organization: string, installation: string) {
  const found = await readInstallation(db, organization, installation);
  if (found.kind === 'found') return found;
  throw new RowProblem('NotFound', {
    detail: `${organization} has no installation ${installation}.`,
    nextSteps: [listOf(organization)],
  });
}

/** However far an opened attempt came, it is told as an answer: its rows stand, so no refusal may say that nothing was written. */
export function openedBy(answer: OwnerAnswer, expected: object, look: string, again = look) {
  if (answer.kind === 'opened') return opened(Object.fromEntries(answer.body));
  throw actRefused(answer, expected, look, again);
}

function counterOf(text: string): bigint {
  if (U64_TEXT.test(text)) return BigInt(text);
  throw new BodyFault([{ pointer: '/from_attempt', detail: 'from_attempt is a number in decimal' }]);
}
