import type { LegacyPacks } from '@connector/catalog/contract/legacy-packs';
import type { LegacyRecord } from '@connector/catalog/model/conversion/legacy-pack';
import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';

/** A legacy world with one installed pack, and another one beside it. */
export interface LegacyBench {
  readonly packs: LegacyPacks;
  readonly record: LegacyRecord;
  readonly other: LegacyRecord;
  /** Whether each of the three ways to write a pack is open: install, reapply, upgrade. */
  open(record: LegacyRecord): readonly boolean[];
  /** From now on the world does not answer. */
  silence(): void;
}

const ALL = [true, true, true];
const NONE = [false, false, false];
const hashOf = ({ appliedPayloadHash: hash }: LegacyRecord): Digest => hash ?? Digest.sha256(Buffer.alloc(0));

/** What every adapter of a legacy world does. */
export function legacyPacksConform(name: string, make: () => LegacyBench): void {
  const held = async (bench: LegacyBench): Promise<OperationId> => {
    const answer = await bench.packs.hold(bench.record, hashOf(bench.record), OperationId.mint());
    if (answer.kind !== 'held') throw new RangeError(answer.kind);
    return answer.hold;
  };

  describe(`legacy packs › ${name}`, () => {
    it('found: the row with everything that is on record; another incarnation and another organization are absent', async () => {
      const { packs, record } = make();
      expect(await packs.read(record)).toEqual({ kind: 'found', record });
      expect(await packs.read({ ...record, packInstallId: 'nothing' })).toEqual({ kind: 'absent' });
      expect(await packs.read({ ...record, organization: 'nobody' })).toEqual({ kind: 'absent' });
    });

    it('held: one hold at a time, whoever offers another; nothing is written meanwhile, and other packs are free (cat:COEX-03)', async () => {
      const bench = make();
      expect(bench.open(bench.record)).toEqual(ALL);
      const hold = await held(bench);
      expect(await held(bench)).toBe(hold);
      expect([bench.open(bench.record), bench.open(bench.other)]).toEqual([NONE, ALL]);
    });

    it('moved: another hash is applied, or nothing is there; nothing is held', async () => {
      const bench = make();
      const hash = Digest.sha256(Buffer.from('other'));
      expect(await bench.packs.hold(bench.record, hash, OperationId.mint())).toEqual({ kind: 'moved' });
      const nothing = { ...bench.record, packInstallId: 'nothing' };
      expect(await bench.packs.hold(nothing, hashOf(bench.record), OperationId.mint())).toEqual({ kind: 'moved' });
      expect(bench.open(bench.record)).toEqual(ALL);
    });

    it('released: by its own hold alone, twice as once; what is released may be held again under another', async () => {
      const bench = make();
      const hold = await held(bench);
      expect(await bench.packs.release(bench.record, OperationId.mint())).toEqual({ kind: 'released' });
      expect(bench.open(bench.record)).toEqual(NONE);
      for (let times = 0; times < 2; times += 1) expect(await bench.packs.release(bench.record, hold)).toEqual({ kind: 'released' });
      expect(bench.open(bench.record)).toEqual(ALL);
      expect(await held(bench)).not.toBe(hold);
    });

    it('sealed: for ever, twice as once; a release does nothing any more, and the bytes are those of the hold (cat:COEX-01)', async () => {
      const bench = make();
      const hold = await held(bench);
      for (let times = 0; times < 2; times += 1) expect(await bench.packs.seal(bench.record, hold)).toEqual({ kind: 'sealed' });
      await bench.packs.release(bench.record, hold);
      expect(bench.open(bench.record)).toEqual(NONE);
      expect(await bench.packs.read(bench.record)).toEqual({ kind: 'found', record: bench.record });
    });

    it('deleted: a sealed source alone, by its hold, twice as once; nothing of it remains, and others are as they were (cat:COEX-14, cat:COEX-15)', async () => {
      const bench = make();
      const hold = await held(bench);
      await bench.packs.delete(bench.record, hold);
      expect(await bench.packs.read(bench.record)).toMatchObject({ kind: 'found' });
      await bench.packs.seal(bench.record, hold);
      await bench.packs.delete(bench.record, OperationId.mint());
      expect(await bench.packs.read(bench.record)).toMatchObject({ kind: 'found' });
      for (let times = 0; times < 2; times += 1)
        expect(await bench.packs.delete(bench.record, hold)).toEqual({ kind: 'deleted', remains: [] });
      expect(await bench.packs.read(bench.record)).toEqual({ kind: 'absent' });
      expect(bench.open(bench.record)).toEqual(NONE);
      expect(await bench.packs.read(bench.other)).toEqual({ kind: 'found', record: bench.other });
      expect(bench.open(bench.other)).toEqual(ALL);
    });

    it('unavailable: a world that does not answer says so, and nothing was done', async () => {
      const bench = make();
      const hold = await held(bench);
      bench.silence();
      const { packs, record } = bench;
      const calls = [packs.read(record), packs.hold(record, hashOf(record), hold), packs.release(record, hold), packs.seal(record, hold)];
      expect((await Promise.all([...calls, packs.delete(record, hold)])).map(({ kind }) => kind)).toEqual(Array(5).fill('unavailable'));
      expect(bench.open(record)).toEqual(NONE);
    });
  });
}
