import type { Migration } from './migration';
import { conversion } from './main-0007-conversion/conversion';

/** Breaking: older code would upgrade a converted App beneath the readers that the ledger names (cat:COEX-04). */
export const mainConversion: Migration = { revision: 7, name: 'conversion', breaking: true, statements: [...conversion] };
