import type { Json } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import {
  REASON_DETAIL_BYTES_MAX,
  type Handler,
  type Question,
  type RecordKey,
  type RecordSeen,
} from '@connector/runtime/model/application';
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
    checkAnswer(handler, answer, records);
    const commands = authorCommands(view, command, answer.commands);
    const why = answer.reason === undefined ? null : { reason: answer.reason, detail: null };
    return { kind: 'decided', outcome: answer.outcome, why, records, changes: answer.changes, commands };
  });
}

/** What is committed of a refusal: the command has its terminal fact, and beside it why. */
export function failedBy({ code: reason, detail }: Refusal): Ending {
  return { outcome: 'failed', why: { reason, detail: cut(detail) }, records: [], changes: [], commands: [] };
}

/** As much of it as the row holds; a handler's name for its fault and a pack's message have no limit of their own. */
function cut(detail: string): string {
  const bytes = Buffer.from(detail, 'utf8');
  // Two bytes less: a character that the cut goes through decodes as U+FFFD, which may be that much longer than what is left of it.
  return bytes.length <= REASON_DETAIL_BYTES_MAX ? detail : bytes.toString('utf8', 0, REASON_DETAIL_BYTES_MAX - 2);
}

/** Parsed anew for every question: what one run did to it the next must not see. */
function questionOf({ account, input }: RuntimeCommand): Question {
  return { account, input: jsonOf(input) };
}

function jsonOf(bytes: Buffer): Json {
  const parsed = parseStrict(bytes);
  if (!parsed.ok) throw new Refused('input-not-json', parsed.code);
  return parsed.value;
}
