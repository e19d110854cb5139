import { DefectFault, Fault, RetryableFault, UndeterminedFault } from '@connector/kernel/faults';
import type { Log } from '@connector/platform/telemetry/log';
import type { Telemetry } from '@connector/platform/telemetry/metrics';
import type { Wake } from '@connector/platform/wake/wake';
import type { RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import type { CommandRun, RunEnd } from './command-run';
import type { Handed } from './run-queue';

export interface Told {
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly wake: Wake;
}

/**
 * Runs one command and says how it ended: a wake after the commit, a line otherwise. One command's defect ends its own run and no other's; it
 * has no result then, so it comes again and is seen again.
 */
export async function runAndTell(run: CommandRun, told: Told, handed: Handed): Promise<void> {
  try {
    tellEnd(told, handed.command, await run.run(handed));
  } catch (thrown) {
    tellFault(told, handed.command, thrown);
  }
}

function tellEnd({ log, wake }: Told, command: RuntimeCommand, end: RunEnd): void {
  const { account, commandId: row } = command;
  if (end.kind === 'aborted') return log.info('run-aborted', { account, row, reason: end.why });
  if (end.kind === 'unresolved') return log.error('command-unresolved', { account, row, code: end.code });
  log.debug('command-committed', { account, row, kind: end.outcome });
  wake.emit({ stage: 'result', account });
  for (const destination of end.destinations) wake.emit({ stage: 'effect', account: destination });
}

function tellFault({ log, telemetry }: Told, command: RuntimeCommand, thrown: unknown): void {
  telemetry.fault(thrown);
  const fields = { account: command.account, row: command.commandId, code: thrown instanceof Fault ? thrown.code : 'none' };
  if (thrown instanceof RetryableFault || thrown instanceof UndeterminedFault) return log.warn('run-again-later', fields);
  const fault = thrown instanceof DefectFault ? thrown.name : 'Unknown';
  log.error('run-defect', { ...fields, fault, stack: thrown instanceof Error ? thrown.stack : undefined });
}
