/**
 * con:SUPD-F: why a position is not applied. `late`: the lane stood at it or beyond when it came. `lower`: a greater one was taken while it
 * waited (con:OPEN-14).
 */
export const SUPERSEDED_REASONS = ['late', 'lower'] as const;
export type SupersededReason = (typeof SUPERSEDED_REASONS)[number];

/** The reason of an execution that will not run because a decision says so. */
export const SUPERSEDED = 'superseded';
/** The reason of an execution that a missing position held back until its frozen deadline, and of the lane that it holds (con:OPEN-17). */
export const ORDER_GAP = 'order_gap';
