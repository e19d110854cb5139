/** This machine's clock, for what a provider signed and for how long something is kept in memory; never for a safety decision (con:INV-19). */
export const unixSeconds = (): number => Math.floor(Date.now() / 1000);

/** Milliseconds that only ever rise. */
export const monotonicMs = (): number => performance.now();
