import type { AppRelease } from '@connector/catalog/model/release';
import type { InstallationState } from '@connector/catalog/model/installation/installation';
import { readCurrentView } from '@connector/catalog/reads/current-view';
import { readInstallation } from '@connector/catalog/reads/installation';
import { readJournal } from '@connector/catalog/reads/journal';
import { readOpenPublication } from '@connector/catalog/reads/publication';
import { blockRelease } from '@connector/catalog/transitions/registry/block-release.tx';
import { failPublication } from '@connector/catalog/transitions/installation/fail-publication.tx';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import type { Fate } from '@connector/testing/fake-runtime-security';
import { Life } from '@connector/testing/fixtures/life';
import {
  APP,
  askedFor,
  emptyInstallations,
  OTHER_APP,
  platform,
  type PublicationWorld,
  publicationWorld,
  WORKLOAD,
} from '@connector/testing/fixtures/publication';
import { asking, type Signer } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { abandonInstallation } from './abandon';
import { rollBackInstallation, upgradeInstallation } from './change-release';
import { continuePublication } from './continue-publication';
import { publicationLoop } from './installation-parts';
import { passGates, removeInstallation } from './remove';
import { resumeInstallation } from './resume';

const ORG = 'org-1';
const RUNS = 'runtime.integrations.run.v1';
const OFFERED = platform({ runtime_capabilities: ['runtime.records.write.v1', RUNS] });

let schema: TestSchema;
let signer: Signer;
let world: PublicationWorld;
let one: AppRelease;
let two: AppRelease;
let life: Life;

beforeAll(async () => {
  schema = await mainSchema();
  ({ signer } = await publicationWorld(schema));
});
afterAll(() => schema.close());

/** Its workload runs the connector, so that there is a view to be read. */
const runs = (draft: { manifest: Record<string, unknown> }): void => {
  const capability = { capability_id: `${APP}.work.v1`, kind: 'service-handler', handler_ref: `${APP}.handler.work.v1` };
  draft.manifest['provided_capabilities'] = [{ ...capability, required_runtime_capabilities: [RUNS] }];
};
const asked = (release: AppRelease) => askedFor(release, { grants: [{ workloadId: WORKLOAD, capabilities: [RUNS] }] });

/** ACTIVE with the first release; Runtime security meets these fates after that. */
async function begin(...plan: readonly Fate[]): Promise<void> {
  await emptyInstallations(schema);
  world = await publicationWorld(schema, { signer, offered: OFFERED, plan: ['honest', ...plan] });
  [one, two] = [await world.release(runs, APP, '1.1.0'), await world.release(runs, APP, '2.1.0')];
  const answer = await world.install(ORG, asked(one));
  if (answer.kind !== 'opened' || answer.end.kind !== 'published') throw new Error(answer.kind);
  life = new Life(schema, world, answer.installation);
}

const seen = (expectedState: InstallationState, expectedActivationEpoch = 1n) => ({
  ...{ organization: ORG, installation: life.installation },
  ...{ expectedState, expectedActivationEpoch },
});
const upgrade = (state: InstallationState = 'ACTIVE') => upgradeInstallation(world.parts, seen(state), asked(two), asking());
const abandon = (state: InstallationState) => abandonInstallation(world.parts, seen(state), asking());
const resume = (state: InstallationState, epoch = 1n) => resumeInstallation(world.parts, seen(state, epoch), asking());
const remove = (state: InstallationState = 'ACTIVE', epoch = 1n) => removeInstallation(world.parts, seen(state, epoch), asking());

/** What a reader is given now: the release that serves, or why none does. */
async function served(): Promise<unknown> {
  const view = await readCurrentView(schema.db, { organization: ORG, installation: life.installation, workload: WORKLOAD }, 0n);
  if (view.kind !== 'found') return view.kind === 'absent' ? view.code : view.kind;
  const found = await readInstallation(schema.db, ORG, life.installation);
  return found.kind === 'found' ? [found.activeReleaseDigest, view.lineage.activationEpoch, found.tuple?.app_release_digest] : found.kind;
}
const old = () => [one.releaseDigest, 1n, one.releaseDigest];

/** What a Runtime that admits by its present projection grants to the installation: the release, or none. */
const grantedNow = (): string | undefined => life.granted()[0];

describe('upgrade and rollback', () => {
  it('published: cat:INST-13 cat:A-28 readers see the old release only, until step 4, and the new one only after it', async () => {
    await begin();
    const opened = life.at(await life.open('upgrade', asked(two)));
    expect(await served()).toEqual(old());
    await opened.compile();
    expect(await served()).toEqual(old());
    await opened.acknowledge(await opened.send());
    expect(await served()).toEqual(old());
    await opened.publish();
    expect(await served()).toEqual([two.releaseDigest, 2n, two.releaseDigest]);
  });

  it('published: cat:INST-02 cat:INST-T07 one name over upgrade and rollback; back is as it was, with every epoch newer', async () => {
    await begin();
    const before = await readInstallation(schema.db, ORG, life.installation);
    expect(await upgrade()).toMatchObject({
      kind: 'opened',
      end: { kind: 'published', lineage: { catalogRevision: 2n, activationEpoch: 2n } },
    });
    const back = await rollBackInstallation(world.parts, seen('ACTIVE', 2n), one.releaseDigest, asking());
    expect(back).toMatchObject({
      kind: 'opened',
      installation: life.installation,
      end: { kind: 'published', lineage: { activationEpoch: 3n } },
    });
    const after = await readInstallation(schema.db, ORG, life.installation);
    if (before.kind !== 'found' || after.kind !== 'found') throw new Error('not found');
    expect(after.tuple).toEqual(before.tuple);
    expect(after).toMatchObject({ activationEpoch: 3n, securityEpoch: 3n, catalogRevision: 3n, state: 'ACTIVE' });
  });

  it('refused: cat:A-36 under a live dependent that is pinned to what serves; nothing moves', async () => {
    await begin();
    const range = { minimum_version_inclusive: '1.0.0', maximum_version_exclusive: '3.0.0' };
    const dependent = await world.release(
      (draft) => {
        draft.manifest['dependencies'] = [{ alias: 'base', app_id: APP, ...range, required_capabilities: [] }];
      },
      OTHER_APP,
      '1.7.0',
    );
    await world.install(ORG, askedFor(dependent, { dependencies: [{ alias: 'base', appReleaseDigest: one.releaseDigest }] }));
    const answer = await upgrade();
    expect(answer).toMatchObject({ kind: 'refused', refusal: { faults: [{ rule: 'A-36', code: 'DEPENDENT_PINNED' }] } });
    expect([await served(), (await life.row()).state]).toEqual([old(), 'ACTIVE']);
  });

  it('not-a-prior-release: cat:INST-T06 a rollback to what was never ACTIVE here', async () => {
    await begin();
    expect(await rollBackInstallation(world.parts, seen('ACTIVE'), two.releaseDigest, asking())).toEqual({ kind: 'not-a-prior-release' });
  });

  it('no-installation: of this name', async () => {
    await begin();
    const nobody = { ...seen('ACTIVE'), installation: 'nobody' };
    expect(await upgradeInstallation(world.parts, nobody, asked(two), asking())).toEqual({ kind: 'no-installation' });
    expect(await rollBackInstallation(world.parts, nobody, one.releaseDigest, asking())).toEqual({ kind: 'no-installation' });
  });

  it('failed: cat:INST-T12 cat:A-31 the epoch moved; what serves is served on, and resume is a new attempt with a new command', async () => {
    await begin();
    const opened = life.at(await life.open('upgrade', asked(two)));
    world.security.moveOtherInputs(ORG);
    expect(await continuePublication(world.parts, opened.at)).toEqual({ kind: 'failed', code: 'SECURITY_EPOCH_STALE' });
    expect([await served(), (await life.row()).state]).toEqual([old(), 'FAILED']);
    expect(await resume('FAILED')).toMatchObject({ kind: 'opened', attempt: 3n, end: { kind: 'published' } });
    const commands = world.security.seen.map(({ commandId }) => commandId);
    expect(new Set(commands).size).toBe(3);
  });

  it('failed: cat:INST-13 cat:PUBL-11 at step 4; the projection that Runtime holds is again that of what serves, and nothing is open', async () => {
    await begin();
    const opened = life.at(await life.open('upgrade', asked(two)));
    await opened.toPublish();
    expect(grantedNow()).toBe(two.releaseDigest);
    const moved = { ...world.parts, schema: { ready: () => Promise.resolve({ kind: 'ready', schemaGeneration: '8' } as const) } };
    expect(await continuePublication(moved, opened.at)).toEqual({ kind: 'failed', code: 'SCHEMA_GENERATION_MOVED' });
    expect([await served(), grantedNow()]).toEqual([old(), one.releaseDigest]);
    expect(await readOpenPublication(schema.db, ORG)).toBeUndefined();
    expect(await life.row()).toMatchObject({ state: 'FAILED', failedFrom: 'UPGRADING', securityEpoch: '1' });
  });

  it('published: cat:INST-T16 cat:PUBL-11 resume takes back what failed, which somebody left, and begins anew in the same asking', async () => {
    await begin();
    const opened = life.at(await life.open('upgrade', asked(two)));
    await opened.toPublish();
    await failPublication(schema.db, { ...opened.at, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
    expect(await resume('FAILED')).toMatchObject({ kind: 'opened', attempt: 4n, end: { kind: 'published' } });
    expect([grantedNow(), (await life.row()).state]).toEqual([two.releaseDigest, 'ACTIVE']);
  });

  it('abandoned: what a resume wrote before an owner fell silent is told, not that nothing was written; a further resume begins anew', async () => {
    await begin('honest', 'fail');
    const opened = life.at(await life.open('upgrade', asked(two)));
    await opened.toPublish();
    const moved = { ...world.parts, schema: { ready: () => Promise.resolve({ kind: 'ready', schemaGeneration: '8' } as const) } };
    await continuePublication(moved, opened.at);
    const readHead = () => Promise.resolve({ kind: 'unavailable' } as const);
    const silent = { ...world.parts, security: { ...world.security, readHead } };
    const told = await resumeInstallation(silent, seen('FAILED'), asking());
    expect(told).toMatchObject({ kind: 'opened', attempt: 3n, end: { kind: 'abandoned' } });
    await expect(resumeInstallation(silent, seen('FAILED'), asking())).rejects.toMatchObject({ owner: 'security' });
    expect(await resume('FAILED')).toMatchObject({ kind: 'opened', attempt: 4n, end: { kind: 'published' } });
  });

  it('published: cat:INST-T17 out of FAILED back to what serves, by a rollback', async () => {
    await begin();
    const opened = life.at(await life.open('upgrade', asked(two)));
    await failPublication(schema.db, { ...opened.at, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
    const back = await rollBackInstallation(world.parts, seen('FAILED'), one.releaseDigest, asking());
    expect(back).toMatchObject({ kind: 'opened', end: { kind: 'published' } });
    expect(await life.row()).toMatchObject({ state: 'ACTIVE', epoch: 2n });
  });
});

/** The parts of the world, in which the command that was given up lands right before the next one that is sent. */
function landsBefore(seenBefore: number): typeof world.parts {
  const { security } = world.parts;
  const late = life.at({ kind: 'opened', attempt: 2n });
  const advance: typeof security.advance = async (command) => {
    if (world.security.seen.length === seenBefore) await late.send();
    return security.advance(command);
  };
  return { ...world.parts, security: { readHead: (organization) => security.readHead(organization), advance } };
}

describe('abandon', () => {
  it('abandoned: cat:PUBL-C7 cat:INST-T05 after step 3; a newer projection without it, then ACTIVE with what it was', async () => {
    await begin();
    const opened = life.at(await life.open('upgrade', asked(two)));
    await opened.toPublish();
    expect(await abandon('UPGRADING')).toEqual({ kind: 'abandoned' });
    expect([await served(), grantedNow(), (await life.row()).state]).toEqual([old(), one.releaseDigest, 'ACTIVE']);
    expect(world.security.seen.map(({ expectedPriorEpoch }) => expectedPriorEpoch)).toEqual([0n, 1n, 2n]);
  });

  it('abandoned: cat:PUBL-11 its command lands late, in the middle of the taking back; another one follows it', async () => {
    await begin();
    const opened = life.at(await life.open('upgrade', asked(two)));
    await opened.compile();
    const late = await opened.frozen();
    const request = asking();
    expect(await abandonInstallation(landsBefore(1), seen('UPGRADING'), request)).toEqual({ kind: 'abandoned' });
    expect([grantedNow(), (await life.row()).state]).toEqual([one.releaseDigest, 'ACTIVE']);
    expect(world.security.seen[1]?.commandId).toBe(late.commandId);
    const steps = (await readJournal(schema.db, ORG, life.installation, 2n)).entries.map(({ attempt, step }) => `${attempt} ${step}`);
    expect(steps).toEqual(expect.arrayContaining(['2 failed', '3 failed', '4 abandoned']));
    // Whoever lost that answer asks again: what the request opened was superseded, and what followed it is over.
    expect(await abandonInstallation(world.parts, seen('UPGRADING'), request)).toEqual({ kind: 'abandoned' });
  });

  it('abandoned: the same request again, though the command that it was first told of was superseded long ago (decisions 12.7)', async () => {
    await begin();
    await life.at(await life.open('upgrade', asked(two))).compile();
    const request = asking();
    const first = abandonInstallation(landsBefore(1), seen('UPGRADING'), request);
    expect([await first, (await life.row()).attempt]).toEqual([{ kind: 'abandoned' }, 4n]);
    expect(await abandonInstallation(world.parts, seen('UPGRADING'), request)).toEqual({ kind: 'abandoned' });
    await upgrade();
    expect(await abandonInstallation(world.parts, seen('UPGRADING'), request)).toEqual({ kind: 'abandoned' });
  });

  it('abandoned: cat:INST-T11 a preparation, the same request again the same (decisions 12.7); attempt-moved where another one came', async () => {
    await begin();
    const other = await world.release(undefined, OTHER_APP);
    const { installation } = await world.opened(ORG, askedFor(other));
    const at = { organization: ORG, installation, expectedState: 'PREPARING', expectedActivationEpoch: 0n } as const;
    const giveUp = (expectedAttempt?: bigint, request = asking()) => abandonInstallation(world.parts, { ...at, expectedAttempt }, request);
    expect(await giveUp(2n)).toEqual({ kind: 'attempt-moved', attempt: 1n });
    for (const _ of [1, 2]) expect(await giveUp(undefined, asking('given-up'))).toEqual({ kind: 'abandoned' });
    expect(await giveUp(1n)).toEqual({ kind: 'state-moved', state: 'FAILED' });
    await expect(world.install(ORG, askedFor(other), 'given-up')).rejects.toMatchObject({ code: 'HOUSE:catalog:RequestReused' });
  });

  it('taking-back: Runtime does not answer; it is given up all the same, and the loop goes on', async () => {
    await begin('honest', 'fail');
    await life.at(await life.open('upgrade', asked(two))).toPublish();
    expect(await abandon('UPGRADING')).toEqual({ kind: 'taking-back', end: { kind: 'waiting', for: 'security' } });
    expect([await served(), (await life.row()).state]).toEqual([old(), 'UPGRADING']);
    expect(await publicationLoop(world.parts, 1_000).once(new AbortController().signal, 'poll')).toBe('worked');
    expect([grantedNow(), (await life.row()).state]).toEqual([one.releaseDigest, 'ACTIVE']);
  });

  it('abandoned: cat:INST-T11 a preparation, which is FAILED then and has nothing in Runtime', async () => {
    await begin();
    const other = await world.release(undefined, OTHER_APP);
    const open = await world.opened(ORG, askedFor(other));
    const preparing = new Life(schema, world, open.installation);
    await preparing.at({ kind: 'opened', attempt: 1n }).toPublish();
    const at = { organization: ORG, installation: open.installation, expectedState: 'PREPARING', expectedActivationEpoch: 0n } as const;
    expect(await abandonInstallation(world.parts, at, asking())).toEqual({ kind: 'abandoned' });
    expect([(await preparing.row()).state, life.granted()]).toEqual(['FAILED', [one.releaseDigest]]);
  });

  it.each(['REMOVING', 'ACTIVE', 'FAILED'] as const)('transition-not-allowed: %s', async (state) => {
    await begin();
    await schema.sql('UPDATE cat_installation SET state = ?', [Buffer.from(state)]);
    expect(await abandon(state)).toEqual({ kind: 'transition-not-allowed', state });
  });
});

describe('removal', () => {
  it('removed: cat:A-28 cat:INST-T09 cat:INST-T10 grants first, then the revision, then the gates, and the App may be installed anew', async () => {
    await begin();
    expect(await remove()).toMatchObject({ kind: 'opened', attempt: 2n, end: { kind: 'removed' } });
    expect([await served(), life.granted()]).toEqual(['INSTALLATION_NOT_ACTIVE', []]);
    const steps = (await readJournal(schema.db, ORG, life.installation, 2n)).entries.map(({ step }) => step);
    expect(steps).toEqual(['opened', 'compiled', 'acknowledged', 'published', 'removed']);
    expect(await world.install(ORG, asked(one))).toMatchObject({
      kind: 'opened',
      end: { kind: 'published', lineage: { catalogRevision: 3n } },
    });
  });

  it('gates-open: a route still refers to its binding; withdrawn all the same, and REMOVED once it is closed', async () => {
    await begin();
    const [binding] = await schema.sql('SELECT binding_id FROM cat_binding_state');
    const row = [ORG, life.installation, 'route-1', String(binding?.['binding_id']), String(binding?.['binding_id'])].map((text) =>
      Buffer.from(text),
    );
    await schema.sql(
      `INSERT INTO cat_binding_reference (organization_id, app_installation_id, reference_id, binding_id, open_binding_id, kind)
       VALUES (?, ?, ?, ?, ?, 'route')`,
      row,
    );
    expect(await remove()).toMatchObject({ end: { kind: 'gates-open', bindings: [String(binding?.['binding_id'])] } });
    expect([await served(), (await life.row()).live]).toEqual(['INSTALLATION_NOT_ACTIVE', APP]);
    expect(await resume('REMOVING', 2n)).toMatchObject({ kind: 'opened', attempt: 2n, end: { kind: 'gates-open' } });
    await schema.sql('UPDATE cat_binding_reference SET open_binding_id = NULL');
    expect(await publicationLoop(world.parts, 1_000).once(new AbortController().signal, 'poll')).toBe('worked');
    expect((await life.row()).state).toBe('REMOVED');
    expect(await passGates(world.parts, { organization: ORG, installation: life.installation })).toEqual({ kind: 'removed' });
  });

  it('removed: cat:A-39 of a release that is blocked; what is bad must be removable', async () => {
    await begin();
    const bad = await world.release(runs, APP, '9.0.0');
    await upgradeInstallation(world.parts, seen('ACTIVE'), asked(bad), asking());
    await blockRelease(schema.db, { appId: bad.appId, releaseDigest: bad.releaseDigest, reason: 'test' }, asking());
    expect(await remove('ACTIVE', 2n)).toMatchObject({ end: { kind: 'removed' } });
  });

  it('failed: cat:INST-T14 cat:INST-T18 the epoch moved; it serves on, its grants too, and resume removes it by a new command', async () => {
    await begin();
    const run = life.at(await life.openRemoval());
    world.security.moveOtherInputs(ORG);
    expect(await continuePublication(world.parts, run.at)).toEqual({ kind: 'failed', code: 'SECURITY_EPOCH_STALE' });
    expect([await served(), (await life.row()).failedFrom]).toEqual([old(), 'REMOVING']);
    expect(await upgrade('FAILED')).toEqual({ kind: 'transition-not-allowed', state: 'FAILED' });
    expect(await resume('FAILED')).toMatchObject({ kind: 'opened', attempt: 3n, end: { kind: 'removed' } });
    expect(await countOf(schema, 'cat_candidate')).toBe(3);
  });

  it('waiting: Runtime does not answer; it serves on until it does', async () => {
    await begin('fail');
    expect(await remove()).toMatchObject({ end: { kind: 'waiting', for: 'security' } });
    expect([await served(), (await life.row()).state]).toEqual([old(), 'REMOVING']);
    expect(await resume('REMOVING')).toMatchObject({ kind: 'opened', end: { kind: 'removed' } });
  });

  it('removed: cat:INST-T18 what was given up as a preparation, and never served', async () => {
    await begin();
    const other = await world.release(undefined, OTHER_APP);
    const open = await world.opened(ORG, askedFor(other));
    const at = { organization: ORG, installation: open.installation, expectedActivationEpoch: 0n };
    await abandonInstallation(world.parts, { ...at, expectedState: 'PREPARING' }, asking());
    expect(await removeInstallation(world.parts, { ...at, expectedState: 'FAILED' }, asking())).toMatchObject({ end: { kind: 'removed' } });
    expect(await served()).toEqual(old());
  });
});

describe('the two axes', () => {
  it('bound: cat:SEC-16 an abandonment takes a security epoch and no catalog revision', async () => {
    await begin();
    await life.at(await life.open('upgrade', asked(two))).toPublish();
    await abandon('UPGRADING');
    const [lineage] = await schema.sql('SELECT catalog_revision FROM cat_lineage');
    const head = await world.security.readHead(ORG);
    expect([lineage, head]).toMatchObject([{ catalog_revision: '1' }, { securityEpoch: 3n }]);
  });
});
