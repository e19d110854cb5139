import { DefectFault, Fault, RetryableFault, UndeterminedFault } from '@connector/kernel/faults';

/** What a driver error means for the transaction it struck (database 1.7). */
export type ErrorClass = 'again' | 'unknown' | 'duplicate' | 'defect';

interface DriverError {
  readonly errno?: number;
  readonly code?: string;
  readonly sqlMessage?: string;
  readonly message?: string;
  readonly fatal?: boolean;
}

const LOST = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNREFUSED',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ENOTCONN',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'CONNECTOR_STATEMENT_TIMEOUT',
]);
const LOST_ERRNO = new Set([2002, 2006, 2013, 1053, 1927, 4031]);
/** Nothing was committed; the transaction may run again from its start. */
const AGAIN = new Set([1205, 1213, 1020, 3572, 8002, 8005, 8022, 8027, 8028, 9007, 8147, 8229, 8113, 1040, 1203]);
/** The store did not answer: before COMMIT again, during COMMIT unknown. */
const STORE = new Set([9001, 9002, 9003, 9004, 9005]);
const AGAIN_1105 = /pessimistic\s*lock\s*not\s*found|Information schema is changed|try again later|retry limit reached/i;

function driver(error: unknown): DriverError {
  return typeof error === 'object' && error !== null ? error : {};
}

export function isLost(error: unknown): boolean {
  const { code, errno, message } = driver(error);
  return LOST.has(code ?? '') || LOST_ERRNO.has(errno ?? 0) || /closed state|Connection lost/i.test(message ?? '');
}

export function classify(error: unknown, duringCommit: boolean): ErrorClass {
  const { errno, sqlMessage, message } = driver(error);
  if (isLost(error)) return duringCommit ? 'unknown' : 'again';
  if (errno !== undefined && STORE.has(errno)) return duringCommit ? 'unknown' : 'again';
  if (errno === 1062) return 'duplicate';
  if (errno !== undefined && AGAIN.has(errno)) return 'again';
  if (errno === 1105) {
    const text = `${sqlMessage ?? ''} ${message ?? ''}`;
    if (/undetermined/i.test(text)) return 'unknown';
    return AGAIN_1105.test(text) ? 'again' : 'defect';
  }
  // An error that a COMMIT was answered with and that no table names may hide a committed transaction.
  return duringCommit ? 'unknown' : 'defect';
}

/** The fault that the caller sees. The text names statement and errno, never a value. */
export function faultOf(error: unknown, where: string, duringCommit: boolean): Fault {
  if (error instanceof Fault) return error;
  const { errno, code } = driver(error);
  const detail = `${where}: ${code ?? 'error'}${errno === undefined ? '' : ` (${errno})`}`;
  switch (classify(error, duringCommit)) {
    case 'again':
      return new RetryableFault('HOUSE:db:Again', detail, { cause: error });
    case 'unknown':
      return new UndeterminedFault('HOUSE:db:CommitUnknown', detail, { cause: error });
    case 'duplicate':
      return new DefectFault('HOUSE:db:Duplicate', detail, { cause: error });
    case 'defect':
      return new DefectFault('HOUSE:db:Unmapped', detail, { cause: error });
  }
}

/** Somebody holds the row that a NOWAIT asked for: one engine says so by a number of its own, the other as a wait of no time. */
export function isBusy(error: unknown): boolean {
  const { errno } = driver(error);
  return errno === 3572 || errno === 1205;
}

/** Which unique key a 1062 names: `PRIMARY` or `u_<name>`. */
export function duplicateKey(error: unknown): string | undefined {
  const { errno, sqlMessage } = driver(error);
  if (errno !== 1062) return undefined;
  const match = /for key '(?:[^'.]+\.)?([^'.]+)'/.exec(sqlMessage ?? '');
  return match?.[1] ?? 'PRIMARY';
}
