import type { AccountName } from '@connector/kernel/brand';
import { DefectFault, Fault, RetryableFault } from '@connector/kernel/faults';
import type { CommandId, GenerationId } from '@connector/kernel/ids';
import { readGate, type SeenGate } from '@connector/connector/reads/serving/gates';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import type { Log } from '@connector/platform/telemetry/log';
import type { ApplicationOutcome, Handler } from '@connector/runtime/model/application';
import { readRecords } from '@connector/runtime/reads/records';
import { readResults } from '@connector/runtime/reads/results';
import type { RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import { commitApplication } from '@connector/runtime/transitions/commit-application.tx';
import { leaveCommand } from '@connector/runtime/transitions/leave-command.tx';
import { startCommand } from '@connector/runtime/transitions/start-command.tx';
import type { EpochView } from '@connector/services/epoch-view/src/epoch-view';
import type { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { decide, failedBy, wantedBy, type Case } from './decide';
import { findHandler } from './handlers/registry';
import type { Refusal } from './refusal';
import { resultDocuments, type Ending } from './result-documents';
import type { Handed } from './run-queue';

/** How often a handler runs again because a record moved between its reading and the commit. */
const RUNS_MAX = 10;

export type RunEnd =
  | { readonly kind: 'committed'; readonly outcome: ApplicationOutcome; readonly destinations: readonly AccountName[] }
  /** A gate was halted or moved: nothing is recorded, and the same command will be submitted again (con:OPEN-43). */
  | { readonly kind: 'aborted'; readonly why: string }
  /** This release cannot run it. No result either: a `failed` one would be for ever, a release that can is only late. */
  | { readonly kind: 'unresolved'; readonly code: 'route-absent' | 'generation-differs' | 'handler-absent' };

type AttemptEnd = RunEnd | { readonly kind: 'records-moved' };

export interface RunParts {
  readonly db: Db;
  /** This process. */
  readonly by: GenerationId;
  readonly views: EpochViews;
  readonly handlers: readonly Handler[];
  readonly log: Log;
}

/**
 * Runs accepted commands. Whatever ends without a result is submitted again by the claimant when its lease is over; there is no sweep over the
 * inbox here, since it would be a second authority over the same retry (decisions 13.7).
 */
export class CommandRun {
  readonly #parts: RunParts;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  async run(handed: Handed): Promise<RunEnd> {
    let answered = false;
    try {
      const end = await this.#run(handed);
      answered = end.kind === 'committed';
      return end;
    } finally {
      if (!answered) await this.#leave(handed.command);
    }
  }

  async #run({ command, counted }: Handed): Promise<RunEnd> {
    const [stored] = await readResults(this.#parts.db, [command]);
    if (stored?.kind === 'found') return { kind: 'committed', outcome: stored.outcome, destinations: [] };
    const view = await this.#parts.views.of(command);
    const found = resolve(view, command, this.#parts.handlers);
    if (found.kind === 'unresolved') return found;
    const spent = counted ? undefined : await this.#start(command.commandId);
    return this.#settle({ command, view, handler: found.handler }, spent);
  }

  /** Counts this start, and says why there is to be none. */
  async #start(commandId: CommandId): Promise<Refusal | undefined> {
    const { db, by } = this.#parts;
    const answer = await retrying(ANSWER_SOON, () => startCommand(db, commandId, by));
    if (answer.kind === 'not-found') throw notAccepted(commandId);
    if (answer.kind === 'started') return undefined;
    return {
      kind: 'refused',
      code: 'never-answered',
      detail: `started ${answer.unanswered} times, and each time its process ended before it answered`,
    };
  }

  /** What cannot be taken back stays counted: that errs towards a refusal that is too early, and is told. */
  async #leave({ commandId, account }: RuntimeCommand): Promise<void> {
    const { db, by, log } = this.#parts;
    try {
      await retrying(ANSWER_SOON, () => leaveCommand(db, commandId, by));
    } catch (thrown) {
      log.warn('start-not-left', { account, row: commandId, code: thrown instanceof Fault ? thrown.code : 'none' });
    }
  }

  async #settle(one: Case, spent: Refusal | undefined): Promise<RunEnd> {
    for (let run = 1; run <= RUNS_MAX; run += 1) {
      const end = await (spent === undefined ? this.#attempt(one) : this.#fail(one.command, spent));
      if (end.kind !== 'records-moved') return end;
    }
    throw new RetryableFault('HOUSE:runtime:RecordsKeepMoving', `the records moved in each of ${RUNS_MAX} runs`);
  }

  async #attempt(one: Case): Promise<AttemptEnd> {
    const wanted = wantedBy(one);
    if (wanted.kind === 'refused') return this.#fail(one.command, wanted);
    const decided = decide(one, await readRecords(this.#parts.db, wanted.keys));
    return decided.kind === 'refused' ? this.#fail(one.command, decided) : this.#commit(one.command, decided);
  }

  async #commit(command: RuntimeCommand, ending: Ending): Promise<AttemptEnd> {
    const { commandId, executionRefDigest, account } = command;
    const destinations = [...new Set(ending.commands.map((outbound) => outbound.account))];
    const gates = await this.#gates(new Set([account, ...destinations]));
    if (gates === undefined) return { kind: 'aborted', why: 'no-gate' };
    const identity = { commandId, executionRefDigest, account, gates };
    const { outcome, why, records, changes, commands } = ending;
    const commit = { ...identity, outcome, why, records, changes, commands, result: resultDocuments(command, ending) };
    const answer = await retrying(ANSWER_SOON, () => commitApplication(this.#parts.db, commit));
    switch (answer.kind) {
      case 'committed':
        return { kind: 'committed', outcome: answer.outcome, destinations };
      case 'records-moved':
        return answer;
      case 'command-conflict':
        return this.#fail(command, { kind: 'refused', code: 'command-conflict', detail: 'a command of this tuple has another origin' });
      case 'not-found':
        throw notAccepted(commandId);
      case 'not-serving':
      case 'epoch-not-active':
      case 'fence-moved':
        return { kind: 'aborted', why: answer.kind };
    }
  }

  #fail(command: RuntimeCommand, refusal: Refusal): Promise<AttemptEnd> {
    const { code, detail, places } = refusal;
    this.#parts.log.error('command-failed', { account: command.account, row: command.commandId, code, detail, stack: places });
    return this.#commit(command, failedBy(refusal));
  }

  /** What the commit is based on; undefined where an account has no gate. */
  async #gates(accounts: ReadonlySet<AccountName>): Promise<readonly SeenGate[] | undefined> {
    const gates = await Promise.all([...accounts].map((account) => readGate(this.#parts.db, account)));
    const seen = gates.filter((gate) => gate !== undefined);
    return seen.length === gates.length ? seen : undefined;
  }
}

function notAccepted(commandId: CommandId): DefectFault {
  return new DefectFault('HOUSE:runtime:CommandNotAccepted', `${commandId} ran without being in the inbox`);
}

type Resolved = { readonly kind: 'resolved'; readonly handler: Handler } | (RunEnd & { readonly kind: 'unresolved' });

/** The handler that the epoch bound to the route, and no other (con:INV-06). */
function resolve(view: EpochView, command: RuntimeCommand, handlers: readonly Handler[]): Resolved {
  const route = view.route(command.businessKey, command.definitionVersion);
  if (route === undefined) return { kind: 'unresolved', code: 'route-absent' };
  if (route.ref.packGenerationStorageId !== command.packGenerationStorageId) return { kind: 'unresolved', code: 'generation-differs' };
  const handler = findHandler(handlers, route.handler.definitionId, route.handler.version);
  return handler === undefined ? { kind: 'unresolved', code: 'handler-absent' } : { kind: 'resolved', handler };
}
