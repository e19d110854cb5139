import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Context } from '@connector/services/cli/src/context';
import { programOf } from '@connector/services/cli/src/program';
import { untypeable, type Typeable } from './checks/commands';
import { isProduction, planted, repository, ROOT } from './repo';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly scripts: Readonly<Record<string, string>> };
const silent = {
  ...{ env: {}, root: ROOT, user: 'reader', interactive: false, color: false, now: () => 0 },
  ...{ out: () => undefined, err: () => undefined, ask: () => Promise.resolve(''), isAlive: () => false },
};
const typeable: Typeable = {
  scripts: new Set(Object.keys(scripts)),
  program: programOf(new Context(silent)),
  hasPath: (prefix) => repository().some(({ path }) => path.startsWith(prefix)),
};

describe('commands', () => {
  it.each([
    ['README.md', 'type `npx connector gates list`', 'connector gates list: connector has no gates'],
    ['docs/x.md', 'npx connector accounts stop tern/acme', 'connector accounts stop tern/acme: accounts has no stop'],
    ['docs/x.md', 'npx connector accounts halt tern/acme --now', 'connector accounts halt tern/acme --now: halt has no --now'],
    ['CONTRIBUTING.md', 'npm run nothing', 'npm run nothing: no such script'],
    ['docs/x.md', 'npm test -- libs/nowhere', 'npm test -- libs/nowhere: no such path'],
    ['libs/services/x.ts', "say('connector effects burn')", 'connector effects burn: effects has no burn'],
  ])('named: in %s, %s', (path, text, wrong) => {
    expect(untypeable([planted(path, text)], typeable)).toEqual([`${path}: ${wrong}`]);
  });

  it('typeable: every command that a page, a reason or a refusal tells people to type', () => {
    expect(
      untypeable(
        repository().filter(({ path }) => path.endsWith('.md') || isProduction(path)),
        typeable,
      ),
    ).toEqual([]);
  });
});
