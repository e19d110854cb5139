import { Digest } from '@connector/kernel/digest';
import { readCurrentView } from '@connector/catalog/reads/current-view';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { INSTALLATION, installedApp, ORGANIZATION } from '@connector/testing/fixtures/installation';
import { asking } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
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

const DIGIT = `(${Array.from({ length: 10 }, (_, n) => `SELECT ${n} AS n`).join(' UNION ALL ')})`;

/** Fifty thousand older revisions, each with a view of the same workload and one of a neighbour. Nobody reads their bytes. */
async function history(): Promise<void> {
  for (let part = 0; part < 5; part += 1)
    await schema.sql(
      `INSERT INTO cat_integration_view (organization_id, app_installation_id, authorized_workload_id, lineage_id, catalog_revision,
         source_snapshot, source_snapshot_digest, view, view_digest, capability_version)
       SELECT v.organization_id, v.app_installation_id, w.workload, v.lineage_id,
              10 + ${part * 10_000} + a.n + 10 * b.n + 100 * c.n + 1000 * d.n, '{}', v.source_snapshot_digest, '{}', v.view_digest, 1
         FROM cat_integration_view v JOIN (SELECT 'wl.workbench' AS workload UNION ALL SELECT 'wl.other') w
              JOIN ${DIGIT} a JOIN ${DIGIT} b JOIN ${DIGIT} c JOIN ${DIGIT} d
        WHERE v.catalog_revision = 2`,
    );
}

async function read(): Promise<Planned> {
  plans.take();
  expect((await readCurrentView(plans.db, SCOPE, 0n)).kind).toBe('found');
  const [planned, ...more] = plans.take();
  if (planned === undefined || more.length > 0) throw new Error('a view is one statement');
  return planned;
}

describe('work of reading a view', () => {
  it('the same: one statement by whole keys, as many rows after 100,000 further views as before them (cat:INT-24)', async () => {
    const before = await read();
    await history();
    expect(await countOf(schema, 'cat_integration_view')).toBe(100_001);
    const after = await read();
    expect(faultsOf(after)).toEqual([]);
    expect([after.plan.map(({ access }) => access), after.rows]).toEqual([['const', 'const', 'const', 'const'], 1]);
    expect([before.examined, after.examined]).toEqual([4, 4]);
  }, 120_000);
});
