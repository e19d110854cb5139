/**
 * Every bound of the pack engine, in one place. A bound that publication can see is checked there and the expression is refused with its
 * estimate; a bound that only a value shows (a long text, a long list) is a named refusal of that item. No bound is a timer.
 */

/**
 * A pack: the bytes of `pack.json`; the members and items of all its values and the characters of all its texts, since the schemas report on
 * each value and a parser takes some microseconds a character; its definitions; and the canonical bytes of one of them.
 */
export const PACK_BYTES_MAX = 1_048_576;
export const PACK_VALUES_MAX = 20_000;
export const PACK_TEXT_MAX = 65_536;
export const DEFINITIONS_MAX = 500;
export const DEFINITION_BYTES_MAX = 262_144;

/** One expression: characters, brackets within brackets, loops (comprehensions) within loops. */
export const EXPRESSION_CHARS_MAX = 2_048;
export const BRACKET_DEPTH_MAX = 32;
export const LOOP_DEPTH_MAX = 2;
/** Members that a loop may meet, by its depth: what the static estimate counts with, and what the guard in the loop enforces. */
export const LOOP_MEMBERS_MAX = [1_000, 50] as const;

/** Literals in an expression. */
export const LITERAL_CHARS_MAX = 1_024;
export const LITERAL_MEMBERS_MAX = 100;
/** A pattern's weight is its length times the product of its repetition counts: near the number of states of its automaton. */
export const PATTERN_WEIGHT_MAX = 2_000;

/** Static cost, in evaluated nodes (0.1 to 0.25 us each). A route pays for every item that it may meet. */
export const EXPRESSION_COST_MAX = 500_000;
export const DEFINITION_COST_MAX = 1_000_000;

/** Values while evaluating, in UTF-16 units and members. */
export const TEXT_UNITS_MAX = 65_536;
export const NEEDLE_UNITS_MAX = 256;
export const MATCHED_UNITS_MAX = 512;
export const LIST_MEMBERS_MAX = 1_000;

/** What an expression hands back as JSON: containers in containers, values in all. */
export const RESULT_DEPTH_MAX = 32;
export const RESULT_VALUES_MAX = 10_000;

/** An inbound route. */
export const ITEMS_MAX = 5_000;
export const ITEM_BYTES_MAX = 262_144;
export const KEY_PART_BYTES_MAX = 255;
export const KEY_BYTES_MAX = 767;
export const MESSAGE_BYTES_MAX = 500;

/** A request. */
export const SEGMENT_BYTES_MAX = 512;
export const TARGET_BYTES_MAX = 4_096;
export const HEADER_VALUE_BYTES_MAX = 1_024;
export const REQUEST_BODY_BYTES_MAX = 262_144;

/** An answer. */
export const ANSWER_BYTES_MAX = 1_048_576;
export const REMOTE_IDENTITY_BYTES_MAX = 255;
export const RETRY_AFTER_MS_MAX = 86_400_000;

/** An order: a position or a tie-breaker in bytes, and the last position that a u64 has. */
export const POSITION_BYTES_MAX = 255;
export const START_MAX = 18_446_744_073_709_551_615n;
