import * as fc from 'fast-check';
import type { AccountName, Instant } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { EpochId, ExecutionId } from '@connector/kernel/ids';
import { exactSuccessor, isLate, laneDigest, partitionOf, partitionText, type LaneStand } from './lane';
import { nextMove } from './next-move';
import { positionBytes, type Place } from './position';

const at = (value: number): Place => ({ position: positionBytes({ kind: 'u64', value: BigInt(value) }), tieBreaker: Buffer.alloc(0) });
const strict = (highWater: number | null, start = 1): LaneStand => ({
  strict: true,
  highWater: highWater === null ? null : at(highWater),
  start: at(start).position,
});
const latest = (highWater: number | null): LaneStand => ({
  strict: false,
  highWater: highWater === null ? null : at(highWater),
  start: null,
});
const waiting = (value: number) => ({ executionId: ExecutionId.mint(), position: at(value).position });
const gap = (state: 'waiting' | 'expired') => ({ state, deadline: '2026-01-01T00:00:00.000000Z' as Instant, passed: false });

describe('lane', () => {
  it('kept apart: con:OPEN-12 con:LANE-K equal partitions of two accounts, of two routes and of two epochs are different lanes', () => {
    const [one, other] = ['a/x', 'a/y'] as AccountName[] as [AccountName, AccountName];
    const [epoch, next] = [EpochId.mint(), EpochId.mint()];
    const [route, second] = [Digest.sha256(Buffer.from('1')), Digest.sha256(Buffer.from('2'))];
    const raw = Buffer.from('thing\x000031');
    const ids = [
      laneDigest(epoch, route, partitionOf(one, raw)).id,
      laneDigest(epoch, route, partitionOf(other, raw)).id,
      laneDigest(epoch, second, partitionOf(one, raw)).id,
      laneDigest(next, route, partitionOf(one, raw)).id,
    ];
    expect(new Set(ids)).toHaveProperty('size', 4);
    expect(laneDigest(epoch, route, partitionOf(one, raw)).id).toBe(ids[0]);
    expect(partitionText(one, partitionOf(one, raw))).toBe('thing:0031');
    // The account ends at its first NUL, which no account has: no pack can name a partition that reaches into another account.
    expect(partitionOf(one, Buffer.from('r')).equals(partitionOf('a' as AccountName, Buffer.from('/x\0r')))).toBe(false);
  });

  it('late: con:ORD-13 con:ORD-19 at or below the high-water, and before the position where a strict lane begins', () => {
    expect([1, 2, 3].map((value) => isLate(strict(2), at(value)))).toEqual([true, true, false]);
    expect([4, 5].map((value) => isLate(strict(null, 5), at(value)))).toEqual([true, false]);
    expect([1, 2].map((value) => isLate(latest(null), at(value)))).toEqual([false, false]);
  });

  it('claim, gap, rest: con:ORD-14 a strict lane takes the exact successor and nothing else, or what stands behind a gap that was skipped', () => {
    expect(nextMove(strict(41), waiting(42), undefined)).toEqual({ kind: 'claim' });
    expect(nextMove(strict(41), waiting(43), undefined)).toEqual({ kind: 'gap', missing: at(42).position, known: undefined });
    expect(nextMove(strict(41), waiting(43), gap('waiting'))).toMatchObject({ kind: 'gap', known: { state: 'waiting' } });
    expect(nextMove(strict(41), waiting(43), gap('expired'))).toEqual({ kind: 'claim' });
    expect(nextMove(strict(null, 7), waiting(7), undefined)).toEqual({ kind: 'claim' });
    expect(nextMove(latest(41), waiting(77), undefined)).toEqual({ kind: 'claim' });
    expect(nextMove(strict(41), undefined, undefined)).toEqual({ kind: 'rest' });
    expect(exactSuccessor(latest(41))).toBeUndefined();
  });

  it('ascending: con:ORD-01 whatever the order of arrival, a strict lane without gaps applies every position once, in its order', () => {
    const seed = Date.now() % 2_147_483_647;
    console.log(`lane: fast-check seed ${seed}`);
    const arrivals = fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7], { minLength: 7 });
    fc.assert(
      fc.property(arrivals, fc.array(fc.nat(7), { minLength: 30, maxLength: 30 }), (order, looks) => {
        const applied: number[] = [];
        const open = new Set<number>();
        const queue = [...order];
        for (const look of [...looks, ...Array<number>(14).fill(0)]) {
          for (let taken = 0; taken <= look && queue.length > 0; taken += 1) open.add(queue.shift() as number);
          const stand = strict(applied.at(-1) ?? null);
          const head = [...open].sort((a, b) => a - b)[0];
          const move = nextMove(stand, head === undefined ? undefined : waiting(head), undefined);
          if (move.kind === 'claim' && head !== undefined) {
            open.delete(head);
            applied.push(head);
          }
        }
        expect(applied).toEqual([1, 2, 3, 4, 5, 6, 7]);
      }),
      { seed, numRuns: 200 },
    );
  });
});
