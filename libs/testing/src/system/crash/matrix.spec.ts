import { Random } from '../random';
import type { Fate } from './lane';
import { aborted, reportOf } from './matrix';
import { allPoints, type CrashPoint } from './points';

const all = allPoints(new Random(1));
const sure = all.find(({ conditional }) => !conditional) as CrashPoint;
const sometimes = all.find(({ conditional }) => conditional) as CrashPoint;
const died: Fate = { kind: 'wrong-end', end: { name: sometimes.service, generation: 'g', code: 1, signal: null } };

const report = (...met: readonly (readonly [CrashPoint, Fate])[]) =>
  reportOf([sure, sometimes], [{ met: met.map(([point, fate]) => ({ point, fate })), findings: [], compared: 0 }]);

describe('crash matrix, report', () => {
  it('reached: a point at which a process died, however often it was missed before', () => {
    const { reached, missed } = report([sure, { kind: 'not-reached' }], [sure, { kind: 'reached' }], [sometimes, { kind: 'reached' }]);
    expect([reached, missed]).toEqual([[sure.name, sometimes.name], []]);
  });

  it.each([
    ['what leads there led nowhere', [{ kind: 'not-reached' }], 'what leads there was done 10 times, and nobody came there'],
    ['its process ended otherwise', [died], 'its process ended otherwise, by exit 1'],
    ['its round was never run', [], 'no process was armed with it'],
  ] as const)('missed: a point of some runs only, like every other, because %s', (_why, fates, sentence) => {
    const { asked, reached, missed } = report([sure, { kind: 'reached' }], ...fates.map((fate) => [sometimes, fate] as const));
    expect([asked, reached, missed]).toEqual([2, [sure.name], [`${sometimes.name}: ${sentence}`]]);
  });
});

describe('crash matrix, end', () => {
  it('ended: whether it was asked for before or after somebody listens', async () => {
    const ending = new AbortController();
    const later = aborted(ending.signal);
    ending.abort();
    await expect(later).rejects.toThrow('ended before it was over');
    await expect(aborted(ending.signal)).rejects.toThrow('ended before it was over');
  });
});
