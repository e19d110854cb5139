import { figureLine, limitLine, ratioLine, tableOf } from './line';
import { spreadOf } from './statistics';

describe('lines of a bench', () => {
  it('missed: a ratio under its target is printed as missed, with the target beside it', () => {
    const table = tableOf([ratioLine('a', 'door', spreadOf([0.52, 0.5, 0.61]), { must: 'at least', than: 0.6 }, '285 a batch')]);
    expect(table).toMatch(/0\.52 \(0\.5 to 0\.61, n=3\) +at least 0\.6: MISSED +285 a batch/);
  });

  it('met: a ratio over its target', () => {
    expect(tableOf([ratioLine('c', 'claim', spreadOf([1.1]), { must: 'at most', than: 1.2 }, '')])).toMatch(/1\.1 +at most 1\.2: met$/);
  });

  it('missed: a limit is printed with its unit, met where it is just kept', () => {
    const [over, kept] = [1_001, 1_000].map((ms) => tableOf([limitLine('g', 'release', ms, 'ms', 1_000, 'one blob')]));
    expect(over).toMatch(/1001 ms +at most 1000: MISSED +one blob/);
    expect(kept).toMatch(/1000 ms +at most 1000: met/);
  });

  it('not run: the line stays, with its reason', () => {
    expect(tableOf([{ group: 'd', what: 'kafka', kind: 'not-run', why: 'no Java here' }])).toMatch(/kafka +not run +no Java here/);
  });

  it('failed: a group that broke is told as that', () => {
    expect(tableOf([{ group: 'e', what: 'group e', kind: 'failed', why: 'no answer' }])).toMatch(/group e +FAILED +no answer/);
  });

  it('shown: a figure with its unit and no judgement', () => {
    const table = tableOf([figureLine('e', 'admissions', spreadOf([1234.5]), 'a second')]);
    expect(table).toMatch(/1235 a second$/);
    expect(table).not.toMatch(/met|MISSED/);
  });
});
