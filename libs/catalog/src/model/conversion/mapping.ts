import type { DocumentFault } from '@connector/kernel/document-fault';
import { inKeyOrder } from '@connector/kernel/document-order';
import { closed, COUNT, listOf, oneOf, type Shape, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import { documentDigest, documentKind } from '@connector/kernel/document';
import type { Digest } from '@connector/kernel/digest';
import { InputFault } from '@connector/kernel/faults';
import { jcs } from '@connector/kernel/jcs';
import { AppId } from '../identifier';
import { failed } from '../installation/asked';
import { signatureHolds } from '../signing';

/** Written down, and computed from nothing (cat:ID-12, cat:GEN-04). The one App to which a legacy pack is ever converted (cat:CONV-01). */
export const CRM_APP_ID = AppId.parse('io.nexuscrm.sfcrm');

/** What an AppManifest states once, and a legacy manifest stated before it (cat:CONV-14). */
export const FACTS = ['dependency', 'namespace', 'compatibility', 'capability'] as const;
export type FactKind = (typeof FACTS)[number];

const LIST_MAX = 1000;
/** What stands in a key: visible ASCII. */
const word = (bytes: number): Shape<string> => ({ schema: { type: 'string', pattern: `^[\\x21-\\x7e]{1,${bytes}}$` } });
export const mappingShape = closed({
  schema_version: oneOf('nexuscrm.legacy-app-mapping/v1'),
  app_id: TEXT,
  source: closed({ kind: TEXT, uri: TEXT }),
  /** How a component of a legacy kind is named and made as a component of the App. */
  kinds: listOf(closed({ legacy_kind: TEXT, component_kind: TEXT, component_format_version: COUNT, namespace_id: TEXT }), LIST_MAX),
  facts: listOf(closed({ fact: oneOf(...FACTS), legacy: TEXT, target: TEXT }), LIST_MAX),
  /** Every capability of the CRM, with the one owner that serves it: the App, the frozen source, or somebody outside of both. */
  capabilities: listOf(closed({ capability_id: TEXT, owner: oneOf('app', 'legacy', 'retained') }, { retained_by: TEXT }), LIST_MAX),
  /** Who still reads the frozen source; nobody else may, and nobody comes later (cat:COEX-02, cat:COEX-05). */
  legacy_readers: listOf(closed({ reader_id: word(128), kind: word(32), capability_id: word(128) }), LIST_MAX),
});
export type LegacyMapping = TypeOf<typeof mappingShape>;

/** Reviewed input that somebody signed; no rule derives it (cat:CONV-03). The separator is ours (cat:A-37). */
export const legacyMapping = documentKind<LegacyMapping>({
  name: 'legacy App mapping',
  separator: 'nexuscrm.legacy-app-mapping.v1',
  shape: mappingShape,
  arrange: (value) => ({
    ...value,
    kinds: inKeyOrder(value.kinds, ({ legacy_kind: kind }) => [kind]),
    facts: inKeyOrder(value.facts, ({ fact, legacy, target }) => [fact, legacy, target]),
    capabilities: inKeyOrder(value.capabilities, ({ capability_id: capability }) => [capability]),
    legacy_readers: inKeyOrder(value.legacy_readers, ({ reader_id: reader }) => [reader]),
  }),
});

export interface SignedStatement {
  /** Canonical bytes. */
  readonly statement: Buffer;
  /** Ed25519, 64 bytes. */
  readonly signature: Buffer;
}

export type VerifiedMapping =
  | { readonly kind: 'signed'; readonly mapping: LegacyMapping; readonly mappingDigest: Digest }
  | { readonly kind: 'refused'; readonly faults: readonly DocumentFault[] };

/** The mapping, where the operator trust authority signed exactly these bytes and they lead to the App that is written down here. */
export function verifyMapping(given: SignedStatement | undefined, authority: Buffer): VerifiedMapping {
  const refused = (code: string, expected: string, found: string): VerifiedMapping => ({
    kind: 'refused',
    faults: [failed('CONV-03', '/mapping', code, expected, found)],
  });
  if (given === undefined) return refused('MAPPING_ABSENT', 'a signed mapping', 'none');
  if (!signatureHolds(authority, legacyMapping.separator, given.statement, given.signature))
    return refused('MAPPING_UNSIGNED', 'a signature of the operator trust authority', 'another one');
  const parsed = readMapping(given.statement);
  if (parsed === undefined) return refused('MAPPING_SHAPE', 'canonical nexuscrm.legacy-app-mapping/v1', 'other bytes');
  const { value: mapping, digest: mappingDigest } = parsed;
  if (mapping.app_id === CRM_APP_ID) return { kind: 'signed', mapping, mappingDigest };
  return { kind: 'refused', faults: [failed('ID-12', '/mapping', 'MAPPING_OTHER_APP', CRM_APP_ID, mapping.app_id)] };
}

function readMapping(statement: Buffer): ReturnType<typeof legacyMapping.parse> | undefined {
  try {
    return legacyMapping.parse(statement);
  } catch (error) {
    if (error instanceof InputFault) return undefined;
    throw error;
  }
}

/** Which source a mapping is of, whatever its revision: one logical migration converts one (cat:A-38). */
export function sourceIdentity({ kind, uri }: LegacyMapping['source']): Digest {
  return documentDigest('nexuscrm.legacy-source-identity.v1', jcs({ kind, uri }));
}
