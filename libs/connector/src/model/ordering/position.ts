import { InputFault } from '@connector/kernel/faults';

/**
 * A place in the source's own order. L1 says which value stands where; here it becomes bytes whose order is the order of the values, so
 * that the engine, the database and a test compare in one way (con:ORD-06, con:ORD-20).
 */
export type SourcePosition =
  | { readonly kind: 'u64'; readonly value: bigint }
  | { readonly kind: 'bytes'; readonly value: Buffer }
  /** RFC 3339, UTC, six digits. */
  | { readonly kind: 'instant'; readonly value: string };
export type PositionKind = SourcePosition['kind'];

/** How values of a kind are compared; another way is another version beside these (con:ORD-07). */
export const COMPARATORS: Readonly<Record<PositionKind, string>> = { u64: 'u64/v1', bytes: 'bytewise/v1', instant: 'instant/v1' };

/** A position with its tie-breaker, each as exact bytes; of a contract without tie-breaker it is empty. */
export interface Place {
  readonly position: Buffer;
  readonly tieBreaker: Buffer;
}

export const POSITION_BYTES_MAX = 255;
const U64_MAX = 18_446_744_073_709_551_615n;
const INSTANT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z$/;

/** Bytes that compare as the values do; InputFault where a value is not canonical. */
export function positionBytes(position: SourcePosition): Buffer {
  switch (position.kind) {
    case 'u64':
      return u64Bytes(position.value);
    case 'bytes':
      if (position.value.length === 0 || position.value.length > POSITION_BYTES_MAX) throw notCanonical('1 to 255 bytes');
      return Buffer.from(position.value);
    case 'instant':
      // Of one length and from the greatest unit to the smallest: as text it stands in the order of time.
      if (!INSTANT.test(position.value)) throw notCanonical('an instant in UTC with six digits');
      return Buffer.from(position.value, 'ascii');
  }
}

function u64Bytes(value: bigint): Buffer {
  if (value < 0n || value > U64_MAX) throw notCanonical('an integer of 64 bits from 0');
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

/** The exact successor under `plus_one`; undefined behind the last one. */
export function plusOne(position: Buffer): Buffer | undefined {
  const value = position.readBigUInt64BE();
  return value === U64_MAX ? undefined : u64Bytes(value + 1n);
}

/** Total: two places are equal only where every byte is. */
export function comparePlaces(left: Place, right: Place): number {
  return Buffer.compare(left.position, right.position) || Buffer.compare(left.tieBreaker, right.tieBreaker);
}

/** For people. Bytes that are no plain text are shown in hex. */
export function positionText(kind: PositionKind, bytes: Buffer): string {
  if (kind === 'u64') return bytes.readBigUInt64BE().toString();
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) && !/\p{C}/u.test(text) ? text : `0x${bytes.toString('hex')}`;
}

export function positionKind(word: string): PositionKind {
  if (word === 'u64' || word === 'bytes' || word === 'instant') return word;
  throw new InputFault('HOUSE:connector:PositionKind', `no kind of position is called ${word}`);
}

function notCanonical(expected: string): InputFault {
  return new InputFault('HOUSE:connector:PositionNotCanonical', `expected ${expected}`);
}
