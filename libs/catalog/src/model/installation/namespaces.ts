import type { DocumentFault } from '@connector/kernel/document-fault';
import type { AppManifest } from '../manifest';
import { failed } from './asked';

/** Equal, or one a dot-segment ancestor of the other (cat:A-16). */
export function namespacesOverlap(left: string, right: string): boolean {
  return left === right || left.startsWith(`${right}.`) || right.startsWith(`${left}.`);
}

export interface NamespaceClaim {
  readonly namespaceId: string;
  readonly installation: string;
}

/** Of these namespaces the ones that somebody else's claim overlaps, each with the first claim that does. */
export function claimedByOthers(
  namespaces: readonly string[],
  claims: readonly NamespaceClaim[],
): readonly { readonly namespace: string; readonly claim: NamespaceClaim }[] {
  return namespaces.flatMap((namespace) => {
    const claim = claims.find(({ namespaceId }) => namespacesOverlap(namespace, namespaceId));
    return claim === undefined ? [] : [{ namespace, claim }];
  });
}

/** cat:PREP-04, MAN-11: no other live installation claims one of these, or one above or below it. */
export function overlapFaults({ owned_namespaces: namespaces }: AppManifest, claims: readonly NamespaceClaim[]): readonly DocumentFault[] {
  return claimedByOthers(namespaces, claims).map(({ namespace, claim }) =>
    failed(
      'PREP-04',
      '/app_release_digest',
      'NAMESPACE_OVERLAP',
      `${namespace} for itself`,
      `${claim.namespaceId} of ${claim.installation}`,
    ),
  );
}
