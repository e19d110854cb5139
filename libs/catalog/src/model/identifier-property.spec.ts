import * as fc from 'fast-check';
import { InputFault } from '@connector/kernel/faults';
import {
  Alias,
  AppId,
  CapabilityId,
  ComponentKind,
  HandlerRef,
  type Identifier,
  NamespaceId,
  ProtocolId,
  PublisherId,
  WorkloadId,
} from './identifier';

const seed = Date.now() % 2_147_483_647;
beforeAll(() => console.log(`identifier: fast-check seed ${seed}`));
const holds = <T extends unknown[]>(property: fc.IProperty<T>, numRuns: number): void => fc.assert(property, { seed, numRuns });

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const INNER = [...LETTERS, ...'0123456789-'];
const [letters, inner] = [new Set(LETTERS), new Set(INNER)];

/** The grammar a second time, letter by letter and without a pattern: what a name is, and nothing of how one is read. */
function isSegment(text: string): boolean {
  const chars = [...text];
  return (
    chars.length >= 1 && chars.length <= 63 && letters.has(chars[0] ?? '') && chars.at(-1) !== '-' && chars.every((one) => inner.has(one))
  );
}
function isName(text: string, segments: number): boolean {
  const parts = text.split('.');
  return parts.length >= segments && parts.every(isSegment) && Buffer.byteLength(text) <= 128;
}
const lastOf = (text: string): string => text.split('.').at(-1) ?? '';
const isDigits = (text: string): boolean => text !== '' && [...text].every((one) => one >= '0' && one <= '9');
const isMajor = (text: string): boolean => text.startsWith('v') && isDigits(text.slice(1)) && text[1] !== '0';
const isVersioned = (text: string): boolean => isName(text, 2) && isMajor(lastOf(text));

const KINDS: readonly (readonly [name: string, one: Identifier<string>, is: (text: string) => boolean])[] = [
  ['PublisherId', PublisherId, (text) => isName(text, 2)],
  ['AppId', AppId, (text) => isName(text, 3)],
  ['NamespaceId', NamespaceId, (text) => isName(text, 2)],
  ['WorkloadId', WorkloadId, (text) => isName(text, 2)],
  ['CapabilityId', CapabilityId, isVersioned],
  ['HandlerRef', HandlerRef, isVersioned],
  ['ComponentKind', ComponentKind, isVersioned],
  ['ProtocolId', ProtocolId, (text) => isName(text, 2) && !(lastOf(text).startsWith('v') && isDigits(lastOf(text).slice(1)))],
  ['Alias', Alias, isSegment],
];

/** Throws unless what is read is the very text, or InputFault and no value at all. */
function expectRead(kind: string, one: Identifier<string>, text: string, canonical: boolean): void {
  let found: unknown;
  try {
    found = one.parse(text);
  } catch (thrown) {
    found = thrown instanceof InputFault && thrown.code === 'CATALOG:ID_NOT_CANONICAL' ? undefined : thrown;
  }
  if (found !== (canonical ? text : undefined) || one.is(text) !== canonical)
    throw new Error(`${kind} of ${JSON.stringify(text)}: ${String(found)}, expected ${canonical ? 'the text' : 'a refusal'}`);
}

const end = fc.constantFrom(...LETTERS, ...'0123456789');
const segment = fc
  .tuple(fc.constantFrom(...LETTERS), fc.array(fc.constantFrom(...INNER), { maxLength: 8 }), fc.option(end))
  .map(([first, middle, last]) => (last === null ? first : first + middle.join('') + last));
const name = fc.array(segment, { minLength: 3, maxLength: 5 }).map((parts) => parts.join('.'));
/** Pieces that names are nearly made of. */
const near = fc
  .array(
    fc.oneof(
      segment,
      fc.constantFrom('.', '.', '-', 'v1', '.v0', '.v12', 'A', ' ', '\n', '\0', '\u00a0', '\u043e', '\uff0e', '_', '', 'a'.repeat(62)),
    ),
    {
      maxLength: 7,
    },
  )
  .map((parts) => parts.join(''));

const SPACES = [' ', '\t', '\n', '\r', '\u00a0', '\u2003', '\u3000', '\ufeff', '\u200b'];
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: '\u0430',
  c: '\u0441',
  e: '\u0435',
  o: '\u043e',
  p: '\u0440',
  x: '\u0445',
  '.': '\uff0e',
  '-': '\u2010',
};
type Damage = (text: string, at: number) => string;
const put: (what: string) => Damage = (what) => (text, at) =>
  text.slice(0, at % (text.length + 1)) + what + text.slice(at % (text.length + 1));
const replaced: (by: (char: string) => string) => Damage = (by) => (text, at) => {
  const place = at % text.length;
  return text.slice(0, place) + by(text[place] ?? '') + text.slice(place + 1);
};
const DAMAGES: Readonly<Record<string, Damage>> = {
  'white space before': (text, at) => `${SPACES[at % SPACES.length]}${text}`,
  'white space behind': (text, at) => `${text}${SPACES[at % SPACES.length]}`,
  'a capital': (text, at) => replaced((char) => char.toUpperCase())(text, at),
  'a letter of full width': (text, at) => replaced((char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0))(text, at),
  'a lookalike': (text, at) => replaced((char) => LOOKALIKES[char] ?? char)(text, at),
  'a mark on a letter': (text, at) => put('\u0301')(text, at),
  'an empty segment': (text, at) =>
    ['.', ''].map((edge) => edge + text + (edge === '' ? '.' : '')).concat(text.replace('.', '..'))[at % 3] ?? '',
  overlength: (text) => `${text}.${'a'.repeat(63)}.${'a'.repeat(63)}`,
  'a long segment': (text) => `${text.slice(0, text.lastIndexOf('.') + 1)}${'a'.repeat(64)}`,
};

describe('names, generated', () => {
  it('as the grammar says, and then the very bytes: any text read as a name of any kind (cat:ID-01, cat:ID-02, cat:ID-03, cat:ID-05)', () => {
    const canonical = new Map(KINDS.map(([kind]) => [kind, 0]));
    holds(
      fc.property(fc.oneof(name, near, fc.string({ unit: 'binary', maxLength: 12 })), (text) => {
        for (const [kind, one, is] of KINDS) {
          expectRead(kind, one, text, is(text));
          canonical.set(kind, (canonical.get(kind) ?? 0) + Number(is(text)));
        }
      }),
      2_500,
    );
    expect(Math.min(...canonical.values())).toBeGreaterThan(0);
  });

  it.each(Object.entries(DAMAGES))('refused, and never repaired: a name with %s (cat:ID-05)', (_what, damage) => {
    let damaged = 0;
    holds(
      fc.property(name, fc.nat(), (text, at) => {
        const other = damage(text, at);
        if (other === text) return;
        damaged += 1;
        for (const [kind, one] of KINDS) expectRead(kind, one, other, false);
      }),
      300,
    );
    expect(damaged).toBeGreaterThan(50);
  });
});
