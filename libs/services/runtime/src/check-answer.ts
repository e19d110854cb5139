import { InputFault } from '@connector/kernel/faults';
import { jcs, type Json } from '@connector/kernel/jcs';
import {
  COLLECTION_BYTES_MAX,
  COMMANDS_MAX,
  DESTINATIONS_MAX,
  isApplicationOutcome,
  REASON_BYTES_MAX,
  RECORD_BYTES_MAX,
  RECORD_KEY_BYTES_MAX,
  RECORDS_MAX,
  type ApplicationOutcome,
  type CommandIntent,
  type Handler,
  type HandlerAnswer,
  type RecordChange,
  type RecordKey,
} from '@connector/runtime/model/application';
import { demand, Refused } from './refusal';

const nameOf = ({ collection, key }: RecordKey): string => JSON.stringify([collection, key]);
const distinct = (names: readonly string[]): boolean => new Set(names).size === names.length;
const fits = (text: string, bytesMax: number): boolean => text !== '' && Buffer.byteLength(text) <= bytesMax;

/** What a handler may want to read: few records, each once, by names that a row can hold. */
export function checkWants(wants: readonly RecordKey[]): void {
  demand(wants.length <= RECORDS_MAX, 'wants-invalid', `${wants.length} records, at most ${RECORDS_MAX}`);
  demand(distinct(wants.map(nameOf)), 'wants-invalid', 'a record is wanted twice');
  const named = wants.every(({ collection, key }) => fits(collection, COLLECTION_BYTES_MAX) && fits(key, RECORD_KEY_BYTES_MAX));
  demand(named, 'wants-invalid', 'a name that a record cannot have');
}

/** What a handler may answer, given what it read (decisions 13.8). */
export function checkAnswer({ reasons }: Handler, answer: HandlerAnswer, wants: readonly RecordKey[]): void {
  const { outcome, reason, changes, commands } = answer;
  demand(isApplicationOutcome(outcome), 'outcome-unknown', 'not one of the four outcomes');
  const effects = changes.length + commands.length;
  demand(outcome === 'applied' || effects === 0, 'outcome-with-effects', `${outcome} with ${effects} changes and commands`);
  checkReason(reasons, outcome, reason);
  checkChanges(changes, new Set(wants.map(nameOf)));
  checkCommands(commands);
}

/** Who refuses says why, in a word that was declared before the input was there; who does not has nothing to explain. */
function checkReason(reasons: readonly string[], outcome: ApplicationOutcome, reason: string | undefined): void {
  const refuses = outcome === 'rejected' || outcome === 'failed';
  const named = reason !== undefined && reasons.includes(reason) && fits(reason, REASON_BYTES_MAX);
  demand(refuses ? named : reason === undefined, 'reason-invalid', `${outcome} with ${named ? 'a reason' : 'no reason of its own'}`);
}

function checkChanges(changes: readonly RecordChange[], read: ReadonlySet<string>): void {
  demand(changes.length <= RECORDS_MAX, 'too-many-changes', `${changes.length}, at most ${RECORDS_MAX}`);
  const names = changes.map(nameOf);
  demand(distinct(names) && names.every((name) => read.has(name)), 'change-of-unread-record', 'each change is of one record that was read');
  for (const { value } of changes) {
    const bytes = bytesOf(value);
    demand(bytes <= RECORD_BYTES_MAX, 'change-too-large', `a record of ${bytes} bytes, at most ${RECORD_BYTES_MAX}`);
  }
}

function bytesOf(value: Json): number {
  try {
    return jcs(value).length;
  } catch (thrown) {
    if (thrown instanceof InputFault) throw new Refused('change-invalid', 'a value that is not JSON');
    throw thrown;
  }
}

function checkCommands(commands: readonly CommandIntent[]): void {
  demand(commands.length <= COMMANDS_MAX, 'too-many-commands', `${commands.length}, at most ${COMMANDS_MAX}`);
  const accounts = new Set(commands.map(({ account }) => account));
  demand(accounts.size <= DESTINATIONS_MAX, 'too-many-destinations', `${accounts.size}, at most ${DESTINATIONS_MAX}`);
  // Intent and slot are the identity of an effect under its execution; the account is not part of it.
  demand(distinct(commands.map(({ intent, slot }) => JSON.stringify([intent, slot]))), 'intent-twice', 'one intent in one slot twice');
}
