import { DefectFault } from '@connector/kernel/faults';
import type { Json } from '@connector/kernel/jcs';

/** con:ARES-01: the four terminal outcomes of a command. */
export const APPLICATION_OUTCOMES = ['applied', 'noop', 'rejected', 'failed'] as const;
export type ApplicationOutcome = (typeof APPLICATION_OUTCOMES)[number];

export function isApplicationOutcome(word: string): word is ApplicationOutcome {
  return APPLICATION_OUTCOMES.some((outcome) => outcome === word);
}

/** The outcome that a row holds; any other word in it is a defect. */
export function applicationOutcome(word: string): ApplicationOutcome {
  if (!isApplicationOutcome(word)) throw new DefectFault('HOUSE:runtime:OutcomeUnknown', word);
  return word;
}

export interface RecordKey {
  readonly collection: string;
  readonly key: string;
}

/** A record as a handler saw it; version null: there was none. A value of null says the same as no record. */
export interface RecordSeen extends RecordKey {
  readonly version: bigint | null;
  readonly value: Json;
}

/** What a record becomes; only of a record that was read. */
export interface RecordChange extends RecordKey {
  readonly value: Json;
}

/**
 * One external effect that the application wants (con:OAU-W); `effect` is the business key of a push contract, whose intent and slot
 * must be the ones that are stated here: a slot is authored in metadata, never made up by a handler (con:OAU-P).
 */
export interface CommandIntent {
  readonly intent: string;
  readonly slot: string;
  readonly account: string;
  readonly effect: string;
  readonly input: Json;
}

/** What a handler answers: a pure function of its input and of the records that it asked for (decisions 13.8). */
export interface HandlerAnswer {
  readonly outcome: ApplicationOutcome;
  /** One of the handler's `reasons`, where the outcome is `rejected` or `failed`, and there alone. */
  readonly reason?: string;
  readonly changes: readonly RecordChange[];
  readonly commands: readonly CommandIntent[];
}

/** Why a command ended as `rejected` or `failed`: a word of a closed set, and figures or names, never a value of an input. */
export interface Why {
  readonly reason: string;
  readonly detail: string | null;
}

/** What a handler is asked. Nothing else may decide its answer: no clock, no chance, no I/O. */
export interface Question {
  /** Whose change it is; `<provider>/<tenant>`. */
  readonly account: string;
  readonly input: Json;
}

/** A handler bound by id and version to the Runtime tuple of a route. It asks for records by key, then answers. */
export interface Handler {
  readonly id: string;
  readonly version: string;
  /** Why it may answer `rejected` or `failed`. Closed, so that no reason can quote an input. */
  readonly reasons: readonly string[];
  wants(question: Question): readonly RecordKey[];
  /** `records` are those that it wanted, in that order. */
  answer(question: Question, records: readonly RecordSeen[]): HandlerAnswer;
}

/** A command may read and change this many records, and author this many outbound commands, to at most this many accounts. */
export const RECORDS_MAX = 8;
export const COMMANDS_MAX = 32;
export const DESTINATIONS_MAX = 15;
/** Of a reason and of its detail, in UTF-8. */
export const REASON_BYTES_MAX = 32;
export const REASON_DETAIL_BYTES_MAX = 512;
/** Of the parts of a record's name, in UTF-8. */
export const COLLECTION_BYTES_MAX = 64;
export const RECORD_KEY_BYTES_MAX = 255;
/** Of one record's value, as canonical bytes. */
export const RECORD_BYTES_MAX = 262_144;
/** Of one request as it is stored, and of all requests of a command together. */
export const REQUEST_BYTES_MAX = 262_144;
export const REQUESTS_BYTES_MAX = 3_145_728;
