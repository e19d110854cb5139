import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';

export const BODY_BYTES_MAX = 64 * 1024;

export interface ReadBody {
  readonly kind: 'whole' | 'cut' | 'too-large';
  /** What arrived, up to the limit. */
  readonly bytes: Buffer;
  /** How much arrived. */
  readonly size: number;
}

/** Never rejects: a body that ends early is a fact for the ledger. */
export function readBody(req: IncomingMessage, onBytes: (count: number) => void): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const done = (kind: ReadBody['kind']): void => resolve({ kind, bytes: Buffer.concat(chunks), size });
    req.on('data', (chunk: Buffer) => {
      onBytes(chunk.length);
      size += chunk.length;
      if (size > BODY_BYTES_MAX) return done('too-large');
      chunks.push(chunk);
    });
    req.once('end', () => done('whole'));
    req.once('error', () => done('cut'));
    req.once('close', () => done('cut'));
  });
}

export function jsonObjectOf(bytes: Buffer): JsonObject | undefined {
  const read = parseStrict(bytes);
  return read.ok && isObject(read.value) ? { ...read.value } : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
