import { name, nullable, word } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catBinding, catBindingReference, catBindingRetention, catBindingState } from '@connector/schema/catalog/installations';
import { type BindingState, bindingMachine } from '../model/installation/binding';

const ROWS_MAX = 200;
/** A row an open reference; one without where nothing refers to the binding. */
const GATES = readQuery(
  catBindingState,
  {
    binding_id: catBindingState.columns.binding_id,
    capability_id: catBinding.columns.capability_id,
    state: catBindingState.columns.state,
    reference_id: nullable(name(128)),
    kind: nullable(word<string>(16)),
    decided_by: nullable(name(64)),
  },
  `SELECT s.binding_id, b.capability_id, s.state, r.reference_id, r.kind, t.decided_by
     FROM ${catBindingState.name} s
     JOIN ${catBinding.name} b ON b.organization_id = s.organization_id AND b.app_installation_id = s.app_installation_id
           AND b.binding_id = s.binding_id
     LEFT JOIN ${catBindingReference.name} r ON r.organization_id = s.organization_id AND r.app_installation_id = s.app_installation_id
           AND r.open_binding_id = s.binding_id
     LEFT JOIN ${catBindingRetention.name} t ON t.organization_id = s.organization_id AND t.app_installation_id = s.app_installation_id
           AND t.binding_id = s.binding_id
    WHERE s.organization_id = :organization_id AND s.app_installation_id = :app_installation_id
      AND s.state IN ('STAGED', 'ACTIVE', 'DRAINING')
    ORDER BY s.binding_id, r.reference_id LIMIT ${ROWS_MAX}`,
);

/** A binding that a removal has to see RETIRED, and what keeps it from that. */
export interface Gate {
  readonly bindingId: string;
  readonly capabilityId: string;
  readonly state: BindingState;
  readonly references: readonly string[];
  /** Who decided that it need not be kept for them (cat:BIND-11); null where nobody did. */
  readonly letGoBy: string | null;
}

/** Bindings that still serve or may, by id, with what still refers to each: at most 200 in all. */
export async function readGates(db: Db, organization: string, installation: string): Promise<readonly Gate[]> {
  const rows = await db.read(GATES, { organization_id: organization, app_installation_id: installation });
  const gates = new Map<string, Gate>();
  for (const row of rows) {
    const { references } = gates.get(row.binding_id) ?? { references: [] };
    gates.set(row.binding_id, {
      ...{ bindingId: row.binding_id, capabilityId: row.capability_id, state: bindingMachine.parse(row.state), letGoBy: row.decided_by },
      references: row.reference_id === null ? references : [...references, `${row.kind ?? ''} ${row.reference_id}`],
    });
  }
  return [...gates.values()];
}
