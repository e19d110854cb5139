/**
 * RTC OAU commit-application: the result of a handler, its record changes and its outbound commands, in one commit
 *
 * why     What the application did and what it wants sent are one fact. Runtime authors under the connector's fence: the gates of the
 *         source and of every destination, on the epoch of the ExecutionRef (decisions 3.6).
 * paths   commit-application, author-outbound
 * fence   the standard fence of every account, ascending; the command row; every record that was read, unchanged (one that was read
 *         as absent is held by inserting its version 0).
 * again   Same command: `committed` with the result that is there, whatever a second run of the handler answered (con:RTC-O).
 */
import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { CommandId } from '@connector/kernel/ids';
import { lockRows, readRows } from '@connector/kernel/statement';
import { raiseWork } from '@connector/connector/fences/account-work';
import { lockServingGate, type GateBasis, type NotServing } from '@connector/connector/fences/serving-gate';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { runApplicationResult, runCommand } from '@connector/schema/runtime/runtime';
import {
  applicationOutcome,
  DESTINATIONS_MAX,
  type ApplicationOutcome,
  type RecordChange,
  type RecordKey,
  type RecordSeen,
  type Why,
} from '../model/application';
import type { AuthoredCommand } from '../model/authored-command';
import { runtimeDoors } from '../model/paths';
import { authorOutbound, commandsThatExist } from './author-outbound.step';
import { applyChanges, holdRecords } from './hold-records';

/** What is committed of one command; documents and digests are made before any lock. */
export interface ApplicationCommit {
  readonly commandId: CommandId;
  readonly executionRefDigest: Digest;
  readonly account: AccountName;
  /** The gates of the source and of every destination, as the caller saw them; all on the epoch of the ExecutionRef. */
  readonly gates: readonly GateBasis[];
  readonly outcome: ApplicationOutcome;
  /** Null of `applied` and `noop`. */
  readonly why: Why | null;
  readonly records: readonly RecordSeen[];
  readonly changes: readonly RecordChange[];
  readonly commands: readonly AuthoredCommand[];
  readonly result: ResultDocuments;
}

export interface ResultDocuments {
  readonly result: Buffer;
  readonly resultDigest: Digest;
  readonly commitReceipt: Buffer;
  readonly commitReceiptDigest: Digest;
}

export type CommitApplication =
  | { readonly kind: 'committed'; readonly outcome: ApplicationOutcome; readonly resultDigest: Digest }
  /** No such command or another ExecutionRef: the same answer (con:IDN-15). */
  | { readonly kind: 'not-found' }
  /** A record moved since the handler read it: run the handler again. */
  | { readonly kind: 'records-moved' }
  /** A command of this tuple exists with another origin: the intent cannot be committed (con:OAU-X). */
  | { readonly kind: 'command-conflict' }
  | NotServing;

const COMMAND = lockRows(runCommand, ['execution_ref_digest', 'execution_id', 'account', 'epoch_digest'], 'WHERE command_id = :command_id');
const RESULT = readRows(runApplicationResult, ['outcome', 'result_digest'], 'WHERE command_id = :command_id');

export async function commitApplication(db: Db, commit: ApplicationCommit): Promise<CommitApplication> {
  checkFenced(commit);
  return db.fenced(runtimeDoors['commit-application'], async (tx) => {
    const refused = await lockGates(tx, commit.gates);
    const command = await tx.lock(COMMAND, { command_id: commit.commandId });
    if (command === undefined || command.execution_ref_digest !== commit.executionRefDigest || command.account !== commit.account) {
      return { kind: 'not-found' };
    }
    const [done] = await tx.read(RESULT, { command_id: commit.commandId });
    if (done !== undefined) return { kind: 'committed', outcome: applicationOutcome(done.outcome), resultDigest: done.result_digest };
    if (refused !== undefined) return refused;
    if (commit.gates.some((gate) => gate.epochDigest !== command.epoch_digest)) return { kind: 'epoch-not-active', state: 'other-epoch' };
    const own = ({ commandId, executionId, epochDigest }: AuthoredCommand): boolean =>
      commandId === commit.commandId && executionId === command.execution_id && epochDigest === command.epoch_digest;
    invariant(commit.commands.every(own), 'HOUSE:runtime:CommandOfAnother', `${commit.commandId} authors under another identity`);
    return write(tx, commit);
  });
}

/** What the fence rests on: every account that is written for is a gate that is held, and every change is of a record that is held. */
function checkFenced({ commandId, account, gates, commands, records, changes }: ApplicationCommit): void {
  const needed = new Set([account, ...commands.map((command) => command.account)]);
  const held = new Set(gates.map((gate) => gate.account));
  const exact = held.size === gates.length && held.size === needed.size && [...needed].every((name) => held.has(name));
  invariant(exact && held.size <= DESTINATIONS_MAX + 1, 'HOUSE:runtime:GatesOfCommit', `${commandId} names ${gates.length} gates`);
  const read = new Set(records.map(nameOf));
  const changed = new Set(changes.map(nameOf));
  const distinct = read.size === records.length && changed.size === changes.length;
  invariant(distinct && [...changed].every((name) => read.has(name)), 'HOUSE:runtime:ChangeOfUnreadRecord', commandId);
}

const nameOf = ({ collection, key }: RecordKey): string => JSON.stringify([collection, key]);

/** One statement a gate, ascending by key (decisions 3.2). The first refusal stands; the rest need no lock then. */
async function lockGates(tx: FencedTx, gates: readonly GateBasis[]): Promise<NotServing | undefined> {
  const ascending = [...gates].sort((left, right) => Buffer.compare(Buffer.from(left.account), Buffer.from(right.account)));
  for (const basis of ascending) {
    const fence = await lockServingGate(tx, basis);
    if (fence.kind !== 'serving') return fence;
  }
  return undefined;
}

async function write(tx: FencedTx, commit: ApplicationCommit): Promise<CommitApplication> {
  if (!(await holdRecords(tx, commit.records))) return { kind: 'records-moved' };
  if (await commandsThatExist(tx, commit.commands)) return { kind: 'command-conflict' };
  await applyChanges(tx, commit.changes);
  await authorOutbound(tx, commit.commands);
  await tx.insert(runApplicationResult, [
    {
      command_id: commit.commandId,
      execution_ref_digest: commit.executionRefDigest,
      outcome: commit.outcome,
      reason: commit.why?.reason ?? null,
      detail: commit.why?.detail ?? null,
      result: commit.result.result,
      result_digest: commit.result.resultDigest,
      commit_receipt: commit.result.commitReceipt,
      commit_receipt_digest: commit.result.commitReceiptDigest,
    },
  ]);
  if (commit.commands.length > 0) {
    await raiseWork(
      tx,
      'effect',
      commit.commands.map(({ account }) => account),
    );
  }
  await raiseWork(tx, 'result', [commit.account]);
  return { kind: 'committed', outcome: commit.outcome, resultDigest: commit.result.resultDigest };
}
