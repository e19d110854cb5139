import { Digest } from '@connector/kernel/digest';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { askedFor, emptyInstallations, PUBLISHER, type PublicationWorld, publicationWorld } from '@connector/testing/fixtures/publication';
import { asking, type Signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import type { AppRelease } from '../../model/release';
import type { OpenAttempt } from '../../model/installation/attempt';
import type { ExistingPlace } from '../../model/installation/gathered';
import { ENTRIES } from '../../model/installation/publication';
import { readFrozen, readStepsDone } from '../../reads/publication';
import { failPublication } from './fail-publication.tx';
import { openPublication } from './open-publication.tx';
import { publish } from './publish.tx';
import { recordAcknowledged } from './record-acknowledged.tx';
import { recordCompiled } from './record-compiled.tx';
import { ORG, otherBinding, Publication } from '@connector/testing/fixtures/publication-steps';

let schema: TestSchema;
let world: PublicationWorld;
let app: AppRelease;
let open: OpenAttempt;
let signer: Signer;
let run: Publication;

beforeAll(async () => {
  schema = await mainSchema();
  signer = await trustedPublisher(schema.db, PUBLISHER);
});
beforeEach(async () => {
  await emptyInstallations(schema);
  world = await publicationWorld(schema, { signer });
  app = await world.release();
  open = await world.opened(ORG, askedFor(app));
  run = new Publication(schema.db, world, open);
});
afterAll(() => schema.close());

const fail = (attempt = open) => failPublication(schema.db, { ...attempt, code: 'ABANDONED', detail: 'test', by: 'test' });
const stateOf = async (): Promise<string> => String((await schema.sql('SELECT state FROM cat_installation'))[0]?.['state']);
const ghost = (): OpenAttempt => ({ ...open, attempt: 9n });

describe('open-publication', () => {
  it('opened: cat:PUBL-01 cat:PUBL-02 cat:INST-01 candidate, journal, digests, prior epoch and command in one commit; no epoch is said', async () => {
    expect(open.installation).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await readStepsDone(schema.db, open)).toEqual(['opened']);
    const frozen = await readFrozen(schema.db, open);
    expect(frozen).toMatchObject({ expectedPriorEpoch: 0n, commandId: expect.stringMatching(/^opn_/) as string });
    const [row] = await schema.sql(
      'SELECT state, active_release_digest, active_security_epoch, candidate_release_digest FROM cat_installation',
    );
    expect(row).toMatchObject({ active_release_digest: null, active_security_epoch: null });
    expect(row?.['candidate_release_digest']).toEqual(Digest.bytes(app.releaseDigest));
    expect([await stateOf(), await countOf(schema, 'cat_revision'), world.security.seen.length]).toEqual(['PREPARING', 0, 0]);
  });

  it('opened: the same request again is answered as the first time, and nothing is made twice', async () => {
    await fail();
    await schema.sql('UPDATE cat_installation SET live_app_id = NULL');
    const [input, request] = [await world.input(ORG, askedFor(app)), asking()];
    const first = await openPublication(schema.db, input, request);
    expect(await openPublication(schema.db, { ...input, gathered: { ...input.gathered, catalogRevision: 7n } }, request)).toEqual(first);
    expect([first.kind, await countOf(schema, 'cat_candidate')]).toEqual(['opened', 2]);
  });

  it('refused: a failed check of the gatherer is journaled under an attempt of its own, and nothing else is written', async () => {
    await fail();
    await schema.sql('UPDATE cat_installation SET live_app_id = NULL');
    const input = await world.input(ORG, askedFor(app, { handlerBindings: [] }));
    expect(await openPublication(schema.db, input, asking())).toMatchObject({ kind: 'refused', attempt: 1n });
    expect([await countOf(schema, 'cat_installation'), await countOf(schema, 'cat_publication_step')]).toEqual([1, 3]);
  });

  it.each(['PREPARING', 'ACTIVE', 'UPGRADING', 'ROLLING_BACK', 'REMOVING', 'FAILED'])(
    'live-installation-exists: cat:INST-08 a second install while the first is %s',
    async (state) => {
      await schema.sql('UPDATE cat_installation SET state = ?', [Buffer.from(state)]);
      const answer = await openPublication(schema.db, await world.input(ORG, askedFor(app)), asking());
      expect(answer).toEqual({ kind: 'live-installation-exists', installation: open.installation });
    },
  );

  it('publication-open: another App of the organization waits; another organization does not (decisions 12.4)', async () => {
    const other = await world.release(undefined, 'dev.example.other');
    const input = await world.input(ORG, askedFor(other, { handlerBindings: [] }));
    const { installation, attempt } = open;
    expect(await openPublication(schema.db, input, asking())).toEqual({ kind: 'publication-open', installation, attempt });
    expect((await world.opened('org-2', askedFor(app))).organization).toBe('org-2');
  });

  it('revision-moved: what was gathered is of an earlier revision', async () => {
    const input = await world.input(ORG, askedFor(app));
    await run.toEnd();
    expect(await openPublication(schema.db, input, asking())).toEqual({ kind: 'revision-moved', catalogRevision: 1n });
  });

  it.each([
    ['revision', 1n, 0n],
    ['security epoch', 0n, 1n],
  ])('expected-moved: a plan was confirmed that was made under another %s', async (_, catalogRevision, securityEpoch) => {
    const input = await world.input('org-2', askedFor(app));
    const moved = { kind: 'expected-moved', catalogRevision: 0n, securityEpoch: 0n };
    expect(await openPublication(schema.db, { ...input, expected: { catalogRevision, securityEpoch } }, asking())).toEqual(moved);
    expect(await countOf(schema, 'cat_installation')).toBe(1);
  });

  const again = (over: Partial<ExistingPlace> = {}): ExistingPlace => ({
    installation: open.installation,
    state: 'FAILED',
    activationEpoch: 0n,
    kind: 'install',
    ...over,
  });
  const resume = async (over: object = {}) => {
    const input = await world.input(ORG, askedFor(app));
    return openPublication(schema.db, { ...input, existing: again(), ...over }, asking());
  };

  it('opened: cat:INST-T15 a FAILED preparation begins anew by another attempt, with another command', async () => {
    await fail();
    expect(await resume()).toEqual({ kind: 'opened', installation: open.installation, attempt: 2n });
    const [first, second] = await Promise.all([readFrozen(schema.db, open), readFrozen(schema.db, { ...open, attempt: 2n })]);
    expect(first?.commandId).not.toBe(second?.commandId);
    expect(await stateOf()).toBe('PREPARING');
  });

  it('refused: a FAILED preparation that fails its checks stays FAILED, its attempt counted', async () => {
    await fail();
    const input = await world.input(ORG, askedFor(app, { grants: [] }));
    const failedOnes = { ...input, existing: again() };
    expect(await openPublication(schema.db, failedOnes, asking())).toEqual({
      kind: 'refused',
      installation: open.installation,
      attempt: 2n,
    });
    expect(await stateOf()).toBe('FAILED');
  });

  it('no-installation: to be resumed, where there is none', async () => {
    expect(await resume({ existing: again({ installation: 'nobody' }) })).toEqual({ kind: 'no-installation' });
  });

  it.each([
    ['it did not fail', 'PREPARING', null],
    ['it fails out of a removal (cat:A-29)', 'FAILED', 'REMOVING'],
  ] as const)('transition-not-allowed: %s', async (_why, state, from) => {
    await schema.sql('UPDATE cat_installation SET state = ?, failed_from = ?', [Buffer.from(state), from && Buffer.from(from)]);
    expect(await resume({ existing: again({ state }) })).toEqual({ kind: 'transition-not-allowed', state });
  });

  it('transition-not-allowed: cat:A-29 what was ACTIVE once is not prepared anew', async () => {
    await fail();
    await schema.sql('UPDATE cat_installation SET last_active_release_digest = candidate_release_digest, last_active_release_digest = ?', [
      Digest.bytes(app.releaseDigest),
    ]);
    expect(await resume()).toEqual({ kind: 'transition-not-allowed', state: 'FAILED' });
  });

  it('activation-epoch-moved: under another epoch than the asker saw', async () => {
    await fail();
    const moved = { existing: again({ activationEpoch: 3n }) };
    expect(await resume(moved)).toEqual({ kind: 'activation-epoch-moved', activationEpoch: 0n });
  });

  it('other-app: cat:INST-04 an installation is of one App for good', async () => {
    await fail();
    const other = await world.release(undefined, 'dev.example.other');
    const { asked, release, gathered } = await world.input(ORG, askedFor(other, { handlerBindings: [] }));
    expect(await resume({ asked, release, gathered })).toEqual({ kind: 'other-app', appId: app.appId });
  });
});

describe('record-compiled', () => {
  it('recorded: cat:PUBL-03 the projections stand in the journal and nothing that serves is repointed', async () => {
    expect(await run.compile()).toEqual({ kind: 'recorded' });
    expect([await readStepsDone(schema.db, open), await stateOf(), await countOf(schema, 'cat_view_current')]).toEqual([
      ['opened', 'compiled'],
      'PREPARING',
      0,
    ]);
  });

  it('already-recorded: the same projections again', async () => {
    await run.compile();
    expect(await run.compile()).toEqual({ kind: 'already-recorded' });
  });

  it('other-projections: what stands is not overwritten', async () => {
    const { tuple } = await run.projections();
    await run.compile();
    const other = { ...open, tuple, projectionDigest: app.releaseDigest };
    expect(await recordCompiled(schema.db, other)).toEqual({ kind: 'other-projections' });
  });

  it('not-open: an attempt that is not the open one', async () => {
    const made = await run.projections();
    expect(await recordCompiled(schema.db, { ...ghost(), ...made })).toEqual({ kind: 'not-open' });
    expect(await recordCompiled(schema.db, { ...open, organization: 'org-2', ...made })).toEqual({ kind: 'not-open' });
  });
});

describe('record-acknowledged', () => {
  it('recorded: cat:PUBL-06 cat:SEC-10 the binding that was given, byte for byte', async () => {
    await run.compile();
    const bound = await run.send();
    expect(await run.acknowledge(bound)).toEqual({ kind: 'recorded' });
    const [row] = await schema.sql('SELECT document FROM cat_publication_step WHERE step = ?', [Buffer.from('acknowledged')]);
    expect(row?.['document']).toEqual(bound.bindingBytes);
  });

  it('already-recorded: the same binding again', async () => {
    await run.acknowledge(await run.send());
    expect(await run.acknowledge(await run.send())).toEqual({ kind: 'already-recorded' });
  });

  it('other-binding: one command has one binding, and the one that stands stays', async () => {
    const bound = await run.send();
    await run.acknowledge(bound);
    expect(await recordAcknowledged(schema.db, { ...open, bound: otherBinding(bound) })).toEqual({ kind: 'other-binding' });
  });

  it('not-open: an attempt that is not the open one', async () => {
    const bound = await run.send();
    expect(await recordAcknowledged(schema.db, { ...ghost(), bound })).toEqual({ kind: 'not-open' });
  });
});

describe('publish', () => {
  it('published: cat:PUBL-07 cat:INST-16 cat:INST-12 one revision with its tuple, the three releases, the epoch and the binding at once', async () => {
    await run.toPublish();
    expect(await run.publish()).toMatchObject({ kind: 'published', lineage: { catalogRevision: 1n, activationEpoch: 1n } });
    const frozen = await readFrozen(schema.db, open);
    const [revision] = await schema.sql('SELECT * FROM cat_revision');
    expect(revision).toMatchObject({ catalog_revision: '1', activation_epoch: '1', security_epoch: '1', attempt: '1' });
    expect(revision?.['tuple_digest']).toEqual(frozen && Digest.bytes(frozen.tupleDigest));
    expect(revision?.['projection_digest']).toEqual(frozen && Digest.bytes(frozen.projectionDigest));
    const [row] = await schema.sql(
      'SELECT active_release_digest, last_active_release_digest, candidate_release_digest FROM cat_installation',
    );
    const digest = Digest.bytes(app.releaseDigest);
    expect(row).toEqual({ active_release_digest: digest, last_active_release_digest: digest, candidate_release_digest: null });
    const [binding] = await schema.sql('SELECT state, ownership_epoch FROM cat_binding_state');
    expect([String(binding?.['state']), binding?.['ownership_epoch']]).toEqual(['ACTIVE', '1']);
    const [lineage] = await schema.sql('SELECT open_installation_id, catalog_revision FROM cat_lineage');
    expect(lineage).toEqual({ open_installation_id: null, catalog_revision: '1' });
  });

  it('already-published: cat:PUBL-C5 answers with what stands; there is no second revision', async () => {
    await run.toPublish();
    const { lineage } = (await run.publish()) as { readonly lineage: object };
    expect(await run.publish()).toEqual({ kind: 'already-published', lineage });
    expect(await countOf(schema, 'cat_revision')).toBe(1);
  });

  it('too-early: before it was compiled, and before it was acknowledged', async () => {
    expect(await run.publish()).toEqual({ kind: 'too-early', next: 'compile' });
    await run.compile();
    expect(await run.publish()).toEqual({ kind: 'too-early', next: 'send' });
  });

  it('not-open: an attempt that failed, or never was', async () => {
    await run.toPublish();
    expect(await publish(schema.db, { ...ghost(), schemaGeneration: '7' })).toEqual({ kind: 'not-open' });
    await fail();
    expect(await run.publish()).toEqual({ kind: 'not-open' });
  });

  it.each([
    ['candidate', `cat_candidate SET document_digest = REPEAT('x', 32)`],
    ['tuple', `cat_candidate SET tuple_digest = REPEAT('x', 32)`],
    ['projection', `cat_candidate SET projection_digest = REPEAT('x', 32)`],
    ['security-binding', 'cat_candidate SET expected_prior_epoch = 9'],
  ])('disagrees: cat:PUBL-07 cat:FAIL-04 the %s is not the one that was expected; nothing moves', async (what, change) => {
    await run.toPublish();
    await schema.sql(`UPDATE ${change}`);
    expect(await run.publish()).toEqual({ kind: 'disagrees', with: what });
    expect([await stateOf(), await countOf(schema, 'cat_revision')]).toEqual(['PREPARING', 0]);
  });

  it('disagrees: cat:PUBL-07 the tuple in the journal is another than it says, or says another than it is', async () => {
    await run.toPublish();
    const [row] = await schema.sql(`SELECT entry, document FROM cat_publication_step WHERE step = 'compiled'`);
    const alter = (set: string, value: unknown) => schema.sql(`UPDATE cat_publication_step SET ${set} WHERE step = 'compiled'`, [value]);
    await alter(`document = REPLACE(document, '"schema_generation":"7"', ?)`, '"schema_generation":"8"');
    expect(await run.publish()).toEqual({ kind: 'disagrees', with: 'tuple' });
    await alter('document = ?', row?.['document']);
    const { value } = ENTRIES.compiled.parse(row?.['entry'] as Buffer);
    await alter('entry = ?', ENTRIES.compiled.build({ ...value, tuple_digest: Digest.sha256(Buffer.from('other')) }).bytes);
    expect(await run.publish()).toEqual({ kind: 'disagrees', with: 'tuple' });
    expect([await stateOf(), await countOf(schema, 'cat_revision')]).toEqual(['PREPARING', 0]);
  });

  it.each([
    ['the organization has another one open', 'cat_lineage SET open_attempt = 9'],
    ['the installation waits for no step 4', `cat_installation SET state = 'FAILED'`],
  ])('not-open: every step of it stands, and %s', async (_what, change) => {
    await run.toPublish();
    await schema.sql(`UPDATE ${change}`);
    expect(await run.publish()).toEqual({ kind: 'not-open' });
    expect(await countOf(schema, 'cat_revision')).toBe(0);
  });

  it('disagrees: cat:PUBL-07 the schema is of another generation than the one that was prepared against', async () => {
    await run.toPublish();
    expect(await publish(schema.db, { ...open, schemaGeneration: '8' })).toEqual({ kind: 'disagrees', with: 'schema-generation' });
    expect(await stateOf()).toBe('PREPARING');
  });
});

describe('fail-publication', () => {
  it('failed: cat:INST-T11 cat:INST-13 the reservation stays, the staged binding fails, and the organization is free', async () => {
    expect(await fail()).toEqual({ kind: 'failed', code: 'ABANDONED' });
    const [row] = await schema.sql('SELECT state, failed_from, live_app_id, candidate_release_digest FROM cat_installation');
    expect([row?.['state'], row?.['failed_from'], row?.['live_app_id']].map(String)).toEqual(['FAILED', 'PREPARING', app.appId]);
    const [binding] = await schema.sql('SELECT state FROM cat_binding_state');
    expect(String(binding?.['state'])).toBe('FAILED');
    const [lineage] = await schema.sql('SELECT open_installation_id FROM cat_lineage');
    expect(lineage).toEqual({ open_installation_id: null });
  });

  it('already-failed: with the reason that stands', async () => {
    await failPublication(schema.db, { ...open, code: 'SECURITY_EPOCH_STALE', detail: 'test', by: 'test' });
    expect(await fail()).toEqual({ kind: 'already-failed', code: 'SECURITY_EPOCH_STALE' });
  });

  it('not-open: an attempt that published, or never was', async () => {
    expect(await fail(ghost())).toEqual({ kind: 'not-open' });
    await run.toEnd();
    expect(await fail()).toEqual({ kind: 'not-open' });
    expect(await fail({ ...open, organization: 'org-2' })).toEqual({ kind: 'not-open' });
  });
});
