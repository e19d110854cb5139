import { compareUtf8 } from '@connector/kernel/document-order';
import type { Lineage } from '@connector/kernel/digest-profile';
import { BindingRowId } from '@connector/kernel/ids';
import { bindingIdentityDigest, bindingRowDigest } from './binding';
import type { BindingPart, CredentialProof, ServingEpochParts } from './serving-epoch.parts';

/** Why parts are not one epoch. */
export type EpochDefect =
  | 'lineage-differs'
  | 'binding-ordinal'
  | 'binding-identity'
  | 'binding-row-id'
  | 'binding-repeated'
  | 'credential-refs-order'
  | 'proof-missing'
  | 'proof-extra'
  | 'proof-differs'
  | 'credential-ordinal'
  | 'credential-order'
  | 'credential-repeated'
  | 'credential-missing'
  | 'credential-extra';

/** `at` is the place in the list that the reason is about; 0 where it is about none. */
export interface EpochRefusal {
  readonly reason: EpochDefect;
  readonly at: number;
}
type Found = EpochRefusal | undefined;

function first<T>(items: readonly T[], test: (item: T, index: number) => EpochDefect | undefined): Found {
  for (const [at, item] of items.entries()) {
    const reason = test(item, at);
    if (reason !== undefined) return { reason, at };
  }
  return undefined;
}

function sameLineage(left: Lineage, right: Lineage): boolean {
  const sameCounts = left.catalogRevision === right.catalogRevision && left.activationEpoch === right.activationEpoch;
  return sameCounts && left.lineageId === right.lineageId;
}

function ascending(refs: readonly string[]): boolean {
  return refs.every((ref, index) => index === 0 || compareUtf8(refs[index - 1] ?? '', ref) < 0);
}

function checkBindings({ epochId, catalog, bindings }: ServingEpochParts): Found {
  const seen = new Set<string>();
  return first(bindings, (binding: BindingPart, at) => {
    if (binding.ordinal !== at) return 'binding-ordinal';
    if (bindingIdentityDigest(catalog, binding).digest !== binding.identity) return 'binding-identity';
    const row = bindingRowDigest(epochId, at, binding.identity).id;
    if (!BindingRowId.bytes(row).equals(binding.rowId)) return 'binding-row-id';
    if (seen.has(binding.identity)) return 'binding-repeated';
    seen.add(binding.identity);
    return ascending(binding.credentialRefs) ? undefined : 'credential-refs-order';
  });
}

/** con:PRE-38. By place and not as sets: each proof is hashed behind its binding, so a swapped pair proves two wrong things. */
function checkProofs({ bindings, proofs }: ServingEpochParts): Found {
  const differing = first(bindings, (binding, at) => {
    const proof = proofs[at];
    if (proof === undefined) return 'proof-missing';
    return proof.identity === binding.identity && proof.packPayloadDigest === binding.packPayloadDigest ? undefined : 'proof-differs';
  });
  return differing ?? (proofs.length > bindings.length ? { reason: 'proof-extra', at: bindings.length } : undefined);
}

/** con:PRE-40: refused, never sorted here, because the ordinals are stored facts. */
function checkCredentialOrder({ credentials }: ServingEpochParts): Found {
  return first(credentials, (proof: CredentialProof, at) => {
    const before = credentials[at - 1];
    const order = before ? Buffer.compare(before.generationId, proof.generationId) : -1;
    if (order === 0) return 'credential-repeated';
    if (order > 0) return 'credential-order';
    return proof.ordinal === at ? undefined : 'credential-ordinal';
  });
}

/** con:PRE-47 */
function checkCredentialSet({ configuration, credentials }: ServingEpochParts): Found {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  const named = new Set(configuration.credentialGenerations.map(hex));
  const extra = first(credentials, (proof) => (named.delete(hex(proof.generationId)) ? undefined : 'credential-extra'));
  return extra ?? (named.size > 0 ? { reason: 'credential-missing', at: credentials.length } : undefined);
}

/** The first reason why these parts are not one epoch; undefined where they are. */
export function epochDefect(parts: ServingEpochParts): Found {
  // con:PRE-11: the receipt repeats the view's lineage, so that view and receipt of two revisions cannot be put together.
  if (!sameLineage(parts.catalog.lineage, parts.catalog.receiptLineage)) return { reason: 'lineage-differs', at: 0 };
  return checkBindings(parts) ?? checkProofs(parts) ?? checkCredentialOrder(parts) ?? checkCredentialSet(parts);
}
