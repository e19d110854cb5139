import { Digest } from '@connector/kernel/digest';
import { EpochId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { registeredGenerations } from '@connector/testing/fixtures/registered-pack';
import { countOf } from '@connector/testing/fixtures/serving';
import { type GenerationName, PINNED_MAX } from '../model/pins';
import { readEpochsOf, readPins } from '../reads/pins';
import { pinGenerations } from './pin-generations.tx';

let schema: TestSchema;
let one: GenerationName;
let two: GenerationName;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [one, two] = (await registeredGenerations(schema.db, '1.0.0', '1.1.0')) as [GenerationName, GenerationName];
});
afterAll(() => schema.close());

const epochDigest = Digest.sha256(Buffer.from('epoch'));
const OTHER = Digest.sha256(Buffer.from('other'));
const epochId = EpochId.mint();
const pin = (generations: readonly GenerationName[], over: object = {}) =>
  pinGenerations(schema.db, { epochId, epochDigest, generations, ...over });
const rows = async () => [await countOf(schema, 'pck_epoch_pin'), await countOf(schema, 'pck_generation_pin')];

describe('pin-generations', () => {
  it('pinned: cat:INT-13 every generation of an epoch, and each says by whom', async () => {
    expect(await pin([one, two])).toEqual({ kind: 'pinned' });
    const storageIds = [one.storageId, two.storageId].toSorted();
    expect(await readPins(schema.db, epochId)).toEqual({ kind: 'found', epochDigest, storageIds });
    expect(await readEpochsOf(schema.db, one.storageId)).toEqual([epochId]);
  });

  it('pinned: the same again, in any order, is the same pin', async () => {
    await pin([one, two]);
    expect(await pin([two, one])).toEqual({ kind: 'pinned' });
    expect(await rows()).toEqual([1, 2]);
  });

  it('pinned: a generation for as many epochs as refer to it', async () => {
    await pin([one]);
    const later = EpochId.mint();
    expect(await pin([one], { epochId: later })).toEqual({ kind: 'pinned' });
    expect((await readEpochsOf(schema.db, one.storageId)).toSorted()).toEqual([epochId, later].toSorted());
  });

  it('pinned: cat:INT-13 of two epochs each has its own digest and generations, and the same again is the same pin of each', async () => {
    const both = [
      { epochId, epochDigest, generations: [one] },
      { epochId: EpochId.mint(), epochDigest: OTHER, generations: [two] },
    ];
    for (const each of [...both, ...both]) expect(await pinGenerations(schema.db, each)).toEqual({ kind: 'pinned' });
    for (const { epochId: id, epochDigest: digest, generations } of both) {
      const storageIds = generations.map(({ storageId }) => storageId);
      expect(await readPins(schema.db, id)).toEqual({ kind: 'found', epochDigest: digest, storageIds });
    }
  });

  it('conflicting-pin: fewer generations under a pinned epoch id, beside another epoch that has just these', async () => {
    await pin([one, two]);
    await pin([one], { epochId: EpochId.mint() });
    expect(await pin([one])).toEqual({ kind: 'conflicting-pin', epochDigest });
    expect((await rows())[1]).toBe(3);
  });

  it('absent: cat:INT-13 a generation that is not there is named, and its neighbours are not pinned', async () => {
    const gone = { storageId: 'gone', payloadDigest: OTHER };
    expect(await pin([one, gone])).toEqual({ kind: 'absent', code: 'GENERATION_ABSENT', which: [gone] });
    expect(await readPins(schema.db, epochId)).toEqual({ kind: 'absent', code: 'EPOCH_NOT_PINNED' });
    expect(await rows()).toEqual([0, 0]);
  });

  it('absent: cat:INT-12 the place of one with the digest of another names no generation', async () => {
    const mixed = { storageId: one.storageId, payloadDigest: two.payloadDigest };
    expect(await pin([mixed])).toEqual({ kind: 'absent', code: 'GENERATION_ABSENT', which: [mixed] });
  });

  it.each<[string, () => readonly GenerationName[], object]>([
    ['another digest', () => [one], { epochDigest: OTHER }],
    ['another digest and none of its generations', () => [two], { epochDigest: OTHER }],
    ['more generations', () => [one, two], {}],
    ['other generations', () => [two], {}],
  ])('conflicting-pin: %s under a pinned epoch id changes nothing', async (_, generations, over) => {
    await pin([one]);
    expect(await pin(generations(), over)).toEqual({ kind: 'conflicting-pin', epochDigest });
    expect(await readPins(schema.db, epochId)).toEqual({ kind: 'found', epochDigest, storageIds: [one.storageId] });
  });

  it('refused: none, one twice, or more than an epoch may name', async () => {
    const many = Array.from({ length: PINNED_MAX + 1 }, (_, n) => ({ storageId: `s${n}`, payloadDigest: OTHER }));
    for (const generations of [[], [one, one], many])
      await expect(pin(generations)).rejects.toMatchObject({ code: 'HOUSE:packs:PinsCount' });
    expect(await rows()).toEqual([0, 0]);
  });

  it('absent: as many as an epoch may name are looked at in one statement', async () => {
    const many = Array.from({ length: PINNED_MAX - 1 }, (_, n) => ({ storageId: `s${n}`, payloadDigest: OTHER }));
    expect(await pin([one, ...many])).toMatchObject({ kind: 'absent', which: many });
  });
});
