import { leaks } from './checks/leaks';
import { planted, repository } from './repo';

const inFile = (...parts: string[]): string[] =>
  leaks([planted('libs/kernel/src/a.ts', `const a = '${parts.join('')}';`)]).map((found) => found.split(': ')[1] ?? '');

describe('leaks', () => {
  it('named: planted paths, hosts, keys and words about the making', () => {
    expect(inFile('/wo', 'rk/main')).toEqual(['a path of one machine']);
    expect(inFile('/ho', 'me/ann/x')).toEqual(['a path of one machine']);
    expect(inFile('/t', 'mp/run.1')).toEqual(['a folder of one machine’s temporary files']);
    expect(inFile('https://registry.', 'example.org/')).toEqual(['a package registry']);
    expect(inFile('10.1.', '2.3')).toEqual(['a private network address']);
    expect(inFile('Cla', 'ude wrote it')).toEqual(['who wrote it']);
    expect(inFile('the lead ses', 'sion')).toEqual(['how it was written']);
    expect(inFile('-----BEGIN PRIV', 'ATE KEY-----')).toEqual(['a private key']);
    expect(inFile('AKIA', 'ABCDEFGHIJKLMNOP')).toEqual(['an access key']);
    expect(inFile('mysql://ann:', 'secret@127.0.0.1/x')).toEqual(['a password in a URL']);
    expect(inFile('whsec_', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toEqual(['a signing secret']);
  });

  it('let be: made-up secrets in a spec, loopback, words that only look alike', () => {
    expect(leaks([planted('libs/kernel/src/a.spec.ts', ['mysql://ann:', 'secret@127.0.0.1/x'].join(''))])).toEqual([]);
    expect(inFile('http://127.0.0.1:4000/v1/in')).toEqual([]);
    expect(inFile('SET SESSION tx_isolation')).toEqual([]);
  });

  it('none: no path of one machine, no registry, no secret, no word about the making', () => {
    expect(leaks(repository())).toEqual([]);
  });
});
