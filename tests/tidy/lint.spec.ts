import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './repo';

const ENV = { ...process.env, NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_TUI: 'false', CI: 'true' };

/** No rule that needs types: text that is no file has none. What the linter says of `text` as if it stood at `path`: rule and first line. */
function lint(path: string, text: string): string[] {
  const args = [
    '--stdin',
    '--stdin-filename',
    path,
    '--format',
    'json',
    '--parser-options',
    'projectService:false',
    '--rule',
    '@typescript-eslint/no-floating-promises: off',
  ];
  const run = spawnSync(process.execPath, [join(ROOT, 'node_modules', 'eslint', 'bin', 'eslint.js'), ...args], {
    cwd: ROOT,
    env: ENV,
    input: text,
    encoding: 'utf8',
  });
  if (run.stdout === '' || /rule will be skipped/.test(run.stderr)) throw new Error(`the linter did not run:\n${run.stderr}`);
  const [file] = JSON.parse(run.stdout) as { messages: { ruleId: string | null; message: string }[] }[];
  return (file?.messages ?? []).map(({ ruleId, message }) => `${ruleId ?? 'fatal'}: ${message.split('\n')[0] ?? ''}`);
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
    const [nest] = lint('libs/connector/src/planted.ts', imports('@nestjs/common'));
    expect(nest).toBe(`${BOUNDARY}: A project tagged with "type:owner" is not allowed to import "@nestjs/common"`);
    expect(lint('apps/ingress/planted.ts', imports('@connector/connector/model/paths'))).toEqual([
      `${BOUNDARY}: A project tagged with "type:app" can only depend on libs tagged with "type:service", "type:platform"`,
    ]);
    expect(lint('libs/kernel/src/planted.ts', imports('rxjs'))).toEqual([
      `${BOUNDARY}: A project tagged with "type:kernel" is not allowed to import "rxjs"`,
    ]);
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
    const rules = lint('libs/runtime/src/planted.ts', text).map((found) => found.split(': ')[0]);
    expect(rules.filter((rule) => rule === 'no-restricted-syntax')).toHaveLength(7);
    expect(rules).toEqual(expect.arrayContaining(['@typescript-eslint/no-explicit-any', 'no-console', 'eqeqeq']));
    expect(lint('libs/platform/src/db/planted.ts', 'export const a = Date.now();\n')).toEqual([]);
  });
});
