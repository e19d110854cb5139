/** A request that is found or kept: what the same asking again is answered with (decisions 12.7). */
export const REQUEST = ['read cat_request', 'insert cat_request'] as const;
export const AUDIT = 'insert cat_audit';
/** The next revision of an organization, with what changed (cat:A-26). */
export const TAKE_REVISION = ['update cat_lineage#revision', 'insert cat_revision'] as const;
/** The same, in a door that may be refused. */
export const MAY_TAKE_REVISION = ['update cat_lineage#revision?', 'insert cat_revision?'] as const;
