import { ATTESTATION_MEDIA_TYPE, ATTESTATION_PROFILE } from '@connector/catalog/model/attestation';
import { RELEASE_LIMITS } from '@connector/catalog/model/limits';
import { KeyId } from '@connector/catalog/model/signing';
import { documentAt, isProduction, planted, repository, type Source } from '../tidy/repo';

const companion = documentAt<{ readonly separators: Readonly<Record<string, string>> }>('docs/app-authority-contract.json');
const PAGE = 'docs/explanation/app-authority.md';

/** The first column of the tables of a page, whatever it says in backquotes; of one table where its heading is named. */
function listed(page: string, heading?: string): readonly string[] {
  const from = heading === undefined ? 0 : page.indexOf(`| ${heading} `);
  const rows = page.slice(from).split('\n');
  const table = heading === undefined ? rows : rows.slice(0, rows.indexOf(''));
  return table.flatMap((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? []);
}

const OURS = /^libs\/(catalog|security|artifacts|services\/catalog)\//;

/** Separators that the code of the App authority and of Runtime security knows, without the five of the contract. */
function separators(files: readonly Source[]): readonly string[] {
  const found = files
    .filter(({ path }) => OURS.test(path) && isProduction(path))
    .flatMap(({ text }) => [...text.matchAll(/['`](nexuscrm\.[a-z0-9${}-]+\.v\d+)['`]/g)].map(([, word = '']) => word));
  const theirs = new Set(Object.values(companion.separators));
  return [...new Set(found.map((word) => word.replace(/\$\{(\w+)\}/, '<$1>')))].filter((word) => !theirs.has(word)).sort();
}

/** Every path that the catalog's service and Runtime security serve, behind its method. */
function routes(files: readonly Source[]): readonly string[] {
  const served = files.filter(({ path }) => /^libs\/services\/catalog\/.*\.controller\.ts$|\/security\.controller\.ts$/.test(path));
  return served.flatMap(({ text }) => {
    const base = /@Controller\('([^']*)'\)/.exec(text)?.[1] ?? '';
    const found = [...text.matchAll(/@(Get|Post|Put|Delete|Patch)\((?:'([^']*)')?\)/g)];
    return found.map(([, method = '', route = '']) => {
      const path = [base, route].filter((part) => part !== '').join('/');
      return `${method.toUpperCase()} /${path.replaceAll(/:\w+/g, '{}')}`;
    });
  });
}

function resources(files: readonly Source[]): readonly string[] {
  const paths = routes(files).map((route) => route.replace(/^\w+ /, ''));
  return [...new Set(paths.map((path) => /^\/v1\/(?:orgs\/\{\}\/)?[^/{]+/.exec(path)?.[0] ?? path))].sort();
}

const page = (): string => repository().find(({ path }) => path === PAGE)?.text ?? '';

describe('what is ours in the App authority', () => {
  it('found: a planted separator, a planted route, and a page that lists what is not there', () => {
    const code = (text: string, path = 'libs/catalog/src/model/a.ts') => [planted(path, text)];
    expect(separators(code("const a = 'nexuscrm.new-thing.v1', b = 'nexuscrm.app-release.v1';"))).toEqual(['nexuscrm.new-thing.v1']);
    expect(separators(code('const a = `nexuscrm.step-${step}.v1`;'))).toEqual(['nexuscrm.step-<step>.v1']);
    expect(separators(code("const a = 'nexuscrm.new-thing.v1';", 'libs/catalog/src/model/a.spec.ts'))).toEqual([]);
    const controller = "@Controller('v1/orgs/:organization/things')\nclass A {\n  @Get(':thing')\n  get() {}\n}";
    expect(resources(code(controller, 'libs/services/catalog/src/a.controller.ts'))).toEqual(['/v1/orgs/{}/things']);
    expect(listed('| separator | over |\n| --- | --- |\n| `a.b` | c |\n\n| word | of |\n| `d` | e |', 'separator')).toEqual(['a.b']);
  });

  it('listed: every separator of ours, and no other (cat:GEN-06, cat:A-42)', () => {
    expect([...listed(page(), 'separator')].sort()).toEqual(separators(repository()));
  });

  it('listed: every resource that is served, and no other (cat:GEN-06, cat:A-42)', () => {
    expect([...listed(page(), 'resource')].sort()).toEqual(resources(repository()));
  });

  it('elsewhere: a path that was proposed and is another one is not served, and the one instead of it is (cat:GEN-06, cat:A-42)', () => {
    const served = routes(repository());
    const pairs = [...page().matchAll(/^\| `((?:GET|POST|PUT) [^`]+)` +\| `([^`]+)` +\|/gm)].map(([, proposed, instead]) => [
      proposed,
      instead,
    ]);
    expect(pairs).not.toEqual([]);
    for (const [proposed = '', instead = ''] of pairs) expect([served.includes(proposed), served.includes(instead)]).toEqual([false, true]);
  });

  it('listed: the words of an attestation, and the limits, as the code has them (cat:GEN-06)', () => {
    expect(listed(page(), 'word')).toEqual([ATTESTATION_PROFILE, ATTESTATION_MEDIA_TYPE, KeyId.of(Buffer.alloc(32)).slice(0, 8)]);
    const limits = Object.entries(RELEASE_LIMITS).map(([name, limit]) => [name, limit.toLocaleString('en-US')]);
    expect([...page().matchAll(/^\| `(\w+)` +\| ([\d,]+) +\|$/gm)].map(([, name, limit]) => [name, limit])).toEqual(limits);
  });
});
