import type { Json } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import { definitionFault, type DefinitionFault } from './definition-fault';
import { PACK_BYTES_MAX, PACK_VALUES_MAX } from './limits';
import { checkPack, type PackCheck } from './publish-check';

const LIMITS = { depth: 64, keys: PACK_VALUES_MAX, stringBytes: PACK_BYTES_MAX };

export type ParsedPack = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly faults: readonly DefinitionFault[] };

/** The value of a `pack.json`: what JSON itself leaves open (a member twice, half a surrogate pair) is a fault like any other. */
export function parsePackBytes(bytes: Uint8Array): ParsedPack {
  if (bytes.length > PACK_BYTES_MAX) {
    const wrong = { expected: `at most ${PACK_BYTES_MAX} bytes`, found: `${bytes.length}`, hint: 'split it into packs' };
    return { ok: false, faults: [definitionFault('too-large', '', wrong)] };
  }
  const parsed = parseStrict(Buffer.from(bytes), LIMITS);
  if (parsed.ok) return parsed;
  const wrong = { expected: 'JSON in UTF-8, each member once', found: `${parsed.code} at byte ${parsed.at}`, hint: parsed.message };
  return { ok: false, faults: [definitionFault('not-json', '', wrong)] };
}

export function checkPackBytes(bytes: Uint8Array): PackCheck {
  const parsed = parsePackBytes(bytes);
  return parsed.ok ? checkPack({ pack: parsed.value }) : parsed;
}
