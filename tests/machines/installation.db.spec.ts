import { installationMachine } from '@connector/catalog/model/installation/installation';
import { abandonCandidate } from '@connector/catalog/transitions/installation/abandon-candidate.tx';
import { failPublication } from '@connector/catalog/transitions/installation/fail-publication.tx';
import { finishRemoval } from '@connector/catalog/transitions/installation/finish-removal.tx';
import { publish } from '@connector/catalog/transitions/installation/publish.tx';
import { supersedeAbandonment } from '@connector/catalog/transitions/installation/supersede-abandonment.tx';
import { withdraw } from '@connector/catalog/transitions/installation/withdraw.tx';
import type { AppRelease } from '@connector/catalog/model/release';
import { pairsOf } from '@connector/testing/pairs';
import type { TestSchema } from '@connector/testing/database';
import { Life } from '@connector/testing/fixtures/life';
import { APP, askedFor, emptyInstallations, publicationWorld, type PublicationWorld } from '@connector/testing/fixtures/publication';
import { asking, type Signer } from '@connector/testing/fixtures/registry';
import type { Subject } from './moves';
import type { Tap } from './tap';
import { countOf, disturbed, faults, moved, trialOf, unlisted, untried, type Arranged, type Trial, type Try } from './trial';

const subject: Subject = { machine: installationMachine, table: 'cat_installation', column: 'state' };
const ORG = 'org-1';
let trial: Trial;

interface Ground {
  readonly world: PublicationWorld;
  readonly one: AppRelease;
  readonly two: AppRelease;
}
type Door = () => Promise<unknown>;

/** Arrangements of one installation; each door is asked by somebody who sees the row as the trial has put it. */
function tries(schema: TestSchema, tap: Tap): readonly Try[] {
  const tapped = { ...schema, db: tap.db };
  let signer: Signer | undefined;
  const ground = async (): Promise<Ground> => {
    await emptyInstallations(schema);
    const world = await publicationWorld(tapped, signer === undefined ? {} : { signer });
    signer = world.signer;
    return { world, one: await world.release(), two: await world.release(undefined, APP, '2.0.0') };
  };
  const keyOf = (installation: string): Arranged['key'] => ({
    organization_id: Buffer.from(ORG),
    app_installation_id: Buffer.from(installation),
  });
  /** Of an installation that was never ACTIVE, with its first attempt open. */
  const prepared = (door: string, run: (life: Life, of: Ground) => Promise<Door>): Try => ({
    door,
    arrange: async () => {
      const of = await ground();
      const { installation } = await of.world.opened(ORG, askedFor(of.one));
      return { key: keyOf(installation), open: await run(new Life(tapped, of.world, installation), of) };
    },
  });
  const active = (door: string, run: (life: Life, of: Ground) => Promise<Door>): Try => ({
    door,
    arrange: async () => {
      const of = await ground();
      const life = await Life.active(tapped, of.world, of.one);
      return { key: keyOf(life.installation), open: await run(life, of) };
    },
  });
  const fail = (life: Life, attempt: bigint): Door => {
    const at = { organization: ORG, installation: life.installation, attempt };
    return () => failPublication(tap.db, { ...at, code: 'SCHEMA_NOT_READY', detail: 'test', by: 'test' });
  };
  const abandon =
    (life: Life): Door =>
    async () =>
      abandonCandidate(tap.db, await life.seen(), asking());
  const given = async (life: Life, { two }: Ground): Promise<bigint> => {
    await (await life.opened('upgrade', two)).toPublish();
    await abandon(life)();
    return 3n;
  };
  return [
    prepared('open-publication', async (life, { one }) => {
      await fail(life, 1n)();
      return () => life.open('install', askedFor(one));
    }),
    prepared('open-publication', async (life, { one }) => {
      await fail(life, 1n)();
      return () => life.open('install', askedFor(one, { grants: [] }));
    }),
    active('open-publication', (life, { two }) => Promise.resolve(() => life.open('upgrade', askedFor(two)))),
    active('open-publication', async (life, { one, two }) => {
      await (await life.opened('upgrade', two)).toEnd();
      return () => life.open('rollback', askedFor(one));
    }),
    active('publish', async (life, { two }) => {
      const run = await life.opened('upgrade', two);
      await run.toPublish();
      return () => publish(tap.db, { ...run.at, schemaGeneration: '7' });
    }),
    prepared('fail-publication', (life) => Promise.resolve(fail(life, 1n))),
    active('fail-publication', async (life, { two }) => {
      await (await life.opened('upgrade', two)).compile();
      return fail(life, 2n);
    }),
    active('abandon-candidate', async (life, { two }) => {
      await life.opened('upgrade', two);
      return abandon(life);
    }),
    active('abandon-candidate', async (life, { two }) => {
      await (await life.opened('upgrade', two)).compile();
      return abandon(life);
    }),
    active('supersede-abandonment', async (life, of) => {
      const at = { organization: ORG, installation: life.installation, attempt: await given(life, of) };
      const head = await of.world.security.readHead(ORG);
      if (head.kind !== 'head') throw new RangeError('no head');
      return () => supersedeAbandonment(tap.db, at, head);
    }),
    active('finish-abandonment', async (life, of) => {
      const attempt = await given(life, of);
      await life.at({ kind: 'opened', attempt }).toPublish();
      return () => life.finishAbandonment(attempt);
    }),
    active('open-removal', (life) => Promise.resolve(() => life.openRemoval())),
    active('withdraw', async (life) => {
      const run = life.at(await life.openRemoval());
      await run.toPublish();
      return () => withdraw(tap.db, run.at);
    }),
    active('finish-removal', async (life) => {
      await life.withdrawn();
      await life.retired();
      return () => finishRemoval(tap.db, { organization: ORG, installation: life.installation });
    }),
  ];
}

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`AppInstallation: ${countOf(trial)}`);
}, 60_000);

describe('AppInstallation, 8 states, 64 pairs', () => {
  it('tried: every door that writes an installation, and every statement that they have for it; a refusal is answered, not thrown', () => {
    expect(untried(trial)).toEqual([]);
    expect(faults(trial)).toEqual([]);
  });

  it('moved: cat:INST-T01 to cat:INST-T18 by the doors the 16 listed pairs and none of the others', () => {
    const listed = pairsOf(installationMachine).allowed.map(({ from, to }) => `${from}>${to}`);
    expect(listed).toHaveLength(16);
    expect(moved(trial.opened)).toEqual(listed.sort());
    expect(unlisted(trial)).toEqual([]);
  });

  it('moved: by the statements alone the same pairs, whatever a door judges before (cat:INST-X01 to cat:INST-X08)', () => {
    expect(moved(trial.replayed)).toEqual(moved(trial.opened));
  });

  it('unchanged: cat:INST-X01 cat:INST-X02 cat:INST-X03 cat:INST-X04 cat:INST-X05 cat:INST-X06 cat:INST-X07 cat:INST-X08 where a door refuses, the row is what it was', () => {
    const refused = trial.opened.filter(({ before, after }) => JSON.stringify(before) === JSON.stringify(after));
    const changed = trial.opened.filter((one) => !refused.includes(one));
    const stays = changed.filter(({ from, to }) => from === to).map(({ door, from }) => `${door} in ${from}`);
    // A refused attempt is counted (a row is never ABSENT but here); an abandonment, its successor and a withdrawal begin or end beside the state.
    expect(stays).toEqual([
      'open-publication in ABSENT',
      'open-publication in FAILED',
      'abandon-candidate in UPGRADING',
      'abandon-candidate in ROLLING_BACK',
      'supersede-abandonment in UPGRADING',
      'supersede-abandonment in ROLLING_BACK',
      'supersede-abandonment in FAILED',
      'withdraw in REMOVING',
    ]);
  });

  it('untouched: cat:INST-10 cat:INST-15 by every door and statement once REMOVED', () => {
    expect(installationMachine.terminal).toEqual(['REMOVED']);
    expect(disturbed(trial, installationMachine.terminal)).toEqual([]);
  });

  it('born: cat:INST-T01 PREPARING and in no other state', () => {
    expect([...trial.born]).toEqual(['PREPARING']);
  });
});
