import { allocatorsOf } from './checks/security-epochs';
import { planted, repository } from './repo';

const found = (text: string, path = 'libs/catalog/src/a.ts'): boolean => allocatorsOf([planted(path, text)]).length === 1;

describe('security epochs', () => {
  it.each([
    'const next = head.securityEpoch + 1n;',
    'expected_prior_epoch: String(journal.expectedPriorEpoch + 1n)',
    "{ 'security_epoch.next': next }",
    'UPDATE x SET security_epoch = security_epoch + 1',
    'securityEpoch += 1n',
  ])('found: planted in Catalog: %s', (text) => {
    expect(found(text)).toBe(true);
  });

  it('let be: an epoch of another kind, one that is compared, and a spec', () => {
    expect(found('activationEpoch + 1n; if (securityEpoch > expectedPriorEpoch) return securityEpoch;')).toBe(false);
    expect(found('securityEpoch + 1n', 'libs/catalog/src/a.spec.ts')).toBe(false);
  });

  it('one: cat:SEC-03 cat:PUBL-02 one file allocates security epochs, and it is Runtime’s', () => {
    expect(allocatorsOf(repository())).toEqual(['libs/security/src/transitions/bind-epoch.ts']);
  });
});
