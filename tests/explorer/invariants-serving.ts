import type { Machine } from '@connector/kernel/machine';
import { dependencyMachine } from '@connector/connector/model/execution/dependency';
import { executionMachine } from '@connector/connector/model/execution/execution';
import { effectMachine } from '@connector/connector/model/outbound/effect';
import { permitMachine } from '@connector/connector/model/outbound/permit';
import { credentialGateMachine } from '@connector/connector/model/serving/credential-gate';
import { epochMachine } from '@connector/connector/model/serving/epoch';
import { gateMachine } from '@connector/connector/model/serving/gate';
import { by, fresh, gapKey, OPEN, pairs, permitKey, text, workKey, type Commit } from './invariant';
import type { Rows } from './rows';

/** What only a serving gate lets begin; a result that is recorded of work that began before is none of it. */
const BEGINS = {
  receipts: ({ receipt_id }: Rows['receipts'][number]) => receipt_id as string,
  attempts: ({ execution_id, ordinal }: Rows['attempts'][number]) => `attempt ${ordinal} of ${execution_id}`,
  executions: ({ execution_id }: Rows['executions'][number]) => execution_id as string,
  commands: ({ outbound_command_id }: Rows['commands'][number]) => outbound_command_id as string,
  effects: ({ effect_id }: Rows['effects'][number]) => effect_id as string,
  permits: permitKey,
  outcomes: ({ command_id }: Rows['outcomes'][number]) => command_id as string,
};

function begunUnder(rows: Rows, earlier: Rows): readonly string[] {
  return [
    ...fresh(earlier.receipts, rows.receipts, BEGINS.receipts).map(BEGINS.receipts),
    ...fresh(earlier.attempts, rows.attempts, BEGINS.attempts).map(BEGINS.attempts),
    ...fresh(earlier.executions, rows.executions, BEGINS.executions).map(BEGINS.executions),
    ...fresh(earlier.commands, rows.commands, BEGINS.commands).map(BEGINS.commands),
    ...fresh(earlier.effects, rows.effects, BEGINS.effects).map(BEGINS.effects),
    ...fresh(earlier.permits, rows.permits, BEGINS.permits).map(BEGINS.permits),
    ...fresh(earlier.outcomes, rows.outcomes, BEGINS.outcomes).map(BEGINS.outcomes),
  ];
}

export function nothingBegins({ before, after }: Commit): readonly string[] {
  const fences = by(before.gates, ({ account }) => account);
  const serving = before.gates.length > 0 && before.gates.every(({ mode }) => mode === 'v2_serving');
  const granted = fresh(before.permits, after.permits, permitKey);
  const halted = new Set<string>(after.gates.filter(({ mode }) => mode === 'v2_halted').map(({ account }) => account));
  return [
    ...(serving ? [] : begunUnder(after, before).map((what) => `${what} began while the gate did not serve`)),
    ...granted
      .filter((row) => fences.get(row.account)?.fence !== row.gate_fence)
      .map((row) => `${row.permit_id} names a fence that its gate does not have`),
    ...after.permits
      .filter((row) => halted.has(row.account) && row.open_account !== null)
      .map((row) => `${row.permit_id} is open in a halted account`),
    ...after.permits
      .filter((row) => OPEN.includes(row.state) !== (row.open_account !== null))
      .map((row) => `${row.permit_id} is ${row.state} and counted otherwise`),
  ];
}

export function oneEpoch({ before, after }: Commit): readonly string[] {
  const epochs = by(after.epochs, ({ epoch_id }) => epoch_id);
  const serving = after.gates.filter(({ mode }) => mode === 'v2_serving');
  return [
    ...serving
      .filter((gate) => epochs.get(gate.epoch_id)?.state !== 'active')
      .map((gate) => `${gate.account} serves under an epoch that is not active`),
    ...(new Set(serving.map(({ epoch_id }) => epoch_id)).size > 1 ? ['gates serve under different epochs'] : []),
    ...(after.certificates.length > 1 ? ['the service began twice'] : []),
    ...pairs(before.certificates, after.certificates, () => 'one')
      .filter(([old, now]) => text(old) !== text(now))
      .map(() => 'the certificate changed'),
  ];
}

/** Counters that may only rise, by the row that has them. */
function counters(rows: Rows): ReadonlyMap<string, bigint> {
  return new Map<string, bigint>([
    ...rows.gates.map(({ account, fence }) => [`gate ${account}`, fence] as const),
    ...rows.channels.map(({ account, channel, fence }) => [`channel ${account} ${channel}`, fence] as const),
    ...rows.credentials.map(({ generation_id, fence }) => [`credential ${generation_id}`, fence] as const),
    ...rows.holders.map(({ holder_id, fence }) => [`holder ${holder_id}`, fence] as const),
    ...rows.feeds.map(({ account, next_seq }) => [`feed ${account}`, next_seq] as const),
    ...rows.heads.map(({ account, next_seq }) => [`head ${account}`, next_seq] as const),
    ...rows.work.map((row) => [`work ${workKey(row)}`, row.produced] as const),
    ...rows.lanes.map(({ lane_id, fence }) => [`lane ${lane_id}`, fence] as const),
    ...rows.materializations.map(({ receipt_id, next_ordinal }) => [`chunks ${receipt_id}`, BigInt(next_ordinal)] as const),
    ...rows.executions.map(({ execution_id, attempt_count }) => [`attempts ${execution_id}`, BigInt(attempt_count)] as const),
    ...rows.effects.map(({ effect_id, attempt_count }) => [`attempts ${effect_id}`, BigInt(attempt_count)] as const),
  ]);
}

export function fencesRise({ before, after }: Commit): readonly string[] {
  const now = counters(after);
  const back = [...counters(before)].filter(([name, value]) => (now.get(name) ?? -1n) < value).map(([name]) => `${name} went back`);
  const still = <T extends { mode: string; fence: bigint }>(
    old: readonly T[],
    rows: readonly T[],
    key: (row: T) => string,
  ): readonly string[] =>
    pairs(old, rows, key)
      .filter(([was, is]) => was.mode !== is.mode && is.fence <= was.fence)
      .map(([was, is]) => `${key(was)} moved from ${was.mode} to ${is.mode} under one fence`);
  const taken = pairs(before.holders, after.holders, ({ holder_id }) => holder_id).filter(
    ([was, is]) => was.generation_id !== is.generation_id && is.fence <= was.fence,
  );
  const lanes = pairs(before.lanes, after.lanes, ({ lane_id }) => lane_id).filter(
    ([was, is]) => (was.active_execution !== is.active_execution || was.held_reason !== is.held_reason) && is.fence <= was.fence,
  );
  return [
    ...back,
    ...lanes.map(([{ lane_id }]) => `${lane_id} was taken, freed or held under one fence`),
    ...still(before.gates, after.gates, ({ account }) => account),
    ...still(before.credentials, after.credentials, ({ generation_id }) => generation_id),
    ...taken.map(([{ holder_id }]) => `${holder_id} was taken over under one fence`),
  ];
}

function moves<T>(
  machine: Machine<string, string>,
  before: readonly T[],
  after: readonly T[],
  key: (row: T) => string,
  state: (row: T) => string,
): readonly string[] {
  const born = fresh(before, after, key).map((row) => `${key(row)} ${state(row)}`);
  return [
    ...pairs(before, after, key)
      .filter(([old, now]) => state(old) !== state(now) && !machine.allows(state(old), state(now)))
      .map(([old, now]) => `${key(old)} went from ${state(old)} to ${state(now)}`),
    ...born.filter((row) => machine.terminal.some((end) => row.endsWith(` ${end}`))).map((row) => `${row} was born finished`),
  ];
}

const machineOf = (machine: unknown): Machine<string, string> => machine as Machine<string, string>;

export function listedMoves({ before, after }: Commit): readonly string[] {
  return [
    ...moves(
      machineOf(gateMachine),
      before.gates,
      after.gates,
      ({ account }) => account,
      ({ mode }) => mode,
    ),
    ...moves(
      machineOf(credentialGateMachine),
      before.credentials,
      after.credentials,
      ({ generation_id }) => generation_id,
      ({ mode }) => mode,
    ),
    ...moves(
      machineOf(epochMachine),
      before.epochs,
      after.epochs,
      ({ epoch_id }) => epoch_id,
      ({ state }) => state,
    ),
    ...moves(
      machineOf(executionMachine),
      before.executions,
      after.executions,
      ({ execution_id }) => execution_id,
      ({ state }) => state,
    ),
    ...moves(
      machineOf(effectMachine),
      before.effects,
      after.effects,
      ({ effect_id }) => effect_id,
      ({ state }) => state,
    ),
    ...moves(machineOf(dependencyMachine), before.gaps, after.gaps, gapKey, ({ state }) => state),
    ...moves(machineOf(permitMachine), before.permits, after.permits, permitKey, ({ state }) => state),
  ];
}

export function audited({ before, after }: Commit): readonly string[] {
  const moved = <T>(old: readonly T[], now: readonly T[], key: (row: T) => string, state: (row: T) => string): number =>
    pairs(old, now, key).filter(([was, is]) => state(was) !== state(is)).length;
  const count =
    moved(
      before.gates,
      after.gates,
      ({ account }) => account,
      ({ mode }) => mode,
    ) +
    moved(before.permits, after.permits, permitKey, ({ state }) => state) +
    moved(
      before.effects,
      after.effects,
      ({ effect_id }) => effect_id,
      ({ state }) => state,
    ) +
    moved(
      before.executions,
      after.executions,
      ({ execution_id }) => execution_id,
      ({ state }) => state,
    );
  const told = [
    ...fresh(before.audits, after.audits, ({ audit_id }) => audit_id),
    ...fresh(before.spanning, after.spanning, ({ audit_id }) => audit_id),
  ];
  return count > 0 && told.length === 0 ? [`${count} moves and no audit row`] : [];
}
