import { pairs, text, type Commit } from './invariant';

/** An epoch is pinned in one commit, with everything that it names. */
export function pinsStand({ before, after }: Commit): readonly string[] {
  return [
    ...after.pins.filter(({ generations }) => generations === 0).map(({ epoch_id }) => `${epoch_id} is pinned and keeps nothing`),
    ...pairs(before.pins, after.pins, ({ epoch_id }) => epoch_id)
      .filter(([old, now]) => text(old) !== text(now))
      .map(([{ epoch_id }]) => `the pin of ${epoch_id} changed`),
    ...before.pins
      .filter(({ epoch_id }) => !after.pins.some((row) => row.epoch_id === epoch_id))
      .map(({ epoch_id }) => `${epoch_id} lost its pin`),
  ];
}
