import type { Readable } from 'node:stream';

export type BodyRead = { readonly kind: 'body'; readonly body: Buffer } | { readonly kind: 'too-large' } | { readonly kind: 'cut-off' };

interface Incoming extends Readable {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Reads a body up to `max` bytes. One byte more, announced or sent, ends the reading: the rest is never taken in. */
export async function readBody(request: Incoming, max: number): Promise<BodyRead> {
  if (Number(request.headers['content-length'] ?? 0) > max) return { kind: 'too-large' };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > max) return { kind: 'too-large' };
      chunks.push(chunk);
    }
  } catch {
    return { kind: 'cut-off' };
  }
  return { kind: 'body', body: Buffer.concat(chunks, size) };
}
