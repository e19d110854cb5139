import { Digest } from '@connector/kernel/digest';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import {
  APP,
  askedFor,
  emptyInstallations,
  OTHER_APP,
  type PublicationWorld,
  publicationWorld,
} from '@connector/testing/fixtures/publication';
import { asking, type Signer } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import type { AppRelease } from '../../model/release';
import { abandonCandidate } from './abandon-candidate.tx';
import { failPublication } from './fail-publication.tx';
import { Life } from '@connector/testing/fixtures/life';
import { ORG } from '@connector/testing/fixtures/publication-steps';
import { supersedeAbandonment } from './supersede-abandonment.tx';

let schema: TestSchema;
let signer: Signer;
let world: PublicationWorld;
let [one, two]: AppRelease[] = [];
let life: Life;

beforeAll(async () => {
  schema = await mainSchema();
  ({ signer } = await publicationWorld(schema));
});
beforeEach(async () => {
  await emptyInstallations(schema);
  world = await publicationWorld(schema, { signer });
  [one, two] = [await world.release(), await world.release(undefined, APP, '2.0.0')];
  life = await Life.active(schema, world, one);
});
afterAll(() => schema.close());

const first = (): AppRelease => one as AppRelease;
const second = (): AppRelease => two as AppRelease;
const bytes = (release: AppRelease): Buffer => Digest.bytes(release.releaseDigest);
const abandon = async (over: object = {}, request = asking()) => abandonCandidate(schema.db, { ...(await life.seen()), ...over }, request);

describe('open-publication', () => {
  it('opened: cat:INST-T03 cat:INST-12 the candidate stands beside what is ACTIVE, and nothing that serves moves', async () => {
    await life.opened('upgrade', second());
    expect(await life.row()).toMatchObject({
      ...{ state: 'UPGRADING', attempt: 2n, epoch: 1n, securityEpoch: '1' },
      ...{ active: bytes(first()), candidate: bytes(second()), lastActive: bytes(first()) },
    });
    expect(await countOf(schema, 'cat_revision')).toBe(1);
  });

  it('opened: cat:INST-T06 a rollback to what was ACTIVE here before', async () => {
    await (await life.opened('upgrade', second())).toEnd();
    await life.opened('rollback', first());
    expect(await life.row()).toMatchObject({ state: 'ROLLING_BACK', active: bytes(second()), candidate: bytes(first()) });
  });

  it('not-a-prior-release: cat:INST-T06 a rollback to what was registered and never ACTIVE here', async () => {
    expect(await life.open('rollback', askedFor(second()))).toEqual({ kind: 'not-a-prior-release' });
    const run = await life.opened('upgrade', second());
    await failPublication(schema.db, { ...run.at, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
    expect(await life.open('rollback', askedFor(second()))).toEqual({ kind: 'not-a-prior-release' });
  });

  it('same-release: an upgrade or a rollback to what is ACTIVE', async () => {
    expect(await life.open('upgrade', askedFor(first()))).toEqual({ kind: 'same-release' });
    expect(await life.open('rollback', askedFor(first()))).toEqual({ kind: 'same-release' });
  });

  it('opened: cat:INST-T16 cat:INST-T17 FAILED leads to an upgrade, and to a rollback to what serves; not to the same upgrade of what serves', async () => {
    const run = await life.opened('upgrade', second());
    await failPublication(schema.db, { ...run.at, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
    expect(await life.open('upgrade', askedFor(first()))).toEqual({ kind: 'same-release' });
    expect(await life.open('upgrade', askedFor(second()))).toMatchObject({ kind: 'opened', attempt: 3n });
    expect((await life.row()).state).toBe('UPGRADING');
    await abandon();
    const again = await life.opened('upgrade', second());
    await failPublication(schema.db, { ...again.at, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
    expect(await life.open('rollback', askedFor(first()))).toMatchObject({ kind: 'opened' });
    expect((await life.row()).state).toBe('ROLLING_BACK');
  });

  it('transition-not-allowed: cat:A-29 what was ACTIVE once is not prepared anew, and out of a removal nothing leads but a removal', async () => {
    const run = await life.opened('upgrade', second());
    await failPublication(schema.db, { ...run.at, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
    expect(await life.open('install', askedFor(second()))).toEqual({ kind: 'transition-not-allowed', state: 'FAILED' });
    await schema.sql(`UPDATE cat_installation SET failed_from = 'REMOVING'`);
    for (const kind of ['upgrade', 'rollback'] as const) {
      expect(await life.open(kind, askedFor(second()))).toEqual({ kind: 'transition-not-allowed', state: 'FAILED' });
    }
  });

  it('publication-open: an upgrade waits for the publication of another App', async () => {
    const other = await life.world.opened(life.organization, askedFor(await life.world.release(undefined, 'dev.example.other')));
    const { installation, attempt } = other;
    expect(await life.open('upgrade', askedFor(second()))).toEqual({ kind: 'publication-open', installation, attempt });
    expect(await life.row()).toMatchObject({ state: 'ACTIVE', attempt: 1n });
  });

  it('state-moved: it is not in the state that the asker saw', async () => {
    expect(await life.open('upgrade', askedFor(second()), { state: 'FAILED' })).toEqual({ kind: 'state-moved', state: 'ACTIVE' });
  });

  it('other-app: cat:INST-04 to a release of another App', async () => {
    const other = await world.release(undefined, OTHER_APP);
    expect(await life.open('upgrade', askedFor(other))).toEqual({ kind: 'other-app', appId: APP });
  });

  it('refused: a failed check of an upgrade is journaled, and what is ACTIVE stays ACTIVE', async () => {
    expect(await life.open('upgrade', askedFor(second(), { grants: [] }))).toMatchObject({ kind: 'refused', attempt: 2n });
    expect(await life.row()).toMatchObject({ state: 'ACTIVE', attempt: 2n, candidate: null });
  });
});

describe('publish', () => {
  it('published: cat:INST-T04 cat:INST-12 cat:A-33 the new release with its own binding; the old one drains in the same commit', async () => {
    const run = await life.opened('upgrade', second());
    await run.toPublish();
    expect(await run.publish()).toMatchObject({ kind: 'published', lineage: { catalogRevision: 2n, activationEpoch: 2n } });
    expect(await life.row()).toMatchObject({
      ...{ state: 'ACTIVE', epoch: 2n, securityEpoch: '2' },
      ...{ active: bytes(second()), candidate: null, lastActive: bytes(second()) },
    });
    const states = await schema.sql('SELECT state, ownership_epoch FROM cat_binding_state ORDER BY ownership_epoch');
    expect(states.map((row) => [String(row['state']), row['ownership_epoch']])).toEqual([
      ['DRAINING', '1'],
      ['ACTIVE', '2'],
    ]);
  });

  it('published: cat:A-33 a capability that the new release dropped drains without a successor', async () => {
    const bare = await world.release(
      (draft) => {
        draft.manifest['provided_capabilities'] = [];
      },
      APP,
      '4.0.0',
    );
    const grants = [{ workloadId: askedFor(bare).grants[0]?.workloadId ?? '', capabilities: [] }];
    const run = life.at(await life.open('upgrade', askedFor(bare, { handlerBindings: [], grants })));
    await run.toEnd();
    const states = await schema.sql('SELECT state FROM cat_binding_state');
    expect(states.map((row) => String(row['state']))).toEqual(['DRAINING']);
  });

  it('published: cat:INST-T07 cat:SLOT-39 a rollback goes back, raises every epoch, and registers nothing', async () => {
    await (await life.opened('upgrade', second())).toEnd();
    const registered = await Promise.all(['cat_app_release', 'cat_slot_revision'].map((table) => countOf(schema, table)));
    const run = await life.opened('rollback', first());
    await run.toEnd();
    expect(await life.row()).toMatchObject({ state: 'ACTIVE', epoch: 3n, active: bytes(first()), lastActive: bytes(first()) });
    expect(await Promise.all(['cat_app_release', 'cat_slot_revision'].map((table) => countOf(schema, table)))).toEqual(registered);
    expect((await life.row()).securityEpoch).toBe('3');
  });
});

describe('fail-publication', () => {
  it.each(['upgrade', 'rollback'] as const)(
    'failed: cat:INST-T12 cat:INST-T13 cat:INST-13 an attempt of %s; what was ACTIVE stays, and says where it failed from',
    async (kind) => {
      await (await life.opened('upgrade', second())).toEnd();
      const other = kind === 'rollback' ? first() : await world.release(undefined, APP, '3.0.0');
      const run = await life.opened(kind, other);
      await failPublication(schema.db, { ...run.at, code: 'SECURITY_EPOCH_STALE', detail: 'test', by: 'test' });
      const failedFrom = kind === 'upgrade' ? 'UPGRADING' : 'ROLLING_BACK';
      expect(await life.row()).toMatchObject({ state: 'FAILED', failedFrom, active: bytes(second()), candidate: null, securityEpoch: '2' });
    },
  );

  it('failed: cat:INST-T14 a removal; the reservation and what is ACTIVE stay', async () => {
    const run = life.at(await life.openRemoval());
    await failPublication(schema.db, { ...run.at, code: 'SECURITY_EPOCH_STALE', detail: 'test', by: 'test' });
    expect(await life.row()).toMatchObject({ state: 'FAILED', failedFrom: 'REMOVING', live: APP, active: bytes(first()) });
  });

  it('failed: cat:PUBL-11 after its command may have been sent the next attempt takes it back: what serves, after the epoch that was taken', async () => {
    const run = await life.opened('upgrade', second());
    await run.toPublish();
    await failPublication(schema.db, { ...run.at, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
    expect(await life.row()).toMatchObject({ state: 'FAILED', attempt: 3n });
    const back = life.at({ kind: 'opened', attempt: 3n });
    await back.compile();
    expect((await back.send()).securityEpoch).toBe(3n);
    expect(life.granted()).toEqual([first().releaseDigest]);
  });

  it('not-open: an abandonment does not fail', async () => {
    const run = await life.opened('upgrade', second());
    await run.toPublish();
    await failPublication(schema.db, { ...run.at, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
    const back = { ...run.at, attempt: 3n };
    expect(await failPublication(schema.db, { ...back, code: 'ABANDONED', detail: 'test', by: 'test' })).toEqual({ kind: 'not-open' });
  });
});

describe('abandon-candidate', () => {
  it.each(['upgrade', 'rollback'] as const)(
    'abandoned: cat:INST-T05 cat:INST-T08 an attempt of %s before anything can have been sent; nothing of it is left',
    async (kind) => {
      await (await life.opened('upgrade', second())).toEnd();
      const other = kind === 'rollback' ? first() : await world.release(undefined, APP, '3.0.0');
      await life.opened(kind, other);
      expect(await abandon()).toEqual({ kind: 'abandoned' });
      expect(await life.row()).toMatchObject({ state: 'ACTIVE', failedFrom: null, active: bytes(second()), candidate: null, epoch: 2n });
      const [staged] = await schema.sql(`SELECT COUNT(*) AS n FROM cat_binding_state WHERE state = 'STAGED'`);
      const [lineage] = await schema.sql('SELECT open_installation_id, catalog_revision FROM cat_lineage');
      expect([String(staged?.['n']), lineage]).toEqual(['0', { open_installation_id: null, catalog_revision: '2' }]);
    },
  );

  it('abandoned: the same request again is answered as the first time', async () => {
    await life.opened('upgrade', second());
    const [seen, request] = [await life.seen(), asking('one')];
    expect(await abandon(seen, request)).toEqual({ kind: 'abandoned' });
    expect(await abandon(seen, request)).toEqual({ kind: 'abandoned' });
  });

  it('taking-back: cat:PUBL-C7 cat:INST-T05 once it may have been sent, ACTIVE comes with the acknowledgement of a newer projection without it', async () => {
    const run = await life.opened('upgrade', second());
    await run.compile();
    expect(await abandon()).toEqual({ kind: 'taking-back', installation: life.installation, attempt: 3n });
    expect(await life.row()).toMatchObject({ state: 'UPGRADING', active: bytes(first()), candidate: null });
    const back = life.at({ kind: 'opened', attempt: 3n });
    await back.toPublish();
    expect(await life.finishAbandonment(3n)).toEqual({ kind: 'abandoned' });
    expect(await life.row()).toMatchObject({ state: 'ACTIVE', active: bytes(first()), epoch: 1n, securityEpoch: '1' });
    expect([life.granted(), await countOf(schema, 'cat_revision')]).toEqual([[first().releaseDigest], 1]);
    // It came first, so the command that was given up can never succeed any more.
    const { commandId, expectedPriorEpoch, appGrants, projectionDigest: expectedProjectionDigest } = await run.frozen();
    const late = { commandId, organization: ORG, expectedPriorEpoch, appGrants, expectedProjectionDigest };
    expect(await world.security.advance(late)).toMatchObject({ kind: 'refused', code: 'stale-epoch' });
  });

  it('taking-back: it is under way already; nothing is opened twice', async () => {
    await (await life.opened('upgrade', second())).compile();
    await abandon();
    expect(await abandon()).toEqual({ kind: 'taking-back', installation: life.installation, attempt: 3n });
    expect(await countOf(schema, 'cat_candidate')).toBe(3);
  });

  it('transition-not-allowed: cat:A-29 what is removed, FAILED or ACTIVE waits for no step 4', async () => {
    await life.openRemoval();
    for (const state of ['REMOVING', 'FAILED', 'ACTIVE', 'REMOVED']) {
      await schema.sql('UPDATE cat_installation SET state = ?', [Buffer.from(state)]);
      expect(await abandon()).toEqual({ kind: 'transition-not-allowed', state });
    }
  });

  it('state-moved: it was published meanwhile', async () => {
    await (await life.opened('upgrade', second())).toEnd();
    expect(await abandon({ state: 'UPGRADING' })).toEqual({ kind: 'state-moved', state: 'ACTIVE' });
  });

  it('activation-epoch-moved: under another epoch than the asker saw', async () => {
    await life.opened('upgrade', second());
    expect(await abandon({ activationEpoch: 9n })).toEqual({ kind: 'activation-epoch-moved', activationEpoch: 1n });
  });

  it('attempt-moved: another candidate came after the one that was to be given up; it is not touched', async () => {
    await life.opened('upgrade', second());
    expect(await abandon({ attempt: 3n })).toEqual({ kind: 'attempt-moved', attempt: 2n });
    expect((await life.row()).state).toBe('UPGRADING');
    expect(await abandon({ attempt: 2n })).toEqual({ kind: 'abandoned' });
  });

  it('no-installation: of this name, or in this organization', async () => {
    expect(await abandon({ installation: 'nobody' })).toEqual({ kind: 'no-installation' });
    expect(await abandon({ organization: 'org-2' })).toEqual({ kind: 'no-installation' });
  });
});

describe('supersede-abandonment', () => {
  const head = async () => {
    const answer = await world.security.readHead(ORG);
    if (answer.kind !== 'head') throw new Error('no head');
    return answer;
  };

  it('opened: cat:A-31 what is taken back came first; another command follows it, and the stale one stays in the journal', async () => {
    const run = await life.opened('upgrade', second());
    await run.compile();
    await abandon();
    await run.send();
    const back = { ...run.at, attempt: 3n };
    await expect(life.at({ kind: 'opened', attempt: 3n }).send()).rejects.toThrow('refused');
    expect(await supersedeAbandonment(schema.db, back, await head())).toEqual({
      kind: 'opened',
      installation: life.installation,
      attempt: 4n,
    });
    await life.at({ kind: 'opened', attempt: 4n }).toPublish();
    expect(await life.finishAbandonment(4n)).toEqual({ kind: 'abandoned' });
    expect([(await life.row()).state, life.granted()]).toEqual(['ACTIVE', [first().releaseDigest]]);
    expect(await countOf(schema, 'cat_candidate')).toBe(4);
  });

  it('not-open: an attempt that is not the open one, or that is no abandonment', async () => {
    const run = await life.opened('upgrade', second());
    expect(await supersedeAbandonment(schema.db, run.at, await head())).toEqual({ kind: 'not-open' });
    expect(await supersedeAbandonment(schema.db, { ...run.at, attempt: 9n }, await head())).toEqual({ kind: 'not-open' });
  });
});

describe('finish-abandonment', () => {
  async function failedAfterSending(): Promise<void> {
    const run = await life.opened('upgrade', second());
    await run.toPublish();
    await failPublication(schema.db, { ...run.at, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
  }

  it('abandoned: cat:A-29 what FAILED stays FAILED, and the organization is free', async () => {
    await failedAfterSending();
    await life.at({ kind: 'opened', attempt: 3n }).toPublish();
    expect(await life.finishAbandonment(3n)).toEqual({ kind: 'abandoned' });
    expect(await life.row()).toMatchObject({ state: 'FAILED', failedFrom: 'UPGRADING', active: bytes(first()) });
    expect(await life.open('upgrade', askedFor(second()))).toMatchObject({ kind: 'opened', attempt: 4n });
  });

  it('not-open: step 4 of a candidate is not that of what takes one back', async () => {
    const { at } = await life.opened('upgrade', second()).then(async (run) => (await run.toPublish(), run));
    await abandonCandidate(schema.db, await life.seen(), asking());
    const back = life.at({ kind: 'opened', attempt: at.attempt + 1n });
    await back.toPublish();
    expect([(await life.row()).state, await back.publish()]).toEqual(['UPGRADING', { kind: 'not-open' }]);
  });

  it('already-abandoned: once', async () => {
    await failedAfterSending();
    await life.at({ kind: 'opened', attempt: 3n }).toPublish();
    await life.finishAbandonment(3n);
    expect(await life.finishAbandonment(3n)).toEqual({ kind: 'already-abandoned' });
  });

  it('too-early: before Runtime acknowledged it', async () => {
    await failedAfterSending();
    expect(await life.finishAbandonment(3n)).toEqual({ kind: 'too-early', next: 'compile' });
  });

  it('not-open: what is no abandonment, or not the open one', async () => {
    await life.opened('upgrade', second());
    expect(await life.finishAbandonment(2n)).toEqual({ kind: 'not-open' });
    expect(await life.finishAbandonment(9n)).toEqual({ kind: 'not-open' });
  });

  it('disagrees: cat:PUBL-07 what was acknowledged is not what was expected', async () => {
    await failedAfterSending();
    await life.at({ kind: 'opened', attempt: 3n }).toPublish();
    await schema.sql(`UPDATE cat_candidate SET projection_digest = REPEAT('x', 32) WHERE attempt = 3`);
    expect(await life.finishAbandonment(3n)).toEqual({ kind: 'disagrees', with: 'projection' });
  });
});
