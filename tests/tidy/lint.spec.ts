import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './repo';

const ENV = { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_TUI: 'false', CI: 'true' };

type Planted = readonly [path: string, text: string];

/** No rule that needs types: text that is no file has none. */
const LINTER = `
  import { text } from 'node:stream/consumers';
  import { ESLint } from 'eslint';
  const overrideConfig = {
    languageOptions: { parserOptions: { projectService: false } },
    rules: { '@typescript-eslint/no-floating-promises': 'off' },
  };
  const eslint = new ESLint({ overrideConfig });
  const found = [];
  for (const [filePath, code] of JSON.parse(await text(process.stdin))) found.push(...(await eslint.lintText(code, { filePath })));
  console.log(JSON.stringify(found));
`;

/** What the linter says of each text as if it stood at its path: rule and first line. In one process: loading takes longer than linting. */
function lint(planted: readonly Planted[]): string[][] {
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', LINTER], {
    cwd: ROOT,
    env: ENV,
    input: JSON.stringify(planted),
    encoding: 'utf8',
  });
  if (run.stdout === '' || /rule will be skipped/.test(run.stderr)) throw new Error(`the linter did not run:\n${run.stderr}`);
  const files = JSON.parse(run.stdout) as { messages: { ruleId: string | null; message: string }[] }[];
  return files.map(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId ?? 'fatal'}: ${message.split('\n')[0] ?? ''}`));
}

const BOUNDARY = '@nx/enforce-module-boundaries';
const imports = (...modules: string[]): string =>
  modules.map((module, index) => `import { x${index} } from '${module}';\nexport const y${index} = x${index};\n`).join('');

jest.setTimeout(60_000);

describe('lint', () => {
  const folder = mkdtempSync(join(tmpdir(), 'connector-graph-'));
  beforeAll(() => {
    // Without a cached project graph the boundary rule skips every file and exits 0.
    execFileSync(
      process.execPath,
      [join(ROOT, 'node_modules', 'nx', 'dist', 'bin', 'nx.js'), 'graph', `--file=${join(folder, 'graph.json')}`],
      { cwd: ROOT, env: ENV, stdio: 'ignore' },
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('named: planted imports over a project’s border', () => {
    const [nest, app, kernel] = lint([
      ['libs/connector/src/planted.ts', imports('@nestjs/common')],
      ['apps/ingress/planted.ts', imports('@connector/connector/model/paths')],
      ['libs/kernel/src/planted.ts', imports('rxjs')],
    ]);
    expect(nest?.[0]).toBe(`${BOUNDARY}: A project tagged with "type:owner" is not allowed to import "@nestjs/common"`);
    expect(app).toEqual([
      `${BOUNDARY}: A project tagged with "type:app" can only depend on libs tagged with "type:service", "type:platform"`,
    ]);
    expect(kernel).toEqual([`${BOUNDARY}: A project tagged with "type:kernel" is not allowed to import "rxjs"`]);
  });

  it('named: planted time, chance, casts and shapes that the house does without', () => {
    const text = [
      "import { randomBytes } from 'node:crypto';",
      'export const a = [Date.now(), Math.random(), randomBytes(4), new Date()];',
      'export enum E { A }',
      'export default a;',
      'export const b = a as any;',
      'console.log(a == b);',
    ].join('\n');
    const [all, clock] = lint([
      ['libs/runtime/src/planted.ts', text],
      ['libs/platform/src/db/planted.ts', 'export const a = Date.now();\n'],
    ]);
    const rules = all?.map((found) => found.split(': ')[0]) ?? [];
    expect(rules.filter((rule) => rule === 'no-restricted-syntax')).toHaveLength(7);
    expect(rules).toEqual(expect.arrayContaining(['@typescript-eslint/no-explicit-any', 'no-console', 'eqeqeq']));
    expect(clock).toEqual([]);
  });
});
