import { mainSchema } from '@connector/testing/database';
import { WITHHELD, type End } from '@connector/testing/explorer/actor';
import { Stage } from '@connector/testing/explorer/schedule';
import type { Random } from '@connector/testing/system/random';
import { readyDoors } from '../machines/doors';
import { atRandom } from './explore';
import { kindsOf } from './outcome';

export interface PairsReport {
  readonly doors: number;
  readonly pairs: number;
  readonly schedules: number;
  readonly blocked: number;
  /** 1213 or anything else that a door ended with other than the COMMIT that was withheld. */
  readonly findings: readonly string[];
  readonly seconds: number;
}

const endedBadly = (end: End): boolean => end.kind === 'answer' || end.code !== WITHHELD;

/** Every two doors of one account, each with an input that takes all its locks, in random orders of their statements (con:SM-ALL-05). */
export async function explorePairs(random: Random, each: number): Promise<PairsReport> {
  const began = performance.now();
  const schema = await mainSchema();
  const stage = new Stage(schema);
  try {
    const doors = await readyDoors(schema);
    const pairs = doors.flatMap((one, at) => doors.slice(at).map((other) => [one, other] as const));
    const findings: string[] = [];
    let blocked = 0;
    for (const pair of pairs) {
      for (let run = 0; run < each; run += 1) {
        const happened = await stage.run(pair, { choose: atRandom(random), ended: () => Promise.resolve(), withhold: true });
        blocked += happened.blocked.length;
        const bad = happened.ends.filter(endedBadly).map(kindsOf);
        if (bad.length > 0) findings.push(`${pair.map(({ name }) => name).join(' | ')}: ${bad.join(', ')}`);
      }
    }
    const seconds = (performance.now() - began) / 1000;
    return { doors: doors.length, pairs: pairs.length, schedules: pairs.length * each, blocked, findings, seconds };
  } finally {
    await stage.close();
    await schema.close();
  }
}
