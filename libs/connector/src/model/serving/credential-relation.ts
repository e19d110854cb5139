import type { AccountConfiguration, ConfigurationDocument, CredentialReceipt, ViewBinding, ViewDocument } from './owner-documents';

/** Why a configuration does not fit the view that it is to serve (con:SCG-K). */
export type RelationFault =
  | 'account-repeated'
  | 'route-not-one-binding'
  | 'mapping-not-one-binding'
  | 'push-not-one-binding'
  | 'profile-not-one-binding'
  | 'relation-account-unknown'
  | 'relation-reference-unknown'
  | 'relation-repeated'
  | 'relation-missing'
  | 'credential-account-differs'
  | 'credential-identity-differs';

const pair = (account: string, ref: string): string => JSON.stringify([account, ref]);
const repeated = (texts: readonly string[]): boolean => new Set(texts).size !== texts.length;

/**
 * The relation (account, reference) -> generation is total and single-valued over what the accounts enable, names nothing else, and each
 * generation is of that account and reference. A name that several bindings have is refused, never chosen from (con:INV-25).
 */
export function relationFault(
  view: ViewDocument,
  configuration: ConfigurationDocument,
  receiptOf: (generationId: string) => CredentialReceipt | undefined,
): RelationFault | undefined {
  const { accounts, credential_relation: relation } = configuration;
  const names = new Set(accounts.map(({ account }) => account));
  if (names.size !== accounts.length) return 'account-repeated';
  const refs = new Set(view.bindings.flatMap((binding) => binding.credential_refs));
  if (relation.some((entry) => !names.has(entry.account))) return 'relation-account-unknown';
  if (relation.some((entry) => !refs.has(entry.credential_ref))) return 'relation-reference-unknown';
  const mapped = relation.map((entry) => pair(entry.account, entry.credential_ref));
  if (repeated(mapped)) return 'relation-repeated';
  if ([...refs].some((ref) => !relation.some((entry) => entry.credential_ref === ref))) return 'relation-missing';
  const ambiguous = ambiguity(view.bindings);
  if (ambiguous !== undefined) return ambiguous;
  for (const account of accounts) {
    const fault = accountFault(account, view.bindings, new Set(mapped));
    if (fault !== undefined) return fault;
  }
  return receiptFault(relation, receiptOf);
}

/** A command names a push contract by its key alone; a definition names another one of its own pack by its key alone. */
function ambiguity(bindings: readonly ViewBinding[]): RelationFault | undefined {
  const keysOf = (kind: ViewBinding['kind'], key: (binding: ViewBinding) => string): readonly string[] =>
    bindings.filter((binding) => binding.kind === kind).map(key);
  const inPack = (binding: ViewBinding): string => pair(binding.owner_pack, binding.business_key);
  if (repeated(keysOf('push-contract', (binding) => binding.business_key))) return 'push-not-one-binding';
  if (repeated(keysOf('field-mapping', inPack))) return 'mapping-not-one-binding';
  return repeated(keysOf('callout-profile', inPack)) ? 'profile-not-one-binding' : undefined;
}

function accountFault(
  { account, routes, mappings }: AccountConfiguration,
  bindings: readonly ViewBinding[],
  mapped: ReadonlySet<string>,
): RelationFault | undefined {
  const named = (kind: ViewBinding['kind'], key: string): readonly ViewBinding[] =>
    bindings.filter((binding) => binding.kind === kind && binding.business_key === key);
  if (mappings.some((key) => named('field-mapping', key).length !== 1)) return 'mapping-not-one-binding';
  for (const key of routes) {
    const [route, ...others] = named('inbound-route', key);
    if (route === undefined || others.length > 0) return 'route-not-one-binding';
    if (route.credential_refs.some((ref) => !mapped.has(pair(account, ref)))) return 'relation-missing';
  }
  return undefined;
}

function receiptFault(
  relation: ConfigurationDocument['credential_relation'],
  receiptOf: (generationId: string) => CredentialReceipt | undefined,
): RelationFault | undefined {
  for (const entry of relation) {
    const receipt = receiptOf(entry.credential_generation_id);
    if (receipt?.account !== entry.account) return 'credential-account-differs';
    if (receipt.credential_identity !== entry.credential_ref) return 'credential-identity-differs';
  }
  return undefined;
}
