import type { RetryPolicy } from '@connector/platform/db/retrying';

/**
 * For a write that only this process can finish: the right to send is in its memory alone, and so is the evidence of a call. Whatever
 * ends the process leaves the permit for isolation (con:PRMT-05).
 */
export const WHILE_WE_LIVE: RetryPolicy = { attempts: Infinity, firstMs: 10, capMs: 5_000 };
