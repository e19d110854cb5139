import { Digest } from '@connector/kernel/digest';
import type { Table } from '@connector/kernel/table';
import { catBindingState, catInstallation } from '@connector/schema/catalog/installations';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { copied } from '@connector/testing/fixtures/copied';
import {
  APP,
  askedFor,
  emptyInstallations,
  OTHER_APP,
  type PublicationWorld,
  publicationWorld,
} from '@connector/testing/fixtures/publication';
import { asking, rowsOf, type Signer } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import type { AppRelease } from '../../model/release';
import { failPublication } from './fail-publication.tx';
import { finishRemoval } from './finish-removal.tx';
import { Life } from '@connector/testing/fixtures/life';
import { openPublication } from './open-publication.tx';
import { ORG, otherBinding } from '@connector/testing/fixtures/publication-steps';
import { recordCompiled } from './record-compiled.tx';
import { withdraw } from './withdraw.tx';

let schema: TestSchema;
let signer: Signer;
let world: PublicationWorld;
let app: AppRelease;
let life: Life;

beforeAll(async () => {
  schema = await mainSchema();
  ({ signer } = await publicationWorld(schema));
});
beforeEach(async () => {
  await emptyInstallations(schema);
  world = await publicationWorld(schema, { signer });
  app = await world.release();
  life = await Life.active(schema, world, app);
});
afterAll(() => schema.close());

const finish = (installation = life.installation) => finishRemoval(schema.db, { organization: ORG, installation });

/** A release of another App that is resolved to the one that is ACTIVE. */
async function dependent(): Promise<AppRelease> {
  return world.release(
    (draft) => {
      const range = { minimum_version_inclusive: '1.0.0', maximum_version_exclusive: '2.0.0' };
      draft.manifest['dependencies'] = [{ alias: 'base', app_id: APP, ...range, required_capabilities: [] }];
    },
    OTHER_APP,
    '1.5.0',
  );
}
const onIt = (release: AppRelease) => askedFor(release, { dependencies: [{ alias: 'base', appReleaseDigest: app.releaseDigest }] });

describe('open-removal', () => {
  it('opened: cat:INST-T09 what was ACTIVE serves on, and what is frozen grants to everybody but it', async () => {
    expect(await life.openRemoval()).toEqual({ kind: 'opened', installation: life.installation, attempt: 2n });
    const { state, active, epoch, live } = await life.row();
    expect([state, active !== null, epoch, live]).toEqual(['REMOVING', true, 1n, APP]);
    await life.at({ kind: 'opened', attempt: 2n }).send();
    expect(life.granted()).toEqual([]);
  });

  it('opened: the same request again is answered as the first time', async () => {
    const [seen, request] = [await life.seen(), asking('one')];
    const first = await life.openRemoval(seen, request);
    expect(await life.openRemoval(seen, request)).toEqual(first);
    expect(await countOf(schema, 'cat_candidate')).toBe(2);
  });

  it('opened: cat:INST-T18 of a preparation that failed, which never served', async () => {
    await emptyInstallations(schema);
    const open = await world.opened(ORG, askedFor(app));
    await failPublication(schema.db, { ...open, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
    const failed = new Life(schema, world, open.installation);
    expect(await failed.openRemoval()).toEqual({ kind: 'opened', installation: open.installation, attempt: 2n });
  });

  it('dependents-live: cat:A-30 somebody who lives is resolved to it', async () => {
    const installed = await world.install(ORG, onIt(await dependent()));
    if (installed.kind !== 'opened') throw new Error(JSON.stringify(installed, (_, v: unknown) => String(v)));
    expect(await life.openRemoval()).toEqual({ kind: 'dependents-live', installations: [installed.installation] });
    expect((await life.row()).state).toBe('ACTIVE');
  });

  it('opened: cat:A-30 once the dependent is withdrawn', async () => {
    const installed = await world.install(ORG, onIt(await dependent()));
    if (installed.kind !== 'opened') throw new Error(installed.kind);
    await new Life(schema, world, installed.installation).withdrawn();
    expect(await life.openRemoval()).toMatchObject({ kind: 'opened' });
  });

  it('publication-open: another attempt of the organization has to end first', async () => {
    const other = await world.release(undefined, OTHER_APP);
    const { installation, attempt } = await world.opened(ORG, askedFor(other));
    expect(await life.openRemoval()).toEqual({ kind: 'publication-open', installation, attempt });
  });

  it.each([
    ['revision', { catalogRevision: 0n, securityEpoch: 1n }],
    ['security epoch', { catalogRevision: 1n, securityEpoch: 0n }],
  ])('expected-moved: another %s than its plan was made under; nothing is written', async (_, expected) => {
    expect(await life.openRemoval({ expected })).toEqual({ kind: 'expected-moved', catalogRevision: 1n, securityEpoch: 1n });
    expect([(await life.row()).state, await countOf(schema, 'cat_candidate')]).toEqual(['ACTIVE', 1]);
    expect(await life.openRemoval({ expected: { catalogRevision: 1n, securityEpoch: 1n } })).toMatchObject({ kind: 'opened' });
  });

  it('no-installation: of this name, or in this organization', async () => {
    expect(await life.openRemoval({ installation: 'nobody' })).toEqual({ kind: 'no-installation' });
    expect(await life.openRemoval({ organization: 'org-2' })).toEqual({ kind: 'no-installation' });
  });

  it('state-moved: it is not in the state that the asker saw', async () => {
    expect(await life.openRemoval({ state: 'FAILED' })).toEqual({ kind: 'state-moved', state: 'ACTIVE' });
  });

  it('transition-not-allowed: it is REMOVING already', async () => {
    await life.openRemoval();
    expect(await life.openRemoval()).toEqual({ kind: 'transition-not-allowed', state: 'REMOVING' });
  });

  it('activation-epoch-moved: under another epoch than the asker saw', async () => {
    expect(await life.openRemoval({ activationEpoch: 7n })).toEqual({ kind: 'activation-epoch-moved', activationEpoch: 1n });
  });
});

describe('withdraw', () => {
  it('published: cat:A-28 one revision, in which nothing of it is ACTIVE; its bindings drain and its reservation stays', async () => {
    await life.withdrawn();
    const { state, active, lastActive, securityEpoch, epoch, live } = await life.row();
    expect([state, active, securityEpoch, epoch, live]).toEqual(['REMOVING', null, null, 2n, APP]);
    expect(lastActive).not.toBeNull();
    const revisions = await schema.sql('SELECT cause, catalog_revision FROM cat_revision ORDER BY catalog_revision');
    expect(revisions.map((row) => String(row['cause']))).toEqual(['publication', 'removal']);
    const [binding] = await schema.sql('SELECT state FROM cat_binding_state');
    expect(String(binding?.['state'])).toBe('DRAINING');
  });

  it('already-published: with the revision that withdrew it', async () => {
    const at = await life.withdrawn();
    expect(await withdraw(schema.db, at)).toMatchObject({
      kind: 'already-published',
      lineage: { catalogRevision: 2n, activationEpoch: 2n },
    });
    expect(await countOf(schema, 'cat_revision')).toBe(2);
  });

  it('too-early: before Runtime acknowledged the projection without its grants', async () => {
    const run = life.at(await life.openRemoval());
    expect(await withdraw(schema.db, run.at)).toEqual({ kind: 'too-early', next: 'compile' });
    await run.compile();
    expect(await withdraw(schema.db, run.at)).toEqual({ kind: 'too-early', next: 'send' });
  });

  it('not-open: an attempt that failed, that never was, or that is for something else', async () => {
    const run = life.at(await life.openRemoval());
    await run.toPublish();
    expect(await withdraw(schema.db, { ...run.at, attempt: 9n })).toEqual({ kind: 'not-open' });
    expect(await withdraw(schema.db, { ...run.at, organization: 'org-2' })).toEqual({ kind: 'not-open' });
    expect(await run.publish()).toEqual({ kind: 'not-open' });
    await failPublication(schema.db, { ...run.at, code: 'SECURITY_EPOCH_STALE', detail: 'test', by: 'test' });
    expect(await withdraw(schema.db, run.at)).toEqual({ kind: 'not-open' });
  });

  it.each([
    ['candidate', `cat_candidate SET document_digest = REPEAT('x', 32) WHERE attempt = 2`],
    ['tuple', `cat_candidate SET tuple_digest = REPEAT('x', 32) WHERE attempt = 2`],
    ['projection', `cat_candidate SET projection_digest = REPEAT('x', 32) WHERE attempt = 2`],
    ['security-binding', 'cat_candidate SET expected_prior_epoch = 9 WHERE attempt = 2'],
  ])('disagrees: cat:PUBL-07 the %s is not the one that was expected; it serves on', async (what, change) => {
    const run = life.at(await life.openRemoval());
    await run.toPublish();
    await schema.sql(`UPDATE ${change}`);
    expect(await withdraw(schema.db, run.at)).toEqual({ kind: 'disagrees', with: what });
    expect((await life.row()).active).not.toBeNull();
  });

  it('disagrees: cat:PUBL-07 with a compiled document that is not the withdrawal', async () => {
    const run = life.at(await life.openRemoval());
    const { tuple, projectionDigest } = await run.projections();
    const other = { ...tuple, digest: Digest.sha256(Buffer.from('other')) };
    await recordCompiled(schema.db, { ...run.at, tuple: other, projectionDigest });
    await run.acknowledge(await run.send());
    expect(await withdraw(schema.db, run.at)).toEqual({ kind: 'disagrees', with: 'tuple' });
  });

  it('disagrees: with a binding to another epoch than Runtime’s own', async () => {
    const run = life.at(await life.openRemoval());
    await run.compile();
    const bound = await run.send();
    await run.acknowledge({ ...otherBinding(bound), bindingDigest: bound.bindingDigest });
    expect(await withdraw(schema.db, run.at)).toEqual({ kind: 'disagrees', with: 'security-binding' });
  });
});

describe('finish-removal', () => {
  it('removed: cat:INST-T10 cat:INST-09 the reservation is free, and a new installation of the App has another name', async () => {
    await life.withdrawn();
    await life.retired();
    expect(await finish()).toEqual({ kind: 'removed' });
    expect(await life.row()).toMatchObject({ state: 'REMOVED', live: null, active: null });
    const again = await Life.active(schema, world, app);
    expect(again.installation).not.toBe(life.installation);
    expect((await life.row()).state).toBe('REMOVED');
  });

  it('removed: cat:INST-T10 cat:BIND-11 what another organization or installation has holds nothing up and stays as it is', async () => {
    await life.withdrawn();
    const ours = `organization_id = '${ORG}' AND app_installation_id = '${life.installation}'`;
    for (const place of [{ organization_id: "'0'" }, { app_installation_id: "'0'" }])
      for (const table of [catInstallation, catBindingState])
        await copied(schema, table as unknown as Table, { ...place, live_app_id: "'x'" }, ours);
    await schema.sql(
      `INSERT INTO cat_namespace_claim VALUES ('${ORG}', 'dev.x', '${life.installation}', 1, 'dev.x'),
         ('0', 'dev.x', '${life.installation}', 1, 'dev.x'), ('${ORG}', 'dev.y', '0', 1, 'dev.y')`,
    );
    await schema.sql(`UPDATE cat_binding_state SET state = 'RETIRED' WHERE ${ours}`);
    const tables = ['cat_installation', 'cat_binding_state', 'cat_namespace_claim'];
    const others = () => rowsOf(schema, ...tables.map((table) => `${table} WHERE NOT (${ours})`));
    const before = await others();
    expect([await finish(), await others()]).toEqual([{ kind: 'removed' }, before]);
    expect(await countOf(schema, `cat_namespace_claim WHERE ${ours} AND open_namespace_id IS NOT NULL`)).toBe(0);
  });

  it('already-removed: cat:INST-15 cat:INST-10 three removals leave three tombstones, and none of them moves again', async () => {
    const gone: Life[] = [];
    for (let round = 0; round < 3; round += 1) {
      const one = round === 0 ? life : await Life.active(schema, world, app);
      await one.withdrawn();
      await one.retired();
      expect(await finish(one.installation)).toEqual({ kind: 'removed' });
      gone.push(one);
    }
    const rows = () => schema.sql('SELECT * FROM cat_installation ORDER BY app_installation_id');
    const before = await rows();
    for (const one of gone) expect(await finish(one.installation)).toEqual({ kind: 'already-removed' });
    await Life.active(schema, world, app);
    expect(await countOf(schema, 'cat_installation')).toBe(4);
    expect((await rows()).filter((row) => String(row['state']) === 'REMOVED')).toEqual(before);
  });

  it('gates-open: cat:BIND-11 while one of its bindings has not retired', async () => {
    await life.withdrawn();
    const [binding] = await schema.sql('SELECT binding_id FROM cat_binding_state');
    expect(await finish()).toEqual({ kind: 'gates-open', bindings: [String(binding?.['binding_id'])] });
    expect(await life.row()).toMatchObject({ state: 'REMOVING', live: APP });
  });

  it('live-installation-exists: cat:INST-09 a new one waits while this is REMOVING, with its gates open', async () => {
    await life.withdrawn();
    expect(await openPublication(schema.db, await world.input(ORG, askedFor(app)), asking())).toEqual({
      kind: 'live-installation-exists',
      installation: life.installation,
    });
  });

  it('not-withdrawn: cat:A-28 it still serves', async () => {
    await life.openRemoval();
    await schema.sql(`UPDATE cat_binding_state SET state = 'RETIRED'`);
    expect(await finish()).toEqual({ kind: 'not-withdrawn' });
  });

  it('transition-not-allowed: it is not REMOVING', async () => {
    expect(await finish()).toEqual({ kind: 'transition-not-allowed', state: 'ACTIVE' });
  });

  it('no-installation: of this name', async () => {
    expect(await finish('nobody')).toEqual({ kind: 'no-installation' });
    expect(await finishRemoval(schema.db, { organization: 'org-2', installation: life.installation })).toEqual({ kind: 'no-installation' });
  });
});
