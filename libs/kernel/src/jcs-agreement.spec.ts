import { jcsAgreement } from '@connector/testing/jcs-agreement';

const SEED = 20261201;
const VALUES = 20_000;

describe('jcs', () => {
  it('the same bytes as a second implementation, and the parser finds every other writing of them out (cat:DIG-01, cat:A-24)', () => {
    const { compared, foundOut, canonical } = jcsAgreement(VALUES, SEED);
    console.log(`${compared} values, of their loose writings ${foundOut} found out and ${canonical} canonical, seed ${SEED}`);
    expect(compared).toBe(VALUES);
    expect(Math.min(foundOut, canonical)).toBeGreaterThan(VALUES / 5);
  });
});
