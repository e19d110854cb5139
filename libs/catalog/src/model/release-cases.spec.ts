import { exampleRelease, seal } from '@connector/testing/fixtures/app-release';
import { caseRelease } from '@connector/testing/fixtures/release-cases';
import { appCases } from '@connector/testing/vectors/load';
import { checkRelease } from './release';

describe('the cases of the contract', () => {
  it('release: the worked example itself', () => {
    expect(checkRelease(seal(exampleRelease()))).toMatchObject({ kind: 'release', release: { appId: 'io.nexuscrm.sfcrm' } });
  });

  it.each(appCases.cases.map((one) => [one.case, one.expect, one] as const))('refused: %s with %s', (_name, code, one) => {
    const answer = checkRelease(caseRelease(one).sealed);
    if (answer.kind !== 'faulty') throw new Error('accepted');
    expect(answer.faults.map((fault) => fault.code)).toContain(code);
  });
});
