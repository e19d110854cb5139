import type { Json } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import type { Handler, Question, RecordKey, RecordSeen } from '@connector/runtime/model/application';
import type { RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import type { EpochView } from '@connector/services/epoch-view/src/epoch-view';
import { authorCommands } from './author-commands';
import { checkAnswer, checkWants } from './check-answer';
import { asked, refusing, Refused, type Refusal } from './refusal';
import type { Ending } from './result-documents';

/** One command with everything that its answer depends on but the records. */
export interface Case {
  readonly command: RuntimeCommand;
  readonly view: EpochView;
  readonly handler: Handler;
}

export type Wanted = { readonly kind: 'wanted'; readonly keys: readonly RecordKey[] };
export type Decided = { readonly kind: 'decided' } & Ending;

/** The records that the handler wants to see. */
export function wantedBy({ command, handler }: Case): Wanted | Refusal {
  return refusing((): Wanted => {
    const question = questionOf(command);
    const keys = asked(() => handler.wants(question).map(({ collection, key }) => ({ collection, key })));
    checkWants(keys);
    return { kind: 'wanted', keys };
  });
}

/** The handler's answer to these records, with its intents authored. Pure: no transaction is open, and none is needed (decisions 13.8). */
export function decide({ command, view, handler }: Case, records: readonly RecordSeen[]): Decided | Refusal {
  return refusing((): Decided => {
    const question = questionOf(command);
    // A copy, so that a handler which writes into what it was given changes nothing that the commit compares.
    const answer = asked(() => handler.answer(question, structuredClone(records)));
    checkAnswer(answer, records);
    const commands = authorCommands(view, command, answer.commands);
    return { kind: 'decided', outcome: answer.outcome, records, changes: answer.changes, commands };
  });
}

/** What is committed of a refusal: its name is in the log, and the command has its terminal fact. */
export const FAILED: Ending = { outcome: 'failed', records: [], changes: [], commands: [] };

/** Parsed anew for every question: what one run did to it the next must not see. */
function questionOf({ account, input }: RuntimeCommand): Question {
  return { account, input: jsonOf(input) };
}

function jsonOf(bytes: Buffer): Json {
  const parsed = parseStrict(bytes);
  if (!parsed.ok) throw new Refused('input-not-json', parsed.code);
  return parsed.value;
}
