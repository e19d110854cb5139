import { randomBytes } from 'node:crypto';
import type { Brand, Instant } from './brand';
import { InputFault } from './faults';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const VALUE = new Map([...ALPHABET].map((char, index) => [char, index]));

/** 16 bytes as 26 characters of lower-case Crockford base32, most significant bit first; the last 2 bits of padding are zero. */
function encode32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >>> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text;
}

function decode32(text: string): Buffer | undefined {
  const bytes = Buffer.alloc(16);
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const char of text) {
    const value = VALUE.get(char);
    if (value === undefined) return undefined;
    held = (held << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (held >>> bits) & 255;
      held &= (1 << bits) - 1;
    }
  }
  return at === 16 && held === 0 ? bytes : undefined;
}

/** The prefixes of all text ids, in one table (decisions 13.22). */
export const ID_PREFIXES = {
  ReceiptId: 'rcp',
  EventId: 'evt',
  ProjectionId: 'prj',
  ExecutionId: 'exe',
  CommandId: 'cmd',
  OutboundCommandId: 'obc',
  EffectId: 'eff',
  PermitId: 'prm',
  LinkId: 'lnk',
  EpochId: 'epo',
  ConfigurationId: 'scg',
  CredentialGenerationId: 'crg',
  BindingRowId: 'bnd',
  EffectGenerationId: 'efg',
  OperationId: 'opn',
  AuditId: 'aud',
  GenerationId: 'gen',
  SendToken: 'snd',
  TerminationId: 'trm',
  IsolationId: 'iso',
  CertificateId: 'crt',
  AttemptId: 'att',
  LaneId: 'lan',
} as const;
export type IdName = keyof typeof ID_PREFIXES;
export type IdText<Name extends IdName> = Brand<`${(typeof ID_PREFIXES)[Name]}_${string}`, Name>;

export interface IdKind<Name extends IdName> {
  readonly name: Name;
  readonly prefix: string;
  /** A new id: the account's 4 bytes where one is given, then random ones. Nothing is time-first. */
  mint(accountPrefix?: Uint8Array): IdText<Name>;
  /** The text form, checked; InputFault where it is not canonical. */
  parse(text: string): IdText<Name>;
  of(bytes: Uint8Array): IdText<Name>;
  bytes(id: IdText<Name>): Buffer;
}

function idKind<Name extends IdName>(name: Name): IdKind<Name> {
  const prefix = ID_PREFIXES[name];
  const read = (text: string): Buffer | undefined =>
    text.length === 30 && text.startsWith(`${prefix}_`) ? decode32(text.slice(4)) : undefined;
  return {
    name,
    prefix,
    mint: (accountPrefix) => {
      const bytes = randomBytes(16);
      if (accountPrefix) bytes.set(accountPrefix.subarray(0, 4), 0);
      return `${prefix}_${encode32(bytes)}` as IdText<Name>;
    },
    parse: (text) => {
      if (read(text) === undefined) {
        throw new InputFault('HOUSE:kernel:IdNotCanonical', `expected ${prefix}_ and 26 characters of lower-case Crockford base32`);
      }
      return text as IdText<Name>;
    },
    of: (bytes) => {
      if (bytes.length !== 16) throw new InputFault('HOUSE:kernel:IdNotCanonical', `${name} has 16 bytes, found ${bytes.length}`);
      return `${prefix}_${encode32(bytes)}` as IdText<Name>;
    },
    bytes: (id) => {
      const bytes = read(id);
      if (bytes === undefined)
        throw new InputFault('HOUSE:kernel:IdNotCanonical', `expected ${prefix}_ and 26 characters of lower-case Crockford base32`);
      return bytes;
    },
  };
}

export const ReceiptId = idKind('ReceiptId');
export type ReceiptId = IdText<'ReceiptId'>;
export const EventId = idKind('EventId');
export type EventId = IdText<'EventId'>;
export const ProjectionId = idKind('ProjectionId');
export type ProjectionId = IdText<'ProjectionId'>;
export const ExecutionId = idKind('ExecutionId');
export type ExecutionId = IdText<'ExecutionId'>;
export const CommandId = idKind('CommandId');
export type CommandId = IdText<'CommandId'>;
export const OutboundCommandId = idKind('OutboundCommandId');
export type OutboundCommandId = IdText<'OutboundCommandId'>;
/** One RemoteEffect per OutboundCommand: the same 16 bytes under another prefix (con:REFF-K). */
export const EffectId = idKind('EffectId');
export type EffectId = IdText<'EffectId'>;
export const PermitId = idKind('PermitId');
export type PermitId = IdText<'PermitId'>;
export const LinkId = idKind('LinkId');
export type LinkId = IdText<'LinkId'>;
export const EpochId = idKind('EpochId');
export type EpochId = IdText<'EpochId'>;
export const ConfigurationId = idKind('ConfigurationId');
export type ConfigurationId = IdText<'ConfigurationId'>;
export const CredentialGenerationId = idKind('CredentialGenerationId');
export type CredentialGenerationId = IdText<'CredentialGenerationId'>;
export const BindingRowId = idKind('BindingRowId');
export type BindingRowId = IdText<'BindingRowId'>;
export const EffectGenerationId = idKind('EffectGenerationId');
export type EffectGenerationId = IdText<'EffectGenerationId'>;
/** Made by the caller before the first try; the primary key of one row among the writes (reliability 3.4). */
export const OperationId = idKind('OperationId');
export type OperationId = IdText<'OperationId'>;
export const AuditId = idKind('AuditId');
export type AuditId = IdText<'AuditId'>;
/** One start of one process, minted by whoever started it; what termination and isolation receipts name. */
export const GenerationId = idKind('GenerationId');
export type GenerationId = IdText<'GenerationId'>;
/** Lives in the memory of one SEND invocation and in its permit row, nowhere else (decisions 13.1). */
export const SendToken = idKind('SendToken');
export type SendToken = IdText<'SendToken'>;
export const TerminationId = idKind('TerminationId');
export type TerminationId = IdText<'TerminationId'>;
export const IsolationId = idKind('IsolationId');
export type IsolationId = IdText<'IsolationId'>;
export const CertificateId = idKind('CertificateId');
export type CertificateId = IdText<'CertificateId'>;
export const AttemptId = idKind('AttemptId');
export type AttemptId = IdText<'AttemptId'>;
/** Found again from epoch, route and partition. */
export const LaneId = idKind('LaneId');
export type LaneId = IdText<'LaneId'>;

/** Which kind of id a text is, by its prefix; undefined where no kind has it. */
export function idNameOf(text: string): IdName | undefined {
  const found = Object.entries(ID_PREFIXES).find(([, prefix]) => text.startsWith(`${prefix}_`));
  return found?.[0] as IdName | undefined;
}

/**
 * cat:ID-14: a lower-case UUIDv7 of the database clock's milliseconds and 74 random bits. Unique and of this form, no more: the clock may step
 * back, and nothing orders by it (cat:A-43).
 */
export function mintUuid7(at: Instant): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.parse(at), 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const isUuid7 = (text: string): boolean => UUID7.test(text);
