import { Digest } from '@connector/kernel/digest';
import { EpochId, OperationId } from '@connector/kernel/ids';
import type { GenerationRetention, Owners } from '@connector/connector/contract/owners';
import type { OwnerAnswer } from '@connector/connector/model/serving/owner-answers';
import type { DefinitionProof } from '@connector/connector/model/digests/serving-epoch.parts';
import { generationsOf, type PinAnswer, type PinRequest, type PinsAnswer } from '@connector/connector/model/serving/pins';
import type { StoredEpoch } from '@connector/connector/model/serving/verification';
import { readEpochContent, readEpochHeader } from '@connector/connector/reads/serving/epoch';
import { PINNED_MAX } from '@connector/packs/model/pins';
import { readPins } from '@connector/packs/reads/pins';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, type DemoEpoch, owners, SCOPE } from '@connector/testing/fixtures/demo-epoch';
import { Epochs, rereadPinned } from './epochs';
import { pinNamed } from './pins';

let schema: TestSchema;
let demo: DemoEpoch;
let epochId: EpochId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  demo = await demoEpoch(schema);
  epochId = EpochId.mint();
  const question = { ...SCOPE, minCatalogRevision: 1n, configurationId: demo.configurationId };
  expect(await new Epochs(schema.db, owners(schema.db)).prepare(epochId, question)).toMatchObject({ kind: 'prepared' });
});
afterAll(() => schema.close());

const keeping = (change: Partial<GenerationRetention>): Owners => {
  const real = owners(schema.db);
  return { ...real, retention: { ...real.retention, ...change } };
};
const verify = (asked: Owners, operationId = OperationId.mint()) =>
  new Epochs(schema.db, asked).verify(epochId, { operationId, requestedBy: 'test' });
const stateOf = async () => (await readEpochHeader(schema.db, epochId))?.state;

describe('verification pins', () => {
  it('verified: cat:INT-13 every generation that the candidate names was pinned before it was decided (decisions 12.8)', async () => {
    let seen: unknown;
    const real = owners(schema.db).retention;
    const asked = keeping({
      pin: async (request) => {
        const answer = await real.pin(request);
        seen = [await stateOf(), await readPins(schema.db, epochId)];
        return answer;
      },
    });
    expect((await verify(asked)).kind).toBe('verified');
    const storageIds = (await schema.sql('SELECT storage_id FROM pck_generation ORDER BY storage_id')).map((row) =>
      String(row['storage_id']),
    );
    expect(storageIds).toHaveLength(2);
    expect(seen).toEqual(['prepared', expect.objectContaining({ kind: 'found', storageIds })]);
  });

  it('unavailable: con:EPOCH-03 nobody answers the pin: the candidate stays prepared and the same question verifies it later', async () => {
    const operation = OperationId.mint();
    const silent = keeping({ pin: () => Promise.resolve({ kind: 'unavailable' }) });
    expect(await verify(silent, operation)).toEqual({ kind: 'unavailable', owner: 'packs' });
    expect(await stateOf()).toBe('prepared');
    expect((await verify(keeping({}), operation)).kind).toBe('verified');
  });

  it('unavailable: cat:INT-06 cat:INT-09 a catalog that is behind what the candidate froze says nothing about it', async () => {
    const { catalog, ...real } = owners(schema.db);
    const readCurrent: typeof catalog.readCurrent = (scope, revision) =>
      revision < 2n ? catalog.readCurrent(scope, revision) : Promise.resolve({ kind: 'not-fresh' });
    expect(await verify({ ...real, catalog: { readCurrent } })).toEqual({ kind: 'unavailable', owner: 'catalog' });
    expect(await stateOf()).toBe('prepared');
  });

  it('rejected: con:EPOCH-02 con:PRF-04 a generation that went away between the answer and the pin', async () => {
    const real = owners(schema.db).retention;
    const late = keeping({
      pin: async (request) => {
        await schema.sql('DELETE FROM pck_generation LIMIT 1');
        return real.pin(request);
      },
    });
    expect(await verify(late)).toEqual({ kind: 'rejected', epochId, reason: 'packs: GENERATION_ABSENT' });
    expect([await stateOf(), await readPins(schema.db, epochId)]).toEqual(['rejected', { kind: 'absent', code: 'EPOCH_NOT_PINNED' }]);
  });

  it('rejected: con:EPOCH-02 the epoch id is pinned for something else', async () => {
    const [generation] = generationsOf((await stored()).parts);
    const other = { epochId, epochDigest: Digest.sha256(Buffer.from('other')), generations: generation === undefined ? [] : [generation] };
    expect(await owners(schema.db).retention.pin(other)).toEqual({ kind: 'pinned' });
    expect(await verify(keeping({}))).toEqual({ kind: 'rejected', epochId, reason: 'packs: CONFLICTING_PIN' });
  });

  it('rejected: more generations than one epoch may pin, and their owner is not asked', async () => {
    const { parts, ...epoch } = await stored();
    const [proof] = parts.proofs as [DefinitionProof];
    const naming = (count: number): StoredEpoch => {
      const proofs = Array.from({ length: count }, (_, n) => ({ ...proof, packGenerationStorageId: `s${n}` }));
      return { ...epoch, parts: { ...parts, proofs } };
    };
    const asked: number[] = [];
    const pin = ({ generations }: PinRequest): Promise<PinAnswer> => (asked.push(generations.length), Promise.resolve({ kind: 'pinned' }));
    expect(await pinNamed(keeping({ pin }), naming(PINNED_MAX + 1))).toEqual({ kind: 'rejected', reason: 'packs: TOO_MANY_GENERATIONS' });
    expect(await pinNamed(keeping({ pin }), naming(PINNED_MAX))).toBeUndefined();
    expect(asked).toEqual([PINNED_MAX]);
  });
});

async function stored(): Promise<StoredEpoch> {
  const header = await readEpochHeader(schema.db, epochId);
  const content = header && (await readEpochContent(schema.db, epochId, header.epochDigest));
  if (content === undefined) throw new Error('no candidate');
  return content;
}

describe('the look right before an activation', () => {
  it('verified: whoever takes over finds the pins of whoever verified', async () => {
    await verify(keeping({}));
    expect((await rereadPinned(keeping({}), await stored())).kind).toBe('verified');
  });

  const found = (over: Partial<PinsAnswer>, epoch: StoredEpoch): OwnerAnswer<PinsAnswer> => ({
    ...{ kind: 'found', epochDigest: epoch.epochDigest, storageIds: generationsOf(epoch.parts).map(({ storageId }) => storageId) },
    ...over,
  });
  it.each<[string, (epoch: StoredEpoch) => OwnerAnswer<PinsAnswer>, object]>([
    ['none is there', () => ({ kind: 'absent', code: 'EPOCH_NOT_PINNED' }), { kind: 'rejected', reason: 'packs: EPOCH_NOT_PINNED' }],
    [
      'they are of another digest',
      (epoch) => found({ epochDigest: Digest.sha256(Buffer.from('other')) }, epoch),
      { kind: 'rejected', reason: 'packs: PIN_DIFFERS' },
    ],
    ['one is missing', (epoch) => found({ storageIds: ['one'] }, epoch), { kind: 'rejected', reason: 'packs: GENERATION_NOT_PINNED' }],
    ['nobody answers', () => ({ kind: 'unavailable' }), { kind: 'unavailable', owner: 'packs' }],
  ])('not verified: con:EPOCH-05 con:DEFN-M the definitions are there, and of their pins %s', async (_, answer, verdict) => {
    await verify(keeping({}));
    const epoch = await stored();
    const asked = keeping({ read: () => Promise.resolve(answer(epoch)), pin: () => Promise.resolve<PinAnswer>({ kind: 'unavailable' }) });
    expect(await rereadPinned(asked, epoch)).toEqual(verdict);
  });
});
