import { CliFailure, EXIT, type ExitCode } from './exit';
import { faultsIn, renderFaults } from './render/faults';
import { listOf, type Members, membersOf, textOf, textsOf } from './members';

const BY_STATUS: ReadonlyMap<number, ExitCode> = new Map<number, ExitCode>([
  [400, EXIT.usage],
  [401, EXIT.notAllowed],
  [403, EXIT.notAllowed],
  [404, EXIT.notFound],
  [409, EXIT.refused],
  [413, EXIT.usage],
  [422, EXIT.refused],
  [503, EXIT.unavailable],
]);
const STALE: ReadonlySet<string> = new Set(['PlanStale', 'PlanUnknown', 'CatalogMoved']);
/** A document that somebody wrote is faulty: that is bad input, whoever found it. */
const FAULTY: ReadonlySet<string> = new Set(['ReleaseFaulty', 'MembershipFaulty', 'PackFaulty']);
const LINES_MAX = 12;
/** What whoever was not let in does next: the services know of no file and no flag. */
const WAYS_IN: Readonly<Record<string, readonly string[]>> = {
  CallerNotAllowed: ['  Do       the same under a role that may: --as operator, where its token is on this machine'],
  CallerUnknown: ['  Do       stop npm start and start it again: the token of this machine is not the one that the service has'],
};

/** What a problem document means to whoever typed the command. */
export function failureOf(status: number, problem: Members): CliFailure {
  const name = textOf(problem['code']).split(':').at(-1) ?? '';
  const exit = exitOf(name) ?? BY_STATUS.get(status) ?? EXIT.failed;
  return new CliFailure(exit, linesOf(status, name, problem), problem);
}

function exitOf(name: string): ExitCode | undefined {
  if (STALE.has(name)) return EXIT.stale;
  return FAULTY.has(name) ? EXIT.usage : undefined;
}

function linesOf(status: number, name: string, problem: Members): readonly string[] {
  const detail = textOf(problem['detail']) || `The service answered ${status}.`;
  const faults = faultsIn(problem);
  // A document's faults are told together, each with its rule, and never cut.
  if (faults !== undefined) return [detail, ...renderFaults('It', faults, name), ...nextSteps(problem)];
  const { headline, will_not_help } = reasonOf(problem);
  return [
    `${detail}   ${name}`,
    ...labelled('Expected', problem['expected']),
    ...labelled('Found', problem['actual']),
    ...listOf(problem['errors']).map((error) => `  Field    ${textOf(error['pointer'])}: ${textOf(error['detail'])}`),
    ...textsOf(problem['candidates']).map((id) => `  Meant    ${id}`),
    ...(headline === '' ? [] : [`  Why      ${headline}`]),
    ...nextSteps(problem),
    ...(WAYS_IN[name] ?? []),
    ...will_not_help.map((act) => `  Do not   ${act}`),
  ].slice(0, LINES_MAX);
}

const nextSteps = (problem: Members): readonly string[] => textsOf(problem['next_steps']).map((step) => `  Do       ${step}`);

function reasonOf(problem: Members): { readonly headline: string; readonly will_not_help: readonly string[] } {
  const explanation = membersOf(problem['explanation']);
  return { headline: textOf(membersOf(explanation['reason'])['headline']), will_not_help: textsOf(explanation['will_not_help']) };
}

function labelled(label: string, value: unknown): readonly string[] {
  const members = Object.entries(membersOf(value)).map(([name, held]) => `${name} ${textOf(held)}`);
  return members.length === 0 ? [] : [`  ${label.padEnd(8)} ${members.join(', ')}`];
}
