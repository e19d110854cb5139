import { DOCUMENT_FAULTS_MAX, type DocumentFault } from '@connector/kernel/document-fault';
import { compareUtf8 } from '@connector/kernel/document-order';
import { bindingKey, type ViewBinding } from './documents';

/** Why a membership is not set: the first hundred faults, and how many more there are. */
export interface MembershipFaults {
  readonly faults: readonly DocumentFault[];
  readonly more: number;
}

export function faultsOf(all: readonly DocumentFault[]): MembershipFaults {
  return { faults: all.slice(0, DOCUMENT_FAULTS_MAX), more: Math.max(0, all.length - DOCUMENT_FAULTS_MAX) };
}

/** A stable name, never a value: no upper case, no `=`, at most 128 bytes; a token or a password is none (cat:INT-15). */
const REF = /^[a-z][a-z0-9]*(?:[._/-][a-z0-9]+)*$/;
const REF_BYTES_MAX = 128;

/** What is wrong with the bindings by themselves; pointers are into the list. */
export function membershipFaults(bindings: readonly ViewBinding[]): readonly DocumentFault[] {
  return [...repeated(bindings), ...twoGenerations(bindings), ...bindings.flatMap((binding, at) => refFaults(binding.credential_refs, at))];
}

const textOf = (parts: readonly string[]): string => JSON.stringify(parts);

function repeated(bindings: readonly ViewBinding[]): readonly DocumentFault[] {
  const first = new Map<string, number>();
  return bindings.flatMap((binding, at) => {
    const key = textOf(bindingKey(binding));
    const before = first.get(key);
    if (before === undefined) first.set(key, at);
    if (before === undefined) return [];
    return [
      { pointer: `/${at}`, code: 'DUPLICATE', rule: 'cat:INT-05', expected: 'each binding once', found: `the binding of /${before}` },
    ];
  });
}

/** One view is computed from one generation of a pack: a name in it means one definition. */
function twoGenerations(bindings: readonly ViewBinding[]): readonly DocumentFault[] {
  const generations = new Map<string, string>();
  return bindings.flatMap(({ owner_pack, pack_installation_id, pack_payload_digest }, at) => {
    const pack = textOf([owner_pack, pack_installation_id]);
    const before = generations.get(pack) ?? pack_payload_digest;
    generations.set(pack, before);
    if (before === pack_payload_digest) return [];
    const pointer = `/${at}/pack_payload_digest`;
    return [
      { pointer, code: 'BINDING_DRIFT', rule: 'cat:INT-01', expected: `one generation of a pack, ${before}`, found: pack_payload_digest },
    ];
  });
}

function refFaults(refs: readonly string[], binding: number): readonly DocumentFault[] {
  return refs.flatMap((ref, at) => {
    const fault = (code: string, expected: string, found: string): readonly DocumentFault[] => [
      { pointer: `/${binding}/credential_refs/${at}`, code, rule: 'cat:INT-15', expected, found },
    ];
    // What looks like no name may be a secret: it is not repeated.
    if (ref.length > REF_BYTES_MAX || !REF.test(ref)) {
      return fault('ID_NOT_CANONICAL', 'words of a-z and 0-9 joined by . _ - /, at most 128 bytes', `a text of ${ref.length} characters`);
    }
    const order = compareUtf8(refs[at - 1] ?? '', ref);
    if (order === 0) return fault('DUPLICATE', 'each reference once', ref);
    return order < 0 ? [] : fault('SET_NOT_CANONICAL', 'references in bytewise order', ref);
  });
}
