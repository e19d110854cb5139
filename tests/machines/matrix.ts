/** One machine as the requirement matrix has it: section 3 of its rows, counted there by hand and not from our model. */
export interface MatrixMachine {
  readonly allowed: readonly string[];
  readonly counts: { readonly allowed: number; readonly refused: number; readonly self: number };
  readonly initial: string | null;
  readonly terminal: readonly string[];
}

const row = (
  counts: readonly [number, number, number],
  initial: string | null,
  allowed: readonly string[],
  terminal: readonly string[],
): MatrixMachine => ({ counts: { allowed: counts[0], refused: counts[1], self: counts[2] }, initial, allowed, terminal });

/** Moves are written `from>to`. */
export const MATRIX: Readonly<Record<string, MatrixMachine>> = {
  AccountServingGate: row(
    [11, 45, 8],
    'v1_serving',
    [
      'v1_serving>halting_v1',
      'halting_v1>v1_serving',
      'halting_v1>v1_stopped',
      'v1_stopped>v1_drained',
      'v1_drained>v1_serving',
      'v1_drained>v2_validating',
      'v2_validating>v1_drained',
      'v2_validating>v2_serving',
      'v2_serving>halting_v2',
      'halting_v2>v2_halted',
      'v2_halted>v2_serving',
    ],
    [],
  ),
  ServingEpoch: row(
    [6, 24, 6],
    'prepared',
    ['prepared>verified', 'prepared>rejected', 'verified>active', 'verified>rejected', 'active>draining', 'draining>retired'],
    ['rejected', 'retired'],
  ),
  CredentialGenerationDispatchGate: row([2, 0, 2], 'enabled', ['enabled>revoked', 'revoked>enabled'], []),
  ServingPublicationBarrierSet: row(
    [5, 7, 4],
    'acquiring',
    ['acquiring>held', 'acquiring>released', 'held>activation_committed', 'held>released', 'activation_committed>released'],
    ['released'],
  ),
  ProjectionWindow: row([2, 4, 3], 'open', ['open>sealed', 'open>quarantined'], ['sealed', 'quarantined']),
  Execution: row(
    [5, 7, 4],
    'ready',
    ['ready>waiting_dependency', 'ready>completed', 'ready>quarantined', 'waiting_dependency>ready', 'waiting_dependency>quarantined'],
    ['completed', 'quarantined'],
  ),
  ExecutionDependency: row(
    [3, 9, 4],
    'waiting',
    ['waiting>satisfied', 'waiting>expired', 'waiting>rejected'],
    ['satisfied', 'expired', 'rejected'],
  ),
  ApplicationResult: row([0, 12, 4], null, [], ['applied', 'noop', 'rejected', 'failed']),
  RemoteEffect: row(
    [11, 31, 7],
    'prepared',
    [
      'prepared>dispatching',
      'prepared>quarantined',
      'dispatching>remote_confirmed',
      'dispatching>uncertain',
      'dispatching>no_effect',
      'dispatching>prepared',
      'uncertain>remote_confirmed',
      'uncertain>no_effect',
      'uncertain>quarantined',
      'uncertain>prepared',
      'remote_confirmed>finalized',
    ],
    ['no_effect', 'finalized', 'quarantined'],
  ),
  DispatchPermit: row(
    [4, 8, 4],
    'granted',
    ['granted>sending', 'granted>abandoned', 'sending>returned', 'sending>abandoned'],
    ['returned', 'abandoned'],
  ),
  RemoteLink: row([1, 1, 2], 'active', ['active>retired'], ['retired']),
  CutoverDecision: row(
    [4, 16, 5],
    'rollback_open',
    ['rollback_open>activating_v2', 'activating_v2>v2_committed', 'rollback_open>restoring_v1', 'restoring_v1>v1_restored'],
    ['v2_committed', 'v1_restored'],
  ),
};

/** con:SM-ALL-01: over all twelve machines. */
export const TOTALS = { allowed: 54, refused: 164, self: 53 };
