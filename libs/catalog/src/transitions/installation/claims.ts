import { updateRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catNamespaceClaim } from '@connector/schema/catalog/installations';
import { type Organization, readClaims } from './organization';

const CLOSE = updateRows(
  catNamespaceClaim,
  `SET open_namespace_id = NULL
   WHERE organization_id = :organization_id AND namespace_id IN (:namespace_id) AND app_installation_id = :app_installation_id
     AND open_namespace_id IS NOT NULL`,
  'close',
);

/** Claims of an installation that it has no more ground for are free to others (cat:A-16, cat:INST-05). Its lineage row is held. */
export async function closeClaims(
  tx: FencedTx,
  { organization, installation }: { readonly organization: string; readonly installation: string },
  goes: (claim: Organization['claims'][number]) => boolean,
): Promise<void> {
  const going = (await readClaims(tx, organization)).filter((claim) => claim.installation === installation && goes(claim));
  if (going.length === 0) return;
  const key = { organization_id: organization, app_installation_id: installation };
  await tx.update(CLOSE, { ...key, namespace_id: going.map(({ namespaceId }) => namespaceId) });
}
