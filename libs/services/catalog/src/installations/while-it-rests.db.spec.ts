import type { AppRelease } from '@connector/catalog/model/release';
import { readCurrentView } from '@connector/catalog/reads/current-view';
import { readStepsDone } from '@connector/catalog/reads/publication';
import { failPublication } from '@connector/catalog/transitions/installation/fail-publication.tx';
import { blockRelease } from '@connector/catalog/transitions/registry/block-release.tx';
import { revokePublisherKey } from '@connector/catalog/transitions/registry/revoke-publisher-key.tx';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { Bound } from '@connector/testing/fixtures/binding';
import { Life } from '@connector/testing/fixtures/life';
import {
  APP,
  askedFor,
  OTHER_APP,
  platform,
  type PublicationWorld,
  publicationWorld,
  WORKLOAD,
} from '@connector/testing/fixtures/publication';
import { Publication } from '@connector/testing/fixtures/publication-steps';
import { asking } from '@connector/testing/fixtures/registry';
import { rollBackInstallation, upgradeInstallation } from './change-release';
import { continuePublication } from './continue-publication';
import { type Installed, prepareInstallation } from './install';
import { removeInstallation } from './remove';
import { resumeInstallation } from './resume';

const ORG = 'org-1';
const BASE = 'dev.example.base';
const NAMESPACE = 'dev.example.shared';
const RANGE = { minimum_version_inclusive: '1.0.0', maximum_version_exclusive: '3.0.0' };

let schema: TestSchema;
let world: PublicationWorld;
let base: AppRelease;
let app: AppRelease;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  world = await publicationWorld(schema, { offered: platform({}, [APP, OTHER_APP, BASE]) });
  base = await world.release(undefined, BASE);
  app = await world.release((draft) => {
    draft.manifest['owned_namespaces'] = [NAMESPACE];
    draft.manifest['dependencies'] = [{ alias: 'base', app_id: BASE, ...RANGE, required_capabilities: [] }];
  });
});
afterAll(() => schema.close());

const asked = () => askedFor(app, { dependencies: [{ alias: 'base', appReleaseDigest: base.releaseDigest }] });
const block = ({ appId, releaseDigest }: AppRelease) => blockRelease(schema.db, { appId, releaseDigest, reason: 'test' }, asking());
const seenOf = async (life: Life) => {
  const { organization, installation, state, activationEpoch } = await life.seen();
  return { organization, installation, expectedState: state, expectedActivationEpoch: activationEpoch };
};
const codesOf = (answer: Installed | { readonly kind: string }): unknown =>
  'refusal' in answer ? answer.refusal.faults.map(({ code }) => code) : answer;

/** What it depends on is ACTIVE, and its own first attempt stands after this step. */
async function restsAt(step: string) {
  const dependency = await Life.active(schema, world, base, ORG);
  const open = await world.opened(ORG, asked());
  const run = new Publication(schema.db, world, open);
  if (step === 'compiled') await run.compile();
  if (step === 'acknowledged') await run.toPublish();
  expect((await readStepsDone(schema.db, open)).at(-1)).toBe(step);
  return { dependency, open, life: new Life(schema, world, open.installation) };
}

/** Its first attempt failed; what it depends on is ACTIVE. */
async function failedFirst() {
  const rested = await restsAt('opened');
  await failPublication(schema.db, { ...rested.open, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
  return rested;
}

describe('a publication that rests', () => {
  it.each(['opened', 'compiled', 'acknowledged'])(
    'published: cat:A-18 cat:A-39 it stood at %s before its release was blocked and its key revoked; the next candidate is refused',
    async (step) => {
      const { open, life } = await restsAt(step);
      await block(app);
      await revokePublisherKey(schema.db, { publisherId: app.publisherId, keyId: world.signer.keyId, reason: 'lost' }, asking());
      expect(await continuePublication(world.parts, open)).toMatchObject({ kind: 'published' });
      expect((await life.row()).state).toBe('ACTIVE');
      expect(codesOf(await world.install('org-2', askedFor(app)))).toEqual(expect.arrayContaining(['KEY_REVOKED', 'RELEASE_BLOCKED']));
    },
  );

  it.each(['opened', 'compiled', 'acknowledged'])(
    'publication-open: cat:INST-17 cat:PUBL-12 at %s nobody takes from it what it was checked against: dependency, namespace, itself',
    async (step) => {
      const { dependency, open, life } = await restsAt(step);
      const other = await world.release((draft) => void (draft.manifest['owned_namespaces'] = [NAMESPACE]), OTHER_APP);
      const newer = await world.release(undefined, BASE, '2.0.0');
      const waits = { kind: 'publication-open', installation: open.installation, attempt: 1n };
      expect(await removeInstallation(world.parts, await seenOf(dependency), asking())).toEqual(waits);
      expect(await upgradeInstallation(world.parts, await seenOf(dependency), askedFor(newer), asking())).toEqual(waits);
      expect(await world.install(ORG, askedFor(other))).toEqual(waits);
      const refused = { kind: 'transition-not-allowed', state: 'PREPARING' };
      expect(await removeInstallation(world.parts, await seenOf(life), asking())).toEqual(refused);
      expect(await upgradeInstallation(world.parts, await seenOf(life), asked(), asking())).toEqual(refused);
      expect(await continuePublication(world.parts, open)).toMatchObject({ kind: 'published' });
    },
  );
});

describe('what failed, tried again in another world', () => {
  it('refused: cat:INST-T15 cat:A-39 its release was blocked meanwhile; it stays FAILED and may be removed', async () => {
    const { life } = await failedFirst();
    await block(app);
    expect(codesOf(await resumeInstallation(world.parts, await seenOf(life), asking()))).toEqual(['RELEASE_BLOCKED']);
    expect((await life.row()).state).toBe('FAILED');
    expect(await removeInstallation(world.parts, await seenOf(life), asking())).toMatchObject({ end: { kind: 'removed' } });
  });

  it('refused: cat:INST-13 cat:PREP-04 what it had claimed was free when it failed, and is another’s now', async () => {
    const { life } = await failedFirst();
    const other = await world.release((draft) => void (draft.manifest['owned_namespaces'] = [NAMESPACE]), OTHER_APP);
    expect(await world.install(ORG, askedFor(other))).toMatchObject({ kind: 'opened', end: { kind: 'published' } });
    expect(codesOf(await resumeInstallation(world.parts, await seenOf(life), asking()))).toEqual(['NAMESPACE_OVERLAP']);
  });

  it('refused: cat:PREP-03 cat:A-30 what never served holds nobody, and its dependency was removed meanwhile', async () => {
    const { dependency, life } = await failedFirst();
    expect(await removeInstallation(world.parts, await seenOf(dependency), asking())).toMatchObject({ end: { kind: 'removed' } });
    expect(codesOf(await resumeInstallation(world.parts, await seenOf(life), asking()))).toEqual(['DEPENDENCY_NOT_ACTIVE']);
  });

  it('refused: cat:INST-T06 cat:A-39 a rollback to a release that is blocked now; what is ACTIVE stays', async () => {
    const life = await Life.active(schema, world, base, ORG);
    await (await life.opened('upgrade', await world.release(undefined, BASE, '2.0.0'))).toEnd();
    await block(base);
    const back = await rollBackInstallation(world.parts, await seenOf(life), base.releaseDigest, asking());
    expect(codesOf(back)).toEqual(['RELEASE_BLOCKED']);
    expect(await life.row()).toMatchObject({ state: 'ACTIVE', epoch: 2n, attempt: 3n });
  });
});

describe('what an end leaves behind', () => {
  it('published: cat:INST-05 cat:A-16 a namespace that the next release dropped is free, and a rollback does not take it back', async () => {
    const claims = (draft: { manifest: Record<string, unknown> }) => void (draft.manifest['owned_namespaces'] = [NAMESPACE]);
    const [one, two] = [await world.release(claims, BASE, '1.1.0'), await world.release(undefined, BASE, '2.1.0')];
    const life = await Life.active(schema, world, one, ORG);
    await (await life.opened('upgrade', two)).toEnd();
    const other = await world.release(claims, OTHER_APP);
    expect(await world.install(ORG, askedFor(other))).toMatchObject({ kind: 'opened', end: { kind: 'published' } });
    const back = await rollBackInstallation(world.parts, await seenOf(life), one.releaseDigest, asking());
    expect(codesOf(back)).toEqual(['NAMESPACE_OVERLAP']);
  });

  it('removed: cat:INST-T10 a binding that was staged and never activated fails with the withdrawal, and holds no gate', async () => {
    const bound = await Bound.ofOwn(schema, 'bound');
    const { bindingId } = await bound.staged();
    const life = new Life(schema, bound.world, bound.installation, bound.organization);
    expect(await removeInstallation(bound.world.parts, await seenOf(life), asking())).toMatchObject({ end: { kind: 'removed' } });
    const [row] = await schema.sql('SELECT state FROM cat_binding_state WHERE binding_id = ?', [Buffer.from(bindingId)]);
    expect(String(row?.['state'])).toBe('FAILED');
  });
});

describe('one key, and names', () => {
  const install = (caller: string, release: AppRelease) => {
    const input = { organization: ORG, existing: null, asked: askedFor(release) };
    return prepareInstallation(world.parts, input, { ...asking('used', release.releaseDigest), caller });
  };

  it('refused: cat:PUBL-C0 the key of an install asks for nothing else, at this door or another; another caller’s key is another', async () => {
    const first = await install('one', base);
    expect(await install('one', base)).toEqual(first);
    const reused = { code: 'HOUSE:catalog:RequestReused' };
    const other = await world.release(undefined, OTHER_APP);
    await expect(install('one', other)).rejects.toMatchObject(reused);
    const life = new Life(schema, world, 'installation' in first ? (first.installation as string) : '');
    const seen = await seenOf(life);
    const by = { ...asking('used', base.releaseDigest), caller: 'one' };
    await expect(removeInstallation(world.parts, seen, by)).rejects.toMatchObject(reused);
    await expect(
      upgradeInstallation(world.parts, seen, askedFor(base), { ...asking('used', 'upgrade'), caller: 'one' }),
    ).rejects.toMatchObject(reused);
    expect(await install('two', base)).toMatchObject({ kind: 'live-installation-exists' });
    expect(await install('two', other)).toMatchObject({ kind: 'opened', end: { kind: 'published' } });
  });

  it('absent: cat:INST-03 an installation and an organization are found byte for byte, in no other case', async () => {
    const life = await Life.active(schema, world, base, ORG);
    const seen = await seenOf(life);
    const upper = { ...seen, installation: seen.installation.toUpperCase() };
    expect(upper.installation).not.toBe(seen.installation);
    const nobody = { kind: 'no-installation' };
    expect(await removeInstallation(world.parts, upper, asking())).toEqual(nobody);
    expect(await upgradeInstallation(world.parts, upper, askedFor(base), asking())).toEqual(nobody);
    expect(await removeInstallation(world.parts, { ...seen, organization: 'ORG-1' }, asking())).toEqual(nobody);
    const view = { organization: 'ORG-1', installation: seen.installation, workload: WORKLOAD };
    expect(await readCurrentView(schema.db, view, 0n)).toMatchObject({ kind: 'absent' });
    expect(await world.install('ORG-1', askedFor(base))).toMatchObject({ kind: 'opened', end: { kind: 'published' } });
  });
});
