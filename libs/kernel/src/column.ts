import type { Instant } from './brand';
import { Digest } from './digest';
import { DefectFault, InputFault } from './faults';
import type { IdKind, IdName, IdText } from './ids';

/** What may be handed to the driver as a parameter. Nothing else is: no Date, no object, no float. */
export type Param = Buffer | bigint | number | string | null;

/** One column: its type in the database, and the only way in and out of it. */
export interface Column<T> {
  readonly ddl: string;
  readonly nullable: boolean;
  readonly default?: string;
  encode(value: T): Param;
  decode(raw: unknown): T;
}
export type ValueOf<C> = C extends Column<infer T> ? T : never;

function bytesOf(raw: unknown, what: string): Buffer {
  if (Buffer.isBuffer(raw)) return raw;
  if (typeof raw === 'string') return Buffer.from(raw, 'utf8');
  throw new DefectFault('HOUSE:kernel:ColumnDecode', `${what}: expected bytes, found ${typeof raw}`);
}

/** 16 bytes outside, `xyz_…` inside. */
export function id<Name extends IdName>(kind: IdKind<Name>): Column<IdText<Name>> {
  return { ddl: 'BINARY(16)', nullable: false, encode: (value) => kind.bytes(value), decode: (raw) => kind.of(bytesOf(raw, kind.name)) };
}

export function digest(): Column<Digest> {
  return { ddl: 'BINARY(32)', nullable: false, encode: (value) => Digest.bytes(value), decode: (raw) => Digest.of(bytesOf(raw, 'digest')) };
}

/** A name from outside: at most `size` bytes of UTF-8, compared byte for byte. */
export function name<T extends string = string>(size: number): Column<T> {
  return {
    ddl: `VARBINARY(${size})`,
    nullable: false,
    encode: (value) => {
      const bytes = Buffer.from(value, 'utf8');
      if (bytes.length > size) throw new InputFault('HOUSE:kernel:NameTooLong', `at most ${size} bytes, found ${bytes.length}`);
      return bytes;
    },
    decode: (raw) => bytesOf(raw, 'name').toString('utf8') as T,
  };
}

/** A word of a closed set (a state, a kind, a code); the owner's model says which words there are. */
export function word<T extends string = string>(size = 32): Column<T> {
  return name<T>(size);
}

/** Bytes as they are, at most `size`. */
export function bytes(size: number): Column<Buffer> {
  const ddl = size <= 65_535 - 1024 ? `VARBINARY(${size})` : 'MEDIUMBLOB';
  return {
    ddl,
    nullable: false,
    encode: (value) => {
      if (value.length > size) throw new InputFault('HOUSE:kernel:BytesTooLong', `at most ${size} bytes, found ${value.length}`);
      return value;
    },
    decode: (raw) => bytesOf(raw, 'bytes'),
  };
}

/** Exactly `size` bytes. */
export function binary(size: number): Column<Buffer> {
  return {
    ddl: `BINARY(${size})`,
    nullable: false,
    encode: (value) => {
      if (value.length !== size) throw new InputFault('HOUSE:kernel:BytesLength', `exactly ${size} bytes, found ${value.length}`);
      return value;
    },
    decode: (raw) => bytesOf(raw, 'binary'),
  };
}

/** BIGINT UNSIGNED as bigint, without loss. */
export function u64<T extends bigint = bigint>(): Column<T> {
  return {
    ddl: 'BIGINT UNSIGNED',
    nullable: false,
    encode: (value) => {
      if (value < 0n || value > 18446744073709551615n) throw new InputFault('HOUSE:kernel:OutOfRange', `u64 out of range: ${value}`);
      return value;
    },
    decode: (raw) => BigInt(raw as string | number) as T,
  };
}

/** INT UNSIGNED as number. */
export function int(): Column<number> {
  return {
    ddl: 'INT UNSIGNED',
    nullable: false,
    encode: (value) => {
      if (!Number.isInteger(value) || value < 0 || value > 4294967295)
        throw new InputFault('HOUSE:kernel:OutOfRange', `u32 out of range: ${value}`);
      return value;
    },
    decode: (raw) => Number(raw),
  };
}

export function flag(): Column<boolean> {
  return { ddl: 'TINYINT UNSIGNED', nullable: false, encode: (value) => (value ? 1 : 0), decode: (raw) => Number(raw) === 1 };
}

/** DATETIME(6) in UTC; written by the database's clock, `NOW(6)`, or from a value that it gave. */
export function instant(): Column<Instant> {
  return {
    ddl: 'DATETIME(6)',
    nullable: false,
    encode: (value) => value.replace('T', ' ').replace('Z', ''),
    decode: (raw) => `${bytesOf(raw, 'instant').toString('utf8').replace(' ', 'T')}Z` as Instant,
  };
}

/** Set by the database when the row is inserted. */
export function born(): Column<Instant> & { readonly default: string } {
  return { ...instant(), default: 'CURRENT_TIMESTAMP(6)' };
}

export function nullable<T>(column: Column<T>): Column<T | null> {
  return {
    ...column,
    nullable: true,
    encode: (value) => (value === null ? null : column.encode(value)),
    decode: (raw) => (raw === null || raw === undefined ? null : column.decode(raw)),
  };
}
