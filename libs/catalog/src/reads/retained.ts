import { name } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { catBindingReference, catBindingState, catLineage } from '@connector/schema/catalog/installations';

const RETAINED = readQuery(
  catBindingState,
  { what: name(32), of: name(128) },
  `SELECT 'handler' AS what, s.binding_id AS \`of\`
     FROM ${catBindingState.name} s
    WHERE s.organization_id = :organization_id AND s.app_installation_id = :app_installation_id AND s.state = 'DRAINING'
   UNION ALL
   SELECT r.kind, r.reference_id
     FROM ${catBindingReference.name} r
     JOIN ${catBindingState.name} d ON d.organization_id = r.organization_id AND d.app_installation_id = r.app_installation_id
          AND d.binding_id = r.open_binding_id AND d.state = 'DRAINING'
    WHERE r.organization_id = :organization_id AND r.app_installation_id = :app_installation_id AND r.open_binding_id IS NOT NULL
   UNION ALL
   SELECT 'rollback', l.open_installation_id
     FROM ${catLineage.name} l
    WHERE l.organization_id = :organization_id AND l.open_installation_id = :app_installation_id
   LIMIT 200`,
  'retained',
);

/** What is still kept for a change that may be taken back: handlers that drain, the work and routes on them, an open attempt (cat:COEX-11). */
export async function readRetained(db: Db, organization: string, installation: string): Promise<readonly string[]> {
  const rows = await db.read(RETAINED, { organization_id: organization, app_installation_id: installation });
  return rows.map(({ what, of }) => `${what} ${of}`);
}
