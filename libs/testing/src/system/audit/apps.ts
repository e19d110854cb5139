import { candidateDocument } from '@connector/catalog/model/installation/candidate';
import { CANDIDATE_STATES, installationMachine, LIVE_STATES } from '@connector/catalog/model/installation/installation';
import { type Findings, groupBy, type History, indexBy } from './finding';

type Rows = History['rows'];
type Installation = Rows['installations'][number];
interface OfInstallation {
  readonly organization_id: string;
  readonly app_installation_id: string;
}

const keyOf = ({ organization_id, app_installation_id }: OfInstallation): string => `${organization_id} ${app_installation_id}`;
const attemptOf = (row: OfInstallation, attempt: bigint | null): string => `${keyOf(row)} attempt ${attempt ?? 'none'}`;

/** An App lives once in an organization, and holds its name as long as it lives (cat:INST-07, cat:INST-09). */
export function judgeInstallations({ rows }: History, findings: Findings): void {
  const apps = indexBy(rows.identities, keyOf);
  const live = rows.installations.filter(({ state }) => LIVE_STATES.includes(installationMachine.parse(state)));
  for (const row of rows.installations) {
    const app = apps.get(keyOf(row))?.app_id;
    const held = live.includes(row) ? app : null;
    findings.must(app !== undefined && row.live_app_id === held, `installation ${keyOf(row)} is ${row.state} and holds ${row.live_app_id}`);
  }
  for (const [what, held] of groupBy(live, (row) => `${row.organization_id} ${apps.get(keyOf(row))?.app_id ?? ''}`)) {
    findings.must(held.length === 1, `${what} lives ${held.length} times`);
  }
}

/** What is open has its candidate, and what waits for a step 4 is open (cat:PUBL-01, cat:PUBL-09). */
export function judgePublications({ rows }: History, findings: Findings): void {
  const candidates = new Set(rows.candidates.map((row) => attemptOf(row, row.attempt)));
  const opened = new Set<string>();
  for (const { organization_id, open_installation_id: app_installation_id, open_attempt } of rows.lineages) {
    if (app_installation_id === null) continue;
    const open = attemptOf({ organization_id, app_installation_id }, open_attempt);
    opened.add(open);
    findings.must(candidates.has(open), `the publication of ${open} is open and has no candidate`);
  }
  for (const row of rows.installations) {
    const waits = CANDIDATE_STATES.some((state) => state === row.state);
    const open = attemptOf(row, row.attempt);
    findings.must(!waits || opened.has(open), `${open} is ${row.state} and no publication is open`);
  }
  judgeJournals(rows, findings);
}

/** Of an attempt that Runtime acknowledged; a removal is published first, and an abandonment publishes nothing (cat:A-28). */
const ENDS = [['published'], ['published', 'removed'], ['abandoned']] as const;
const ALLOWED: ReadonlySet<string> = new Set(
  [['refused'], ['opened'], ['opened', 'compiled'], ['opened', 'compiled', 'acknowledged']].flatMap((steps) => [
    steps.toSorted().join(' '),
    ...(steps[0] === 'refused' ? [] : [[...steps, 'failed'].toSorted().join(' ')]),
    ...(steps.length === 3 ? ENDS.map((ends) => [...steps, ...ends].toSorted().join(' ')) : []),
  ]),
);

/** The steps of an attempt are a beginning of the whole, with at most one end (cat:PUBL-09). */
function judgeJournals(rows: Rows, findings: Findings): void {
  for (const [attempt, held] of groupBy(rows.publicationSteps, (row) => attemptOf(row, row.attempt))) {
    const steps = held.map(({ step }) => step).sort();
    findings.must(ALLOWED.has(steps.join(' ')), `the journal of ${attempt} has ${steps.join(', ')}`);
  }
}

/** What is ACTIVE was acknowledged, and its revision says so word for word (cat:INST-16, cat:PUBL-07). */
export function judgeTuples({ rows }: History, findings: Findings): void {
  const steps = groupBy(rows.publicationSteps, (row) => attemptOf(row, row.attempt));
  const candidates = indexBy(rows.candidates, (row) => attemptOf(row, row.attempt));
  const projections = indexBy(rows.securityProjections, (row) => `${row.organization_id} ${row.security_epoch}`);
  for (const row of rows.installations.filter(({ active_attempt }) => active_attempt !== null)) {
    const attempt = attemptOf(row, row.active_attempt);
    const done = steps.get(attempt)?.map(({ step }) => step) ?? [];
    findings.must(done.includes('acknowledged') && done.includes('published'), `${attempt} is ACTIVE and its journal ends before`);
    const candidate = candidates.get(attempt);
    const revision = rows.revisions.find((one) => keyOf(one) === keyOf(row) && one.catalog_revision === row.active_revision);
    const released = candidate !== undefined && candidate.app_release_digest === row.active_release_digest;
    findings.must(released, `${attempt} is ACTIVE with a release that its candidate does not have`);
    findings.must(isTupleOf(revision, row, candidate), `${attempt} is ACTIVE and its revision ${row.active_revision} is of something else`);
    const bound = projections.get(`${row.organization_id} ${row.active_security_epoch}`)?.projection_digest;
    findings.must(bound === candidate?.projection_digest, `${attempt} is ACTIVE under a security epoch that projects something else`);
  }
}

function isTupleOf(revision: Rows['revisions'][number] | undefined, row: Installation, candidate: Rows['candidates'][number] | undefined) {
  return (
    revision !== undefined &&
    revision.cause === 'publication' &&
    revision.attempt === row.active_attempt &&
    revision.activation_epoch === row.activation_epoch &&
    revision.security_epoch === row.active_security_epoch &&
    revision.tuple_digest === candidate?.tuple_digest &&
    revision.projection_digest === candidate?.projection_digest
  );
}

/** Every revision of an organization has its row, and none beside them (cat:A-26). */
export function judgeRevisions({ rows }: History, findings: Findings): void {
  const held = groupBy(rows.revisions, (row) => `${row.organization_id} ${row.lineage_id}`);
  for (const { organization_id, lineage_id, catalog_revision } of rows.lineages) {
    const found = (held.get(`${organization_id} ${lineage_id}`) ?? []).map((row) => row.catalog_revision);
    const whole = BigInt(new Set(found).size) === catalog_revision && found.every((one) => one >= 1n && one <= catalog_revision);
    findings.must(whole, `${organization_id} is at revision ${catalog_revision} and has ${found.length} of them`);
  }
}

/** Every workload of what is ACTIVE is served a view of it, whose bytes are there (cat:INT-22, cat:INT-24). */
export function judgeViews({ rows }: History, findings: Findings): void {
  const viewKey = (row: Rows['views'][number]): string =>
    `${keyOf(row)} ${row.authorized_workload_id} ${row.lineage_id} ${row.catalog_revision}`;
  const views = new Set(rows.views.map(viewKey));
  const current = indexBy(rows.currentViews, (row) => `${keyOf(row)} ${row.authorized_workload_id}`);
  for (const row of rows.currentViews) findings.must(views.has(viewKey(row)), `the current view of ${viewKey(row)} is not there`);
  const candidates = indexBy(rows.candidates, (row) => attemptOf(row, row.attempt));
  for (const row of rows.installations) {
    const candidate = candidates.get(attemptOf(row, row.active_attempt));
    if (row.active_attempt === null || candidate === undefined) continue;
    for (const { workload_id: workload } of candidateDocument.parse(candidate.document).value.grants) {
      const served = current.get(`${keyOf(row)} ${workload}`);
      const isOfTuple = served?.activation_epoch === row.activation_epoch && served.catalog_revision >= (row.active_revision ?? 0n);
      findings.must(isOfTuple, `${workload} of ${keyOf(row)} is served no view of what is ACTIVE`);
    }
  }
}

/** A capability is served by one binding, under the last ownership epoch that was taken (cat:BIND-05, cat:BIND-07). */
export function judgeBindings({ rows }: History, findings: Findings): void {
  const capabilityOf = (row: OfInstallation & { readonly capability_id: string }): string => `${row.capability_id} of ${keyOf(row)}`;
  const heads = indexBy(rows.ownershipHeads, capabilityOf);
  for (const row of rows.bindingStates) {
    const active = row.state === 'ACTIVE' ? row.capability_id : null;
    findings.must(row.active_capability_id === active, `binding ${row.binding_id} is ${row.state} and serves ${row.active_capability_id}`);
  }
  for (const [what, held] of groupBy(
    rows.bindingStates.filter(({ state }) => state === 'ACTIVE'),
    capabilityOf,
  )) {
    findings.must(held.length === 1, `${what} is served by ${held.length} bindings`);
    const head = heads.get(what)?.ownership_epoch;
    findings.must(held[0]?.ownership_epoch === head, `${what} is served under epoch ${held[0]?.ownership_epoch}, and the last is ${head}`);
  }
}

/** A component has one owner, which is an App; an App is whose its last event says (cat:BUN-21, cat:PUB-09). */
export function judgeOwners({ rows }: History, findings: Findings): void {
  const events = groupBy(rows.ownershipEvents, ({ app_id }) => app_id);
  for (const { app_id: app, publisher_id, ownership_epoch } of rows.appOwners) {
    const held = events.get(app) ?? [];
    const last = held.find((event) => event.ownership_epoch === ownership_epoch);
    const whole = BigInt(held.length) === ownership_epoch && last?.new_publisher_id === publisher_id;
    findings.must(whole, `${app} is ${publisher_id}'s at epoch ${ownership_epoch} by ${held.length} events`);
  }
  const apps = new Set(rows.appOwners.map(({ app_id }) => app_id));
  for (const [component, held] of groupBy(rows.componentOwners, ({ component_id }) => component_id)) {
    findings.must(held.length === 1, `component ${component} has ${held.length} owners`);
    findings.must(
      held.every(({ app_id }) => apps.has(app_id)),
      `component ${component} is of an App that nobody has`,
    );
  }
}

/** The head is the last projection, every epoch has one, and no two commands share an epoch (cat:SEC-05, cat:SEC-06, cat:SEC-07). */
export function judgeSecurity({ rows }: History, findings: Findings): void {
  const projections = groupBy(rows.securityProjections, ({ organization_id }) => organization_id);
  const commands = groupBy(rows.securityCommands, (row) => `${row.organization_id} ${row.security_epoch}`);
  for (const { organization_id: organization, security_epoch: epoch, projection_digest } of rows.securityHeads) {
    const held = projections.get(organization) ?? [];
    const last = held.find((row) => row.security_epoch === epoch)?.projection_digest ?? null;
    findings.must(last === projection_digest, `the security head of ${organization} is not its projection at epoch ${epoch}`);
    findings.must(BigInt(held.length) === epoch, `${organization} is at security epoch ${epoch} with ${held.length} projections`);
  }
  for (const { organization_id, security_epoch } of rows.securityProjections) {
    const count = commands.get(`${organization_id} ${security_epoch}`)?.length ?? 0;
    findings.must(count === 1, `security epoch ${security_epoch} of ${organization_id} is of ${count} commands`);
  }
}
