import type { LegacyPacks } from '@connector/catalog/contract/legacy-packs';
import { CRM_APP_ID } from '@connector/catalog/model/conversion/mapping';
import { catalogDoors } from '@connector/catalog/model/paths';
import { readConversion, readConversionJournal } from '@connector/catalog/reads/conversion';
import { failConversion } from '@connector/catalog/transitions/conversion/fail-conversion.tx';
import { retireLegacyReader } from '@connector/catalog/transitions/conversion/retire-legacy-reader.tx';
import { OperationId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import type { StepHook } from '@connector/platform/db/step-hook';
import { MAIN_AREAS, MAIN_TABLES } from '@connector/schema/tables';
import { type Content, differences, withoutMinted } from '@connector/testing/commits/content';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import {
  allEvidence,
  type ConversionWorld,
  conversionWorld,
  CRM_PUBLISHER,
  legacyRecord,
  READER,
  signedMapping,
  WHOLE_MAPPING,
} from '@connector/testing/fixtures/conversion';
import { emptyInstallations } from '@connector/testing/fixtures/publication';
import { asking, type Signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { type ConversionParts, convertPack } from './convert';
import { deletePack } from './delete-pack';

let schema: TestSchema;
let signer: Signer;
let world: ConversionWorld;
let watched: Db;
/** What the watched process does before it comes to a point; it may die there. */
let at: (point: string) => void | Promise<void>;
const ORG = 'org-1';

beforeAll(async () => {
  schema = await mainSchema();
  signer = await trustedPublisher(schema.db, CRM_PUBLISHER);
  const hook: StepHook = ({ point }) => at(point);
  watched = schema.another(hook);
});
beforeEach(() => begin());
afterAll(() => schema.close());

async function begin(): Promise<void> {
  await emptyInstallations(schema);
  for (const name of ['cat_conversion', 'cat_legacy_reader', 'cat_legacy_deletion', 'cat_request', 'cat_audit'])
    await schema.sql(`DELETE FROM ${name}`);
  world = await conversionWorld(schema, [ORG], { signer });
  at = () => undefined;
}

class Died extends Error {}

/** The legacy world as the watched process calls it: it comes to a point before a call, and to one after its answer. */
function watchedPacks(packs: LegacyPacks): LegacyPacks {
  const call = async <A>(name: string, answer: () => Promise<A>): Promise<A> => {
    await at(`legacy/${name}`);
    const given = await answer();
    await at(`legacy/${name} answered`);
    return given;
  };
  return {
    read: (...given) => call('read', () => packs.read(...given)),
    hold: (...given) => call('hold', () => packs.hold(...given)),
    release: (...given) => call('release', () => packs.release(...given)),
    seal: (...given) => call('seal', () => packs.seal(...given)),
    delete: (...given) => call('delete', () => packs.delete(...given)),
  };
}

/** Of a process that may die; `world.conversion` are those of one that lives. */
function watchedParts(): ConversionParts {
  const { preparation, legacy } = world.conversion;
  if (legacy === undefined) throw new RangeError('no legacy world');
  return { preparation: { ...preparation, db: watched }, legacy: { ...legacy, packs: watchedPacks(legacy.packs) } };
}
const watchedConvert = (input = world.asked(ORG)) => convertPack(watchedParts(), input, asking('same', ORG));

/** What a conversion leaves, let go; each of a conversion that lets it go. */
const ENDS = [
  {
    ...{ kind: 'retired', rows: 'cat:COEX-05', mapping: signedMapping(), door: catalogDoors['retire-legacy-reader'], calls: [] },
    end: ({ preparation: { db } }: ConversionParts) =>
      retireLegacyReader(db, { organization: ORG, appId: CRM_APP_ID, reader: READER }, asking('retired')),
  },
  {
    ...{ kind: 'deleted', rows: 'cat:COEX-14', mapping: signedMapping(WHOLE_MAPPING), door: catalogDoors['delete-legacy-pack'] },
    calls: ['legacy/delete', 'legacy/delete answered'],
    end: (parts: ConversionParts) => deletePack(parts, ORG, allEvidence(world.asked(ORG)), asking('deleted')),
  },
];

async function contentNow(): Promise<readonly string[]> {
  const rows = new Map<string, Record<string, unknown>[]>();
  const shown = new Set([...(MAIN_AREAS['installations'] ?? []), ...(MAIN_AREAS['conversion'] ?? []), ...(MAIN_AREAS['membership'] ?? [])]);
  for (const { name } of MAIN_TABLES.filter((table) => shown.has(table))) rows.set(name, await schema.sql(`SELECT * FROM ${name}`));
  rows.set('legacy', [{ written: world.legacy.reapply(legacyRecord(ORG)), remains: world.legacy.remainsOf(legacyRecord(ORG)).join() }]);
  return withoutMinted(rows as Content);
}

describe('convert › interrupted', () => {
  it('converted: cat:CONV-19 cat:HAND-01 died before every statement, every commit, every call of the legacy world and after each, and gone on with, it ends as undisturbed', async () => {
    const points: string[] = [];
    at = (point) => void points.push(point);
    expect(await watchedConvert()).toMatchObject({ kind: 'converted', state: 'ACTIVE' });
    const wanted = await contentNow();
    const through = ['open-publication/insert cat_conversion', 'legacy/hold answered', 'legacy/seal', 'publish/commit'];
    expect(points).toEqual(expect.arrayContaining(through));
    const wrong: string[] = [];
    for (const [dying, point] of points.entries()) {
      await begin();
      let met = 0;
      at = () => {
        if (met++ === dying) throw new Died();
      };
      const cut = await watchedConvert().then(
        () => 'lived',
        () => 'died',
      );
      const ended = await world.convert(world.asked(ORG), 'same');
      const unlike = differences(wanted, await contentNow());
      if (cut !== 'died' || ended.kind !== 'converted' || ended.state !== 'ACTIVE' || unlike.length > 0)
        wrong.push(`${dying} ${point}: ${cut}, ${ended.kind}, ${unlike.join('; ')}`);
    }
    expect(wrong).toEqual([]);
    expect(points.length).toBeGreaterThan(60);
  }, 240_000);

  it('failed: cat:CONV-18 cat:CONV-19 what turns wrong under the hold lets the source go again, wherever its giving up died', async () => {
    const points: string[] = [];
    const broken = async (dying: number): Promise<void> => {
      let met = 0;
      let held = false;
      at = async (point) => {
        if (point === 'legacy/hold answered') {
          held = true;
          await schema.sql(
            `INSERT INTO cat_release_block (app_id, release_digest, reason, blocked_by) SELECT app_id, release_digest, 'x', 'y' FROM cat_app_release`,
          );
        }
        if (!held) return;
        if (dying < 0) points.push(point);
        else if (met++ === dying) throw new Died();
      };
      await watchedConvert().catch(() => undefined);
      await schema.sql('DELETE FROM cat_release_block');
    };
    await broken(-1);
    expect(world.legacy.reapply(legacyRecord(ORG))).toBe('written');
    expect(points).toContain('fail-conversion/committed');
    for (const dying of points.keys()) {
      await begin();
      await broken(dying);
      expect(await countOf(schema, 'cat_installation')).toBe(0);
      expect(await world.convert(world.asked(ORG))).toMatchObject({ kind: 'converted', state: 'ACTIVE' });
      expect(world.legacy.reapply(legacyRecord(ORG))).toBe('frozen');
    }
  }, 120_000);
});

describe('the end of a conversion › interrupted', () => {
  it.each(ENDS)(
    '$kind: $rows died before every statement, every commit, every call of the legacy world and after each, and gone on with, it ends as undisturbed',
    async ({ kind, mapping, door, calls, end }) => {
      const points: string[] = [];
      await world.convert(world.asked(ORG, { mapping }));
      at = (point) => void points.push(point);
      expect(await end(watchedParts())).toEqual({ kind });
      const wanted = await contentNow();
      const sure = door.steps.flatMap((step) => (step.conditional ? [] : [`${door.name}/${step.name}`]));
      expect(points).toEqual(expect.arrayContaining([...sure, `${door.name}/committed`, ...calls]));
      for (const [dying, point] of points.entries()) {
        await begin();
        await world.convert(world.asked(ORG, { mapping }));
        let met = 0;
        at = () => {
          if (met++ === dying) throw new Died();
        };
        await expect(end(watchedParts())).rejects.toThrow();
        expect([point, await end(world.conversion), differences(wanted, await contentNow())]).toEqual([point, { kind }, []]);
      }
    },
    120_000,
  );
});

describe('open-publication › of a conversion', () => {
  it('conversion-stands: cat:CONV-10 cat:COEX-01 its hold was given up and its source let go meanwhile, so it converts nothing that has moved', async () => {
    const [{ legacy }, ref] = [world, legacyRecord(ORG)];
    let upgraded = '';
    at = async (point) => {
      if (point !== 'open-publication/insert cat_conversion' || upgraded !== '') return;
      // Another caller, who found something wrong: the failure first, then the release.
      const held = await legacy.hold(ref, world.asked(ORG).appliedPayloadHash, OperationId.mint());
      if (held.kind !== 'held') throw new RangeError('not held');
      await failConversion(schema.db, { key: world.asked(ORG), attemptId: held.hold, faults: [], caller: 'test' });
      await legacy.release(ref, held.hold);
      upgraded = legacy.upgrade(ref, [{ kind: 'layout', businessKey: 'account', bytes: Buffer.from('{}') }]);
    };
    const answer = await watchedConvert();
    expect([upgraded, answer.kind === 'failed' && answer.faults.map(({ code }) => code)]).toEqual([
      'written',
      expect.arrayContaining(['LEGACY_MOVED']),
    ]);
    expect(await readConversion(schema.db, ORG)).toBeUndefined();
    expect([await countOf(schema, 'cat_installation'), await countOf(schema, 'cat_publication_step')]).toEqual([0, 0]);
    expect(legacy.reapply(ref)).toBe('written');
  });

  it('unproven: cat:CONV-15 cat:CONV-18 its release was blocked after the proof; nothing but the failure is written', async () => {
    const failures: number[] = [];
    at = async (point) => {
      // Its failure stands before its source is let go.
      if (point === 'legacy/release') failures.push(await countOf(schema, 'cat_conversion'));
      if (point !== 'open-publication/begin') return;
      await schema.sql(
        `INSERT INTO cat_release_block (app_id, release_digest, reason, blocked_by) SELECT app_id, release_digest, 'x', 'y' FROM cat_app_release`,
      );
    };
    expect(await watchedConvert()).toMatchObject({ kind: 'failed', faults: [{ code: 'RELEASE_BLOCKED' }] });
    await schema.sql('DELETE FROM cat_release_block');
    const left = await Promise.all(
      ['cat_installation', 'cat_lineage', 'cat_request', 'cat_publication_step'].map((table) => countOf(schema, table)),
    );
    expect([left, failures]).toEqual([[0, 0, 0, 0], [1]]);
    expect(await readConversionJournal(schema.db, ORG)).toHaveLength(1);
    expect(world.legacy.reapply(legacyRecord(ORG))).toBe('written');
  });

  it('failed: cat:CONV-13 cat:CONV-19 what changed between the proof and the hold is proven again under the hold', async () => {
    at = (point) => {
      if (point === 'legacy/hold') world.legacy.corrupt(legacyRecord(ORG), (record) => ({ ...record, metadataRows: [] }));
    };
    const answer = await watchedConvert();
    expect(answer.kind === 'failed' && answer.faults.map(({ code }) => code)).toEqual(['LEGACY_ROW_DIFFERS', 'LEGACY_ROW_DIFFERS']);
    expect(await readConversion(schema.db, ORG)).toBeUndefined();
    expect(world.legacy.reapply(legacyRecord(ORG))).toBe('written');
  });

  it('converted: cat:CONV-09 the legacy world does not answer after the commit; asked again, the same installation', async () => {
    at = (point) => {
      if (point === 'legacy/seal') world.legacy.available = false;
    };
    await expect(watchedConvert()).rejects.toMatchObject({ code: 'HOUSE:catalog:OwnerUnavailable' });
    world.legacy.available = true;
    const standing = await readConversion(schema.db, ORG);
    expect(await world.convert(world.asked(ORG))).toEqual({ kind: 'converted', installation: standing?.installation, state: 'ACTIVE' });
  });
});
