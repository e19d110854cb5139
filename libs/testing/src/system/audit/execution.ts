import { executionMachine } from '@connector/connector/model/execution/execution';
import { type Findings, groupBy, type History, indexBy } from './finding';

/** I3, I4: one execution an event and route, one result a command, and a completed execution has the result that it says. */
export function judgeExecutions(history: History, findings: Findings): void {
  const { rows } = history;
  const byEvent = groupBy(rows.projections, ({ event_id }) => event_id);
  for (const { event_id } of rows.events) findings.must(byEvent.has(event_id), `event ${event_id} has no projection: it is lost`);
  for (const [key, projections] of groupBy(rows.projections, ({ event_id, route_identity }) => `${event_id} under ${route_identity}`)) {
    findings.must(projections.length === 1, `event ${key} has ${projections.length} projections`);
  }
  const superseded = new Set(rows.superseded.map(({ projection_id }) => projection_id));
  const byProjection = groupBy(rows.executions, ({ projection_id }) => projection_id);
  for (const { projection_id } of rows.projections) {
    const count = byProjection.get(projection_id)?.length ?? 0;
    const decided = superseded.has(projection_id);
    findings.must(count === 1 || (count === 0 && decided), `projection ${projection_id} has ${count} executions`);
  }
  for (const [command, executions] of groupBy(rows.executions, ({ command_id }) => command_id)) {
    findings.must(executions.length === 1, `command ${command} is of ${executions.length} executions`);
  }
  judgeAttempts(history, findings);
  judgeResults(history, findings);
}

function judgeAttempts({ rows }: History, findings: Findings): void {
  const attempts = groupBy(rows.executionAttempts, ({ execution_id }) => execution_id);
  for (const { execution_id, attempt_count } of rows.executions) {
    const ordinals = (attempts.get(execution_id) ?? []).map(({ ordinal }) => ordinal).sort((one, other) => one - other);
    const whole = ordinals.length === attempt_count && ordinals.every((ordinal, at) => ordinal === at + 1);
    findings.must(whole, `execution ${execution_id} counts ${attempt_count} attempts and has ${ordinals.join(', ') || 'none'}`);
  }
}

function judgeResults({ rows }: History, findings: Findings): void {
  const commands = indexBy(rows.commands, ({ command_id }) => command_id);
  const results = groupBy(rows.results, ({ command_id }) => command_id);
  for (const [command, held] of results) {
    findings.must(held.length === 1, `command ${command} has ${held.length} results`);
    const same = commands.get(command)?.execution_ref_digest === held[0]?.execution_ref_digest;
    findings.must(same, `the result of command ${command} is of no accepted command`);
  }
  const correlations = groupBy(rows.correlations, ({ execution_id }) => execution_id);
  for (const execution of rows.executions) {
    const { execution_id: id, command_id: command, state } = execution;
    executionMachine.parse(state);
    const [correlation, ...more] = correlations.get(id) ?? [];
    findings.must(more.length === 0, `execution ${id} was completed ${more.length + 1} times`);
    findings.must((state === 'completed') === (correlation !== undefined), `execution ${id} is ${state} and its result says otherwise`);
    findings.must(
      ['completed', 'quarantined'].includes(state) === ((execution.ready_account ?? execution.open_lane) === null),
      `execution ${id} is ${state} and stands in the wrong index`,
    );
    if (correlation === undefined) continue;
    const result = results.get(command)?.[0];
    const same =
      correlation.command_id === command &&
      correlation.execution_ref_digest === execution.execution_ref_digest &&
      correlation.result_digest === result?.result_digest;
    findings.must(same, `execution ${id} was completed by a result that Runtime does not have`);
  }
}
