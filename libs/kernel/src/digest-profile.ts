import { Digest } from './digest';
import { InputFault } from './faults';
import { isWellFormed } from './jcs';

/** The only profile that authors (con:DIG-06). Its id is the first thing that every digest hashes (con:DIG-03). */
export const DIGEST_PROFILE = 'nexuscrm.connector-digest-profile.v2';
export type DigestProfile = typeof DIGEST_PROFILE;

export type ResolvedProfile = { readonly kind: 'v2' } | { readonly kind: 'read-unsupported'; readonly form: 'v1' | 'unprofiled' };

/**
 * The state that a stored profile id names, by the id alone: never by a digest's shape, a row's age or its neighbours (con:DIG-08).
 * `null` is the unprofiled form; an empty, unknown or almost right id is none of the three and is an InputFault (con:DIG-07).
 */
export function resolveProfile(id: string | null): ResolvedProfile {
  if (id === DIGEST_PROFILE) return { kind: 'v2' };
  if (id === 'nexuscrm.connector-digest-profile.v1') return { kind: 'read-unsupported', form: 'v1' };
  if (id === null) return { kind: 'read-unsupported', form: 'unprofiled' };
  throw new InputFault('HOUSE:kernel:DigestProfileUnknown', 'no digest profile has this id');
}

/** A digest with the profile id that is stored beside it (con:DIG-01). */
export interface ProfiledDigest {
  readonly profile: string | null;
  readonly digest: Digest;
}

/** Two digests say something about each other only under one profile that we can read (con:DIG-13). */
export function compareDigests(left: ProfiledDigest, right: ProfiledDigest): { readonly kind: 'equal' | 'different' | 'incomparable' } {
  const readable = [left, right].every(({ profile }) => resolveProfile(profile).kind === 'v2');
  if (!readable) return { kind: 'incomparable' };
  return { kind: left.digest === right.digest ? 'equal' : 'different' };
}

export interface Lineage {
  readonly lineageId: string;
  readonly catalogRevision: bigint;
  readonly activationEpoch: bigint;
}

export interface Digested {
  readonly profile: DigestProfile;
  readonly digest: Digest;
  /** Exactly what SHA-256 read. */
  readonly preimage: Buffer;
}

const U64_MAX = 18446744073709551615n;

function refuse(field: string, what: string): never {
  throw new InputFault('HOUSE:kernel:NotDigestible', `${field}: ${what}`);
}

function u64(field: string, value: bigint | number): Buffer {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) refuse(field, 'not an exact integer');
  const exact = BigInt(value);
  if (exact < 0n || exact > U64_MAX) refuse(field, 'not an unsigned 64-bit integer');
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(exact);
  return bytes;
}

/** Fields framed one after the other, before anything is hashed. The names are for the reader and for messages; no byte depends on them. */
export class FieldWriter {
  private readonly parts: Buffer[] = [];

  /** Its length, then a copy of the bytes: what the caller does with the source later changes nothing (con:DIG-15). */
  bytes(field: string, value: Uint8Array): this {
    this.parts.push(u64(field, value.length), Buffer.from(value));
    return this;
  }

  /** The 16 bytes of an id. */
  id(field: string, value: Uint8Array): this {
    if (value.length !== 16) refuse(field, `an id has 16 bytes, found ${value.length}`);
    return this.bytes(field, value);
  }

  /** The 32 raw bytes, as their owner gave them. */
  digest(field: string, value: Digest): this {
    return this.bytes(field, Digest.bytes(Digest.parse(value)));
  }

  text(field: string, value: string): this {
    if (!isWellFormed(value)) refuse(field, 'an unpaired surrogate');
    return this.bytes(field, Buffer.from(value, 'utf8'));
  }

  int(field: string, value: bigint | number): this {
    this.parts.push(u64(field, value));
    return this;
  }

  list<T>(field: string, items: readonly T[], write: (writer: this, item: T, index: number) => unknown): this {
    this.int(field, items.length);
    items.forEach((item, index) => write(this, item, index));
    return this;
  }

  /** One byte says whether it is there, so that absence and emptiness differ. */
  opt<T>(_field: string, value: T | null, write: (writer: this, value: T) => unknown): this {
    this.parts.push(Buffer.from([value === null ? 0 : 1]));
    if (value !== null) write(this, value);
    return this;
  }

  optText(field: string, value: string | null): this {
    return this.opt(field, value, (writer, text) => writer.text(field, text));
  }

  lineage(field: string, value: Lineage): this {
    return this.text(field, value.lineageId).int(field, value.catalogRevision).int(field, value.activationEpoch);
  }

  framed(): Buffer {
    return Buffer.concat(this.parts);
  }
}

/** SHA-256 over profile, purpose and fields (digests.md 1): one purpose per meaning, so that no digest stands for two things. */
export class DigestBuilder extends FieldWriter {
  constructor(
    private readonly profile: DigestProfile,
    purpose: string,
  ) {
    super();
    if (resolveProfile(profile).kind !== 'v2') refuse('profile', 'authoring under this profile is refused');
    if (purpose === '') refuse('purpose', 'empty');
    this.text('profile', profile).text('purpose', purpose);
  }

  build(): Digested {
    const preimage = this.framed();
    return { profile: this.profile, digest: Digest.sha256(preimage), preimage };
  }
}
