import type { Instant } from '@connector/kernel/brand';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catBindingReference, catBindingRetention } from '@connector/schema/catalog/installations';
import { mostOf } from './page';

const REFERENCES_MAX = 200;
const PLACE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id';
const OPEN = readRows(
  catBindingReference,
  ['reference_id', 'kind', 'opened_at'],
  `${PLACE} AND open_binding_id = :open_binding_id ORDER BY reference_id LIMIT ${REFERENCES_MAX + 1}`,
  'shown',
);
const REFERENCE = readRows(catBindingReference, ['kind'], `${PLACE} AND binding_id = :binding_id AND reference_id = :reference_id`, 'one');
const RETENTION = readRows(catBindingRetention, ['decided_by', 'reason', 'decided_at'], `${PLACE} AND binding_id = :binding_id`, 'shown');

/** What keeps a binding from being RETIRED, and what was decided about it (cat:BIND-11). */
export interface BindingHold {
  /** Open ones by id, at most 200. */
  readonly references: readonly { readonly referenceId: string; readonly kind: string; readonly openedAt: Instant }[];
  /** Whether others are open too. */
  readonly more: boolean;
  readonly retention: { readonly decidedBy: string; readonly reason: string; readonly decidedAt: Instant } | null;
}

export async function readBindingHold(db: Db, organization: string, installation: string, bindingId: string): Promise<BindingHold> {
  const key = { organization_id: organization, app_installation_id: installation };
  const { rows: open, more } = mostOf(await db.read(OPEN, { ...key, open_binding_id: bindingId }), REFERENCES_MAX);
  const decided = await db.readOne(RETENTION, { ...key, binding_id: bindingId });
  return {
    references: open.map((row) => ({ referenceId: row.reference_id, kind: row.kind, openedAt: row.opened_at })),
    more,
    retention: decided === undefined ? null : { decidedBy: decided.decided_by, reason: decided.reason, decidedAt: decided.decided_at },
  };
}

/** Whether that binding was ever referred to under this id, which may be closed by now. */
export async function hasReference(
  db: Db,
  organization: string,
  installation: string,
  bindingId: string,
  referenceId: string,
): Promise<boolean> {
  const key = { organization_id: organization, app_installation_id: installation, binding_id: bindingId, reference_id: referenceId };
  return (await db.readOne(REFERENCE, key)) !== undefined;
}
