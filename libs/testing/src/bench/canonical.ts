import { jcsAgreement } from '../jcs-agreement';
import { figureLine, type Line } from './line';
import { spreadOf } from './statistics';

const VALUES = 1_000_000;
/** Of one seed; the seeds of a run follow one another. */
const PART = 50_000;

/** Our canonical bytes against a second implementation's, on a million generated values. A value that they differ on fails the group (cat:DIG-01). */
export function benchCanonical(seed: number, say: (line: string) => void): readonly Line[] {
  const perSecond: number[] = [];
  let [odd, canonical] = [0, 0];
  for (let have = 0; have < VALUES; have += PART) {
    const began = performance.now();
    const agreed = jcsAgreement(PART, seed + have / PART);
    perSecond.push((PART * 1_000) / (performance.now() - began));
    [odd, canonical] = [odd + agreed.foundOut, canonical + agreed.canonical];
    say(`${have + PART} of ${VALUES} values, seed ${seed + have / PART}`);
  }
  const note = `${VALUES} values from seed ${seed} on, none differs; of their loose writings ${odd} found out, ${canonical} canonical`;
  return [figureLine('k', 'JCS, both implementations and the parser', spreadOf(perSecond), 'values/s', note)];
}
