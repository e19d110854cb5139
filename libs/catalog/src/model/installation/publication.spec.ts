import { Digest } from '@connector/kernel/digest';
import { failed } from './asked';
import { namespacesOverlap } from './namespaces';
import { ENTRIES, nextStep, refusalOf } from './publication';

describe('journal of a publication', () => {
  it.each([
    [[], undefined],
    [['refused'], undefined],
    [['opened'], 'compile'],
    [['opened', 'compiled'], 'send'],
    [['opened', 'compiled', 'acknowledged'], 'publish'],
    [['opened', 'compiled', 'acknowledged', 'published'], undefined],
    [['opened', 'failed'], undefined],
    [['opened', 'compiled', 'failed'], undefined],
    [['opened', 'compiled', 'acknowledged', 'failed'], undefined],
  ] as const)('next: cat:PUBL-09 after %j comes %s', (steps, next) => {
    expect(nextStep(steps)).toBe(next);
  });

  it('refused: the first hundred faults, and how many more; what was found is at most a sentence', () => {
    const fault = failed('PREP-09', '/grants/0', 'GRANT_EXCESS', 'x'.repeat(1000), 'y');
    const refusal = refusalOf(Digest.sha256(Buffer.from('release')), Array(130).fill(fault));
    expect([refusal.faults.length, refusal.more, refusal.faults[0]?.expected.length]).toEqual([100, 30, 256]);
    const { bytes } = ENTRIES.refused.build(refusal);
    expect(ENTRIES.refused.parse(bytes).value).toEqual(refusal);
    expect(bytes.length).toBeLessThan(262_144);
  });
});

describe('namespaces', () => {
  it.each([
    ['a.b', 'a.b', true],
    ['a.b', 'a.b.c', true],
    ['a.b.c', 'a.b', true],
    ['a.b', 'a.bc', false],
    ['a.b.c', 'a.b.d', false],
    ['a.b', 'b.a', false],
  ])('overlap: cat:A-16 %s and %s: %s', (left, right, overlap) => {
    expect(namespacesOverlap(left, right)).toBe(overlap);
  });
});
