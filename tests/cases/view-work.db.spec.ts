import { Digest } from '@connector/kernel/digest';
import { readCurrentView } from '@connector/catalog/reads/current-view';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { INSTALLATION, installedApp, ORGANIZATION } from '@connector/testing/fixtures/installation';
import { asking } from '@connector/testing/fixtures/registry';
import { faultsOf, Plans, type Planned } from '@connector/testing/plans';

const SCOPE = { organization: ORGANIZATION, installation: INSTALLATION, workload: 'wl.workbench' };
let schema: TestSchema;
let plans: Plans;

beforeAll(async () => {
  schema = await mainSchema();
  plans = new Plans(schema);
  await installedApp(schema);
  const bindings = Array.from({ length: 3 }, (_, at) => ({
    ...{ kind: 'field-mapping' as const, owner_pack: 'dev.example.one', pack_installation_id: 'pi-1', business_key: `thing/${at}` },
    ...{ pack_payload_digest: Digest.sha256(Buffer.from('generation')), definition_version: '1', credential_refs: [] },
  }));
  await setMembership(schema.db, { request: asking(), ...SCOPE, expectedCatalogRevision: 1n, bindings });
});
afterAll(async () => {
  await plans.close();
  await schema.close();
});

/** As many older views of the same workload and of a neighbour. */
async function history(first: number, views: number): Promise<void> {
  for (let from = first; from < first + views; from += 500) {
    const ordinals = Array.from({ length: Math.min(500, first + views - from) }, (_, at) => `SELECT ${from + at} AS n`).join(' UNION ALL ');
    await schema.sql(
      `INSERT INTO cat_integration_view (organization_id, app_installation_id, authorized_workload_id, lineage_id, catalog_revision,
         source_snapshot, source_snapshot_digest, view, view_digest, capability_version)
       SELECT v.organization_id, v.app_installation_id, w.workload, v.lineage_id, 10 + s.n, v.source_snapshot, v.source_snapshot_digest, v.view,
              v.view_digest, 1
         FROM cat_integration_view v JOIN (SELECT 'wl.workbench' AS workload UNION ALL SELECT 'wl.other') w JOIN (${ordinals}) s
        WHERE v.catalog_revision = 2`,
    );
  }
}

async function read(): Promise<Planned> {
  plans.take();
  expect((await readCurrentView(plans.db, SCOPE, 0n)).kind).toBe('found');
  const [planned, ...more] = plans.take();
  if (planned === undefined || more.length > 0) throw new Error('a view is one statement');
  return planned;
}

describe('work of reading a view', () => {
  it('the same: one statement by whole keys, as many rows after 2,000 further views as before them (cat:INT-24)', async () => {
    const before = await read();
    await history(0, 1_000);
    const after = await read();
    expect(faultsOf(after)).toEqual([]);
    expect([after.plan.map(({ access }) => access), after.rows]).toEqual([['const', 'const', 'const', 'const'], 1]);
    expect([before.examined, after.examined]).toEqual([4, 4]);
  });
});
