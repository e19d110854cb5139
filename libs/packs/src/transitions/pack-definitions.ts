import type { BindingKind } from '@connector/kernel/document-binding';
import { jcs } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import { bindingDefinitionDigest, type PackManifest } from '../model/documents';

/** One definition as the pack brings it: its canonical bytes. */
export interface PackDefinition {
  readonly kind: BindingKind;
  readonly businessKey: string;
  readonly definitionVersion: string;
  readonly bytes: Buffer;
}

/** Which definition does not stand as the manifest says. */
export interface DefinitionFault {
  readonly reason: 'definition-missing' | 'definition-extra' | 'definition-repeated' | 'definition-not-canonical' | 'digest-differs';
  readonly definition: string;
}

function nameOf(kind: string, businessKey: string, version: string): string {
  return `${kind} ${businessKey} ${version}`;
}

function isCanonical(bytes: Buffer): boolean {
  const parsed = parseStrict(bytes);
  return parsed.ok && jcs(parsed.value).equals(bytes);
}

/** The manifest's list and what was brought are the same set, each by canonical bytes with the digest that the manifest states. */
export function checkDefinitions({ definitions }: PackManifest, given: readonly PackDefinition[]): DefinitionFault | undefined {
  const wanted = new Map(definitions.map((entry) => [nameOf(entry.kind, entry.business_key, entry.definition_version), entry]));
  const seen = new Set<string>();
  for (const { kind, businessKey, definitionVersion, bytes } of given) {
    const definition = nameOf(kind, businessKey, definitionVersion);
    const entry = wanted.get(definition);
    if (entry === undefined) return { reason: 'definition-extra', definition };
    if (seen.has(definition)) return { reason: 'definition-repeated', definition };
    seen.add(definition);
    if (!isCanonical(bytes)) return { reason: 'definition-not-canonical', definition };
    if (bindingDefinitionDigest(kind, bytes) !== entry.canonical_definition_digest) return { reason: 'digest-differs', definition };
  }
  const missing = [...wanted.keys()].find((definition) => !seen.has(definition));
  return missing === undefined ? undefined : { reason: 'definition-missing', definition: missing };
}
