import type { Brand } from '@connector/kernel/brand';
import { InputFault } from '@connector/kernel/faults';

/**
 * Names of the App authority: lower-case ASCII, dot segments, at most 128 bytes (cat:ID-01 to ID-08, A-05 to A-08). They arrive canonical or are
 * refused; nothing is trimmed or folded. Two are the same when their bytes are, so `===` compares them.
 */
const SEGMENT = '[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAMED = new RegExp(`^${SEGMENT}(?:\\.${SEGMENT})+$`);
const ONE = new RegExp(`^${SEGMENT}$`);
const MAJOR = /\.v[1-9][0-9]*$/;
/** `v0` too: a protocol whose name looks like a version is refused, its major is a member of its own (cat:A-07). */
const ANY_VERSION = /\.v[0-9]+$/;
const KEY = /^key256:[0-9a-f]{64}$/;
const NAME_BYTES_MAX = 128;

export interface Identifier<T extends string> {
  /** What a message expects. */
  readonly expected: string;
  readonly is: (text: unknown) => text is T;
  /** InputFault `CATALOG:ID_NOT_CANONICAL`; its message never quotes the text. */
  readonly parse: (text: string) => T;
}

function identifier<T extends string>(expected: string, accepts: (text: string) => boolean): Identifier<T> {
  const is = (text: unknown): text is T => typeof text === 'string' && accepts(text);
  const parse = (text: string): T => {
    if (is(text)) return text;
    throw new InputFault('CATALOG:ID_NOT_CANONICAL', `expected ${expected}`);
  };
  return { expected, is, parse };
}

// The length is tested first, so no pattern sees more than 128 units.
const named = (text: string): boolean => text.length <= NAME_BYTES_MAX && NAMED.test(text);
const versioned = (text: string): boolean => named(text) && MAJOR.test(text);
const SEGMENTS = 'dot segments of a-z, 0-9 and -, at most 128 bytes in all';

export type PublisherId = Brand<string, 'PublisherId'>;
export const PublisherId = identifier<PublisherId>(`two or more ${SEGMENTS}`, named);

/** No function computes one: it is what the first manifest says (cat:ID-09). */
export type AppId = Brand<string, 'AppId'>;
export const AppId = identifier<AppId>(`three or more ${SEGMENTS}`, (text) => named(text) && text.split('.').length >= 3);

/** Of an App, of an engine or of the Runtime: one grammar. */
export type CapabilityId = Brand<string, 'CapabilityId'>;
export const CapabilityId = identifier<CapabilityId>(`${SEGMENTS}, the last one v1, v2, …`, versioned);

export type HandlerRef = Brand<string, 'HandlerRef'>;
export const HandlerRef = identifier<HandlerRef>(`${SEGMENTS}, the last one v1, v2, …`, versioned);

export type NamespaceId = Brand<string, 'NamespaceId'>;
export const NamespaceId = identifier<NamespaceId>(`two or more ${SEGMENTS}`, named);

export type ComponentKind = Brand<string, 'ComponentKind'>;
export const ComponentKind = identifier<ComponentKind>(`${SEGMENTS}, the last one v1, v2, …`, versioned);

export type ProtocolId = Brand<string, 'ProtocolId'>;
export const ProtocolId = identifier<ProtocolId>(
  `two or more ${SEGMENTS}, the last one no version`,
  (text) => named(text) && !ANY_VERSION.test(text),
);

export type WorkloadId = Brand<string, 'WorkloadId'>;
export const WorkloadId = identifier<WorkloadId>(`two or more ${SEGMENTS}`, named);

export type LocalComponentKey = Brand<string, 'LocalComponentKey'>;
export const LocalComponentKey = identifier<LocalComponentKey>('key256: and 64 lower-case hex digits', (text) => KEY.test(text));

export type Alias = Brand<string, 'Alias'>;
export const Alias = identifier<Alias>('one segment of a-z, 0-9 and -, at most 63 bytes', (text) => text.length <= 63 && ONE.test(text));
