import type { SchemaQuestion } from '@connector/catalog/contract/schema-readiness';
import { ENTRIES } from '@connector/catalog/model/installation/publication';
import type { AppRelease } from '@connector/catalog/model/release';
import { readCurrentView } from '@connector/catalog/reads/current-view';
import { readEnd, readFrozen, readStepsDone } from '@connector/catalog/reads/publication';
import { failPublication } from '@connector/catalog/transitions/installation/fail-publication.tx';
import { RetryableFault } from '@connector/kernel/faults';
import { Publication } from '@connector/testing/fixtures/publication-steps';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import type { Fate } from '@connector/testing/fake-runtime-security';
import {
  askedFor,
  emptyInstallations,
  PUBLISHER,
  type PublicationWorld,
  publicationWorld,
  WORKLOAD,
} from '@connector/testing/fixtures/publication';
import { asking, type Signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { appGrants } from '@connector/security/contract/projection';
import { continuePublication } from './continue-publication';
import { publicationLoop } from './installation-parts';
import { resumeInstallation } from './resume';

let schema: TestSchema;
let world: PublicationWorld;
let app: AppRelease;
let signer: Signer;
const ORG = 'org-1';

beforeAll(async () => {
  schema = await mainSchema();
  signer = await trustedPublisher(schema.db, PUBLISHER);
});
beforeEach(() => emptyInstallations(schema));
afterAll(() => schema.close());

async function begin(...plan: readonly Fate[]) {
  world = await publicationWorld(schema, { plan, signer });
  app = await world.release();
  const open = await world.opened(ORG, askedFor(app));
  return { open, run: new Publication(schema.db, world, open), go: () => continuePublication(world.parts, open) };
}
const PUBLISHED = { kind: 'published', lineage: { catalogRevision: 1n, activationEpoch: 1n } };
const epochs = (): number => new Set(world.security.seen.map(({ commandId }) => commandId)).size;

describe('continue-publication › from each crash prefix', () => {
  it('published: cat:PUBL-C1 after step 1 it is compiled from what was committed, and nothing served meanwhile', async () => {
    const { open, go } = await begin();
    expect(await readCurrentView(schema.db, { organization: ORG, installation: open.installation, workload: WORKLOAD }, 0n)).toMatchObject({
      kind: 'absent',
      code: 'INSTALLATION_NOT_ACTIVE',
    });
    expect(await go()).toMatchObject(PUBLISHED);
    expect(await readStepsDone(schema.db, open)).toEqual(['opened', 'compiled', 'acknowledged', 'published']);
  });

  it('published: cat:PUBL-C2 cat:PUBL-04 cat:SEC-02 after step 2 exactly the journaled command goes out, byte for byte', async () => {
    const { open, run, go } = await begin();
    await run.compile();
    expect(await go()).toMatchObject(PUBLISHED);
    const frozen = await readFrozen(schema.db, open);
    expect(world.security.seen).toEqual([
      {
        commandId: frozen?.commandId,
        organization: ORG,
        expectedPriorEpoch: 0n,
        appGrants: frozen?.appGrants,
        expectedProjectionDigest: frozen?.projectionDigest,
      },
    ]);
  });

  it('published: cat:PUBL-C3 Runtime committed and its answer was lost; the same command gets the same binding', async () => {
    const { go } = await begin('lose-answer');
    expect(await go()).toEqual({ kind: 'waiting', for: 'security' });
    expect(await go()).toMatchObject(PUBLISHED);
    expect([world.security.seen.length, epochs()]).toEqual([2, 1]);
    expect((await world.security.readHead(ORG)) as object).toMatchObject({ securityEpoch: 1n });
  });

  it('published: cat:PUBL-C4 after the acknowledgement nothing is sent again, and there is one revision', async () => {
    const { run, go } = await begin();
    await run.toPublish();
    expect(await go()).toMatchObject(PUBLISHED);
    expect([world.security.seen.length, await countOf(schema, 'cat_revision')]).toEqual([1, 1]);
  });

  it('published: cat:PUBL-C5 after step 4 it is read back and reported', async () => {
    const { run, go } = await begin();
    await run.toEnd();
    expect(await go()).toMatchObject(PUBLISHED);
    expect(await countOf(schema, 'cat_revision')).toBe(1);
  });

  it('failed: cat:PUBL-C7 cat:PUBL-11 given up after step 3, a newer full projection without its grants follows at once, and the next App after it', async () => {
    const { open, run, go } = await begin();
    await run.compile();
    await run.acknowledge(await run.send());
    await failPublication(schema.db, { ...open, code: 'ABANDONED', detail: 'test', by: 'test' });
    expect(await go()).toEqual({ kind: 'failed', code: 'ABANDONED' });
    const releasesIn = (bytes: Buffer | undefined) =>
      appGrants.parse(bytes ?? Buffer.alloc(0)).value.installations.map(({ app_release_digest: release }) => release);
    expect([world.security.seen.at(-1)?.expectedPriorEpoch, releasesIn(world.security.seen.at(-1)?.appGrants)]).toEqual([1n, []]);
    const other = await world.release(undefined, 'dev.example.other');
    expect(await world.install(ORG, askedFor(other))).toMatchObject({ kind: 'opened', end: PUBLISHED });
    const last = world.security.seen.at(-1);
    expect([last?.expectedPriorEpoch, releasesIn(last?.appGrants)]).toEqual([2n, [other.releaseDigest]]);
  });

  it('published: cat:PUBL-10 cat:SEC-13 cat:REJ-10 a projection of a candidate that is not ACTIVE gives no view, before and after it failed', async () => {
    const { open, run } = await begin();
    await run.toPublish();
    const scope = { organization: ORG, installation: open.installation, workload: WORKLOAD };
    const absent = { kind: 'absent', code: 'INSTALLATION_NOT_ACTIVE' };
    expect(await readCurrentView(schema.db, scope, 0n)).toMatchObject(absent);
    await failPublication(schema.db, { ...open, code: 'ABANDONED', detail: 'test', by: 'test' });
    expect(await readCurrentView(schema.db, scope, 0n)).toMatchObject(absent);
  });
});

describe('continue-publication › against a Runtime security that misbehaves', () => {
  it('waiting: it does not answer; nothing is journaled, and the next look goes on', async () => {
    const { open, go } = await begin('fail');
    expect(await go()).toEqual({ kind: 'waiting', for: 'security' });
    expect(await readStepsDone(schema.db, open)).toEqual(['opened', 'compiled']);
    expect(await go()).toMatchObject(PUBLISHED);
  });

  it('waiting: it answers with the binding of another command; that is no acknowledgement', async () => {
    const { open, go } = await begin('lie');
    expect(await go()).toEqual({ kind: 'waiting', for: 'security' });
    expect(await readStepsDone(schema.db, open)).toEqual(['opened', 'compiled']);
  });

  it('published: the command arrives twice; one epoch', async () => {
    const { go } = await begin('twice');
    expect(await go()).toMatchObject(PUBLISHED);
    expect((await world.security.readHead(ORG)) as object).toMatchObject({ securityEpoch: 1n });
  });

  it('failed: cat:A-31 cat:SEC-09 another input moved the epoch; the resumed attempt has another command and the old one stays in the journal', async () => {
    const { open, go } = await begin();
    world.security.moveOtherInputs(ORG);
    expect(await go()).toEqual({ kind: 'failed', code: 'SECURITY_EPOCH_STALE' });
    const { installation, attempt } = open;
    const input = { organization: ORG, installation, expectedState: 'FAILED', expectedActivationEpoch: 0n } as const;
    const request = asking();
    const resumed = await resumeInstallation(world.parts, input, request);
    expect(resumed).toMatchObject({ kind: 'opened', attempt: attempt + 1n, end: PUBLISHED });
    expect(await resumeInstallation(world.parts, input, request)).toEqual(resumed);
    expect(await resumeInstallation(world.parts, input, asking())).toEqual({ kind: 'state-moved', state: 'ACTIVE' });
    const [before, after] = await Promise.all([readFrozen(schema.db, open), readFrozen(schema.db, { ...open, attempt: attempt + 1n })]);
    expect([before?.expectedPriorEpoch, after?.expectedPriorEpoch]).toEqual([0n, 1n]);
    expect(before?.commandId).not.toBe(after?.commandId);
    expect(await readEnd(schema.db, open)).toEqual({ kind: 'failed', code: 'SECURITY_EPOCH_STALE' });
  });

  it('failed: its projection of the same grants is another one', async () => {
    const { go } = await begin();
    await schema.sql(`UPDATE cat_candidate SET other_inputs_digest = REPEAT('x', 32)`);
    expect(await go()).toEqual({ kind: 'failed', code: 'PROJECTION_DIFFERS' });
    expect(world.security.seen).toEqual([]);
  });
});

describe('continue-publication', () => {
  it('failed: cat:PUBL-03 a compiled tuple of another digest than expected stops before anything is sent', async () => {
    const { go } = await begin();
    await schema.sql(`UPDATE cat_candidate SET tuple_digest = REPEAT('x', 32)`);
    expect(await go()).toEqual({ kind: 'failed', code: 'PROJECTION_DIFFERS' });
    expect([world.security.seen.length, await countOf(schema, 'cat_revision')]).toEqual([0, 0]);
  });

  it('not-open: cat:SEC-02 what no journal has is not sent', async () => {
    const { open } = await begin();
    expect(await continuePublication(world.parts, { ...open, attempt: 7n })).toEqual({ kind: 'not-open' });
    expect(world.security.seen).toEqual([]);
  });

  it.each([
    ['SCHEMA_NOT_READY', { kind: 'not-ready', missing: [] }],
    ['SCHEMA_GENERATION_MOVED', { kind: 'ready', schemaGeneration: '8' }],
  ] as const)('failed: cat:PUBL-07 at step 4 the schema owner says otherwise than at step 1: %s', async (code, answer) => {
    const { open, run } = await begin();
    await run.toPublish();
    const moved = { ready: () => Promise.resolve(answer) };
    expect(await continuePublication({ ...world.parts, schema: moved }, open)).toEqual({ kind: 'failed', code });
  });

  it('waiting: the schema owner does not answer at step 4', async () => {
    const { open, run } = await begin();
    await run.toPublish();
    const silent = { ready: () => Promise.resolve({ kind: 'unavailable' } as const) };
    expect(await continuePublication({ ...world.parts, schema: silent }, open)).toEqual({ kind: 'waiting', for: 'schema' });
  });

  it('published: cat:PUBL-07 cat:INST-14 of eight controllers at once each reports the one revision', async () => {
    const { go } = await begin('lose-answer', 'twice');
    const ends = await Promise.all(Array.from({ length: 8 }, go));
    expect(ends.filter(({ kind }) => kind !== 'published' && kind !== 'waiting')).toEqual([]);
    expect(await go()).toMatchObject(PUBLISHED);
    expect([await countOf(schema, 'cat_revision'), epochs()]).toEqual([1, 1]);
  });

  it('one: cat:INST-07 of eight installs of one App at once one begins, and the others name it', async () => {
    world = await publicationWorld(schema, { signer });
    app = await world.release();
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.install(ORG, askedFor(app))));
    expect(answers.filter(({ kind }) => kind === 'opened')).toHaveLength(1);
    expect([...new Set(answers.map(({ kind }) => kind))].sort()).toEqual(['live-installation-exists', 'opened']);
    expect(await countOf(schema, 'cat_installation')).toBe(1);
  });

  it('worked: the loop goes on with what somebody left, and is idle afterwards', async () => {
    const { open } = await begin();
    const loop = publicationLoop(world.parts, 1_000);
    expect(await loop.once(new AbortController().signal, 'poll')).toBe('worked');
    expect(await readEnd(schema.db, open)).toMatchObject(PUBLISHED);
    expect(await loop.once(new AbortController().signal, 'poll')).toBe('idle');
  });

  const look = () => publicationLoop(world.parts, 1_000).once(new AbortController().signal, 'poll');

  it('worked: cat:INST-14 the loop comes to what was left behind a hundred that wait', async () => {
    const { open } = await begin();
    const { bytes: entry } = ENTRIES.failed.build({ code: 'ABANDONED', failed_from: 'PREPARING', detail: 'waits' });
    for (let n = 0; n <= 100; n += 1) {
      const [organization, installation] = [`waits-${n}`, `0-${n}`];
      await schema.sql('INSERT INTO cat_lineage VALUES (?, ?, 0, ?, 1)', [organization, organization, installation]);
      await schema.sql(
        `INSERT INTO cat_publication_step (organization_id, app_installation_id, attempt, step, entry) VALUES (?, ?, 1, 'failed', ?)`,
        [organization, installation, entry],
      );
    }
    expect(await look()).toBe('worked');
    expect(await readEnd(schema.db, open)).toMatchObject(PUBLISHED);
  });

  it('worked: cat:INST-14 the loop comes to what was left behind an organization that has to be tried again, and then tells of it', async () => {
    const { open } = await begin();
    const behind = await world.opened('org-2', askedFor(app));
    const { schema: owner } = world.parts;
    const busy = (question: SchemaQuestion) =>
      question.organization === ORG ? Promise.reject(new RetryableFault('HOUSE:test:Busy', 'again')) : owner.ready(question);
    const loop = publicationLoop({ ...world.parts, schema: { ready: busy } }, 1_000);
    await expect(loop.once(new AbortController().signal, 'poll')).rejects.toMatchObject({ code: 'HOUSE:test:Busy' });
    expect(open.installation < behind.installation).toBe(true);
    expect([await readEnd(schema.db, open), await readEnd(schema.db, behind)]).toMatchObject([undefined, PUBLISHED]);
    expect(await look()).toBe('worked');
    expect(await readEnd(schema.db, open)).toMatchObject(PUBLISHED);
  });
});
