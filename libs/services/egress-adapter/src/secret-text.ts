/** The secret without the newline with which an editor may have ended its file; a view of the same memory. */
export const secretBytes = (secret: Buffer): Buffer => secret.subarray(0, secret.at(-1) === 0x0a ? -1 : undefined);

/** As a header holds it. The text cannot be zeroed: it lives until the request is collected. */
export const secretText = (secret: Buffer): string => secretBytes(secret).toString('latin1');
