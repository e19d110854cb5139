/** Items of one level of a lineage; more are said to be there and not listed. */
export const LEVEL_MAX = 200;
