import { type FileHandle, open } from 'node:fs/promises';
import type { Needle } from './canary-needles';

/** Where a needle was found; `offset` in bytes. The secret itself is never repeated. */
export interface Hit {
  readonly form: string;
  readonly offset: number;
}
export interface RowHit extends Hit {
  readonly column: string;
}

const HITS_MAX = 1_000;
const CHUNK_BYTES = 1024 * 1024;

/** Every hit, in order of offset, at most 1,000. */
export function scanBytes(haystack: Buffer, needles: readonly Needle[]): Hit[] {
  const hits: Hit[] = [];
  for (const { form, bytes } of needles) {
    for (let at = haystack.indexOf(bytes); at !== -1 && hits.length < HITS_MAX; at = haystack.indexOf(bytes, at + 1)) {
      hits.push({ form, offset: at });
    }
  }
  return hits.sort((one, other) => one.offset - other.offset);
}

/** Scans the values of a database row as the driver gave them; what is no buffer and no text is looked at in its JSON form. */
export function scanRow(row: Readonly<Record<string, unknown>>, needles: readonly Needle[]): RowHit[] {
  return Object.entries(row).flatMap(([column, value]) => scanBytes(bytesOf(value), needles).map((hit) => ({ column, ...hit })));
}

function bytesOf(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  return Buffer.from(JSON.stringify(value, (_, held: unknown) => (typeof held === 'bigint' ? held.toString() : held)) ?? '', 'utf8');
}

/** Scans a file of any size in chunks that overlap by the longest needle, so that none hides across a seam. */
export async function scanFile(path: string, needles: readonly Needle[], chunkBytes = CHUNK_BYTES): Promise<Hit[]> {
  const file = await open(path, 'r');
  try {
    return await scanChunks(file, needles, chunkBytes);
  } finally {
    await file.close();
  }
}

async function scanChunks(file: FileHandle, needles: readonly Needle[], chunkBytes: number): Promise<Hit[]> {
  const overlap = Math.max(0, ...needles.map(({ bytes }) => bytes.length - 1));
  const lengths = new Map(needles.map(({ form, bytes }) => [form, bytes.length]));
  const window = Buffer.alloc(overlap + chunkBytes);
  const hits: Hit[] = [];
  let kept = 0; // bytes at the start of the window that the last round has seen
  let position = 0; // where the window starts in the file
  for (;;) {
    const { bytesRead } = await file.read(window, kept, chunkBytes, position + kept);
    if (bytesRead === 0 || hits.length >= HITS_MAX) return hits.slice(0, HITS_MAX);
    const filled = kept + bytesRead;
    for (const { form, offset } of scanBytes(window.subarray(0, filled), needles)) {
      // What lies wholly in the overlap was reported by the last round.
      if (offset + (lengths.get(form) ?? 0) > kept) hits.push({ form, offset: position + offset });
    }
    const keep = Math.min(overlap, filled);
    window.copy(window, 0, filled - keep, filled);
    position += filled - keep;
    kept = keep;
  }
}
