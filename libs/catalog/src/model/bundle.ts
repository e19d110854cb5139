import { isBusinessKey, isDefinitionVersion } from './bundle-words';
import { Alias, ComponentKind, NamespaceId } from './identifier';
import { type Closed, closed, digest, id, keyOfMembers, keyOfText, leaf, type Rule, type RuleType, setOf, uint32, word } from './rules';

const BUNDLE: Closed = { code: 'BUNDLE_NOT_CLOSED', rule: 'BUN-02' };

const businessKey: Rule<string> = leaf(
  'BUSINESS_KEY',
  'BUN-05',
  '1 to 512 bytes, NFC, no control characters, no white space at the ends, no address',
  isBusinessKey,
);

const externalRef = closed(BUNDLE, {
  dependency_alias: id(Alias, 'A-08'),
  namespace_id: id(NamespaceId, 'A-05'),
  component_kind: id(ComponentKind, 'A-06'),
  business_key: businessKey,
});
/** Field by field, not as one glued text (cat:A-10). */
const refKey = keyOfMembers('dependency_alias', 'namespace_id', 'component_kind', 'business_key');

export const descriptorRule = closed(BUNDLE, {
  component_id: digest,
  component_kind: id(ComponentKind, 'A-06'),
  component_format_version: uint32(1, 'BUN-10'),
  namespace_id: id(NamespaceId, 'A-05'),
  business_key: businessKey,
  definition_version: leaf('DEFINITION_VERSION', 'A-09', '1 to 64 of A-Z a-z 0-9 . _ -, a letter or digit first', isDefinitionVersion),
  local_dependencies: setOf(BUNDLE, digest, keyOfText, 'BUN-12'),
  external_component_refs: setOf(BUNDLE, externalRef, refKey, 'BUN-13'),
  override_policy: word('POLICY_UNKNOWN', 'BUN-06', 'replace', 'preserve-authorized-overrides'),
  removal_policy: word('POLICY_UNKNOWN', 'BUN-08', 'remove-if-unreferenced', 'block-if-referenced-or-overridden'),
  content_digest: digest,
});
export type ComponentDescriptor = RuleType<typeof descriptorRule>;
export type ExternalComponentRef = ComponentDescriptor['external_component_refs'][number];

/** Hands on every descriptor that is whole: what stands between descriptors is asked of those, so that a faulty one does not hide the rest. */
function handingOn(whole: (descriptor: ComponentDescriptor, at: string) => void): Rule<ComponentDescriptor> {
  return {
    admits: (node, at, sink): node is ComponentDescriptor => {
      const good = descriptorRule.admits(node, at, sink);
      if (good) whole(node, at);
      return good;
    },
  };
}

export function bundleRule(whole: (descriptor: ComponentDescriptor, at: string) => void) {
  return closed(BUNDLE, {
    schema_version: word('SCHEMA_VERSION', 'BUN-02', 'nexuscrm.metadata-bundle/v1'),
    components: setOf(BUNDLE, handingOn(whole), keyOfMembers('component_id'), 'BUN-11'),
  });
}
/** MetadataBundle v1 as its document writes it. */
export type MetadataBundle = RuleType<ReturnType<typeof bundleRule>>;
