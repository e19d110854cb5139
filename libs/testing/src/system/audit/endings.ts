import { candidateDocument } from '@connector/catalog/model/installation/candidate';
import { securityProjection } from '@connector/security/contract/projection';
import { type Findings, groupBy, type History, indexBy } from './finding';

interface OfInstallation {
  readonly organization_id: string;
  readonly app_installation_id: string;
}
type OfBinding = OfInstallation & { readonly binding_id: string };
type OfAttempt = OfInstallation & { readonly attempt: bigint };

const keyOf = ({ organization_id, app_installation_id }: OfInstallation): string => `${organization_id} ${app_installation_id}`;
const bindingOf = (row: OfBinding): string => `${keyOf(row)} ${row.binding_id}`;
const attemptOf = (row: OfAttempt): string => `${keyOf(row)} attempt ${row.attempt}`;

/** Nothing refers to what never served, and what is RETIRED was let go by everybody or by a decision (cat:BIND-11). */
export function judgeReferences({ rows }: History, findings: Findings): void {
  const states = indexBy(rows.bindingStates, bindingOf);
  const decided = new Set(rows.retentions.map(bindingOf));
  for (const row of rows.references) {
    const { open_binding_id: open, reference_id: reference } = row;
    const state = states.get(bindingOf(row))?.state ?? 'absent';
    const served = state === 'ACTIVE' || state === 'DRAINING' || state === 'RETIRED';
    findings.must(served, `${reference} refers to ${bindingOf(row)}, which is ${state}`);
    findings.must(open === null || open === row.binding_id, `${reference} of ${bindingOf(row)} is open as ${open}`);
    const isLetGo = open === null || decided.has(bindingOf(row));
    findings.must(state !== 'RETIRED' || isLetGo, `${bindingOf(row)} is RETIRED, and ${reference} is open and nobody decided`);
  }
}

/** What an attempt that failed had staged and claimed went with it, and a tombstone holds nothing (cat:INST-10, cat:INST-13). */
export function judgeEnded({ rows }: History, findings: Findings): void {
  const failed = new Set(rows.publicationSteps.filter(({ step }) => step === 'failed').map(attemptOf));
  const removed = new Set(rows.installations.filter(({ state }) => state === 'REMOVED').map(keyOf));
  const states = indexBy(rows.bindingStates, bindingOf);
  for (const row of rows.candidates.filter((one) => failed.has(attemptOf(one)) && one.kind !== 'removal' && one.kind !== 'abandonment')) {
    for (const { binding_id } of candidateDocument.parse(row.document).value.handler_bindings) {
      const state = states.get(bindingOf({ ...row, binding_id }))?.state ?? 'absent';
      findings.must(state === 'FAILED', `${attemptOf(row)} failed, and what it staged is ${state}`);
    }
  }
  for (const row of rows.claims.filter(({ open_namespace_id: open }) => open !== null)) {
    const held = !failed.has(attemptOf(row)) && !removed.has(keyOf(row));
    findings.must(held, `${row.namespace_id} is claimed by ${attemptOf(row)}, which is over`);
  }
  for (const row of rows.bindingStates.filter((one) => removed.has(keyOf(one)))) {
    const isOver = row.state === 'RETIRED' || row.state === 'FAILED';
    findings.must(isOver, `${keyOf(row)} is REMOVED, and its binding ${row.binding_id} is ${row.state}`);
  }
}

/** Where nothing is open, Runtime grants to exactly what is ACTIVE, in the release in which it is (cat:PUBL-11, cat:SEC-06). */
export function judgeGrants({ rows }: History, findings: Findings): void {
  const open = new Set(rows.lineages.filter((row) => row.open_installation_id !== null).map((row) => row.organization_id));
  const active = groupBy(
    rows.installations.filter(({ active_attempt: attempt }) => attempt !== null),
    ({ organization_id: organization }) => organization,
  );
  const projections = indexBy(rows.securityProjections, (row) => `${row.organization_id} ${row.security_epoch}`);
  for (const { organization_id: organization, security_epoch: epoch } of rows.securityHeads.filter(
    (row) => !open.has(row.organization_id),
  )) {
    const projected = projections.get(`${organization} ${epoch}`);
    if (projected === undefined) continue;
    const granted = securityProjection.parse(projected.projection).value.app_grants.installations;
    const told = said(granted.map((one) => `${one.app_installation_id} ${one.app_release_digest}`));
    const serves = said((active.get(organization) ?? []).map((row) => `${row.app_installation_id} ${row.active_release_digest}`));
    findings.must(told === serves, `Runtime grants to ${told} in ${organization}, where ${serves} is ACTIVE`);
  }
}

const said = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.toSorted().join());
