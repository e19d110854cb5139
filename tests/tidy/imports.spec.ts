import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './repo';

/** A planted import for each rule of .dependency-cruiser.cjs; every target exists, so that no other rule speaks. */
const PLANTED: readonly (readonly [rule: string, from: string, imports: string])[] = [
  ['no-cycles', 'libs/kernel/src/a', './b'],
  ['resolvable', 'libs/kernel/src/lost', './nowhere'],
  ['model-has-no-io', 'libs/connector/src/model/io', 'node:fs'],
  ['folder-model', 'libs/connector/src/model/deep', '@connector/platform/db/db'],
  ['folder-contract', 'libs/connector/src/contract/deep', '../reads/plain'],
  ['folder-fences', 'libs/connector/src/fences/deep', '../transitions/x.tx'],
  ['folder-reads', 'libs/connector/src/reads/deep', '../transitions/x.tx'],
  ['folder-transitions', 'libs/connector/src/transitions/deep', '@connector/runtime/transitions/y.tx'],
  ['foreign-owner', 'libs/connector/src/transitions/other', '@connector/runtime/reads/plain'],
  ['engine-is-pure', 'libs/packs/src/engine/deep', '@connector/platform/db/db'],
  ['engine-has-no-io', 'libs/packs/src/engine/io', 'node:net'],
  ['l0-is-neutral', 'libs/connector/src/transitions/named', '@connector/packs/model/plain'],
  ['l0-is-neutral', 'libs/connector/src/model/again', '@connector/catalog/model/plain'],
  ['services-meet-outside', 'libs/services/ingress/src/other', '@connector/services/control/src/plain'],
  ['services-use-doors', 'libs/services/ingress/src/deep', '@connector/connector/fences/plain'],
  ['apps-are-thin', 'apps/ingress/deep', '@connector/kernel/plain'],
  ['apps-are-alone', 'apps/ingress/other', '../control/plain'],
  ['nothing-imports-an-app', 'libs/services/ingress/src/app', '../../../../apps/control/plain'],
  ['what-ships-is-data', 'libs/services/ingress/src/ships', '@connector/shipped-packs/one/pack'],
  ['test-library', 'libs/services/ingress/src/tested', '@connector/testing/plain'],
  ['specs-are-leaves', 'libs/kernel/src/leaf', './some.spec'],
  ['framework-at-the-rim', 'libs/runtime/src/transitions/nest', '@nestjs/common'],
  ['one-driver', 'libs/services/ingress/src/driver', 'mysql2'],
  ['one-bus-client', 'libs/platform/src/wake/bus', 'kafkajs'],
];
const TARGETS = [
  'libs/kernel/src/plain',
  'libs/kernel/src/some.spec',
  'libs/platform/src/db/db',
  'libs/connector/src/reads/plain',
  'libs/connector/src/fences/plain',
  'libs/connector/src/transitions/x.tx',
  'libs/runtime/src/reads/plain',
  'libs/runtime/src/transitions/y.tx',
  'libs/packs/src/model/plain',
  'libs/catalog/src/model/plain',
  'libs/services/control/src/plain',
  'libs/shipped-packs/one/pack',
  'libs/testing/src/plain',
  'apps/control/plain',
];

interface Answer {
  readonly summary: { readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[] };
}

function plant(root: string): void {
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, `${name}.ts`), text);
  };
  for (const name of TARGETS) write(name, 'export const it = 1;\n');
  for (const [, from, target] of PLANTED) write(from, `import type { it } from '${target}';\nexport type It = typeof it;\n`);
  write('libs/kernel/src/b', "import type { It } from './a';\nexport type It2 = It;\nexport const it = 1;\n");
  for (const name of ['.dependency-cruiser.cjs', 'tsconfig.json', 'tsconfig.base.json']) copyFileSync(join(ROOT, name), join(root, name));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
}

function cruise(root: string): Answer {
  const command = join(ROOT, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');
  const args = [command, '--config', '.dependency-cruiser.cjs', '-T', 'json', 'libs', 'apps'];
  return JSON.parse(spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).stdout) as Answer;
}

describe('imports', () => {
  const root = mkdtempSync(join(tmpdir(), 'connector-imports-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('named: a planted import for every rule, type imports included; of the catalog’s own bytes the connector makes none (con:LAY-08, cat:INT-11)', () => {
    plant(root);
    const { violations } = cruise(root).summary;
    const found = new Set(violations.map(({ from, rule }) => `${rule.name} ${from}`));
    expect(PLANTED.map(([rule, from]) => `${rule} ${from}.ts`).filter((one) => !found.has(one))).toEqual([]);
    const rules = new Set(violations.map(({ rule }) => rule.name));
    expect([...rules].sort()).toEqual([...new Set(PLANTED.map(([rule]) => rule))].sort());
  });

  it('all: no rule is without its planted import', () => {
    const config = readFileSync(join(ROOT, '.dependency-cruiser.cjs'), 'utf8');
    const named = [...config.matchAll(/^ {6}name: '([a-z0-9-]+)'/gm)].map((match) => match[1] ?? '');
    const folders = [...config.matchAll(/^ {4}folder\('([a-z]+)'/gm)].map((match) => `folder-${match[1] ?? ''}`);
    expect([...named, ...folders].sort()).toEqual([...new Set(PLANTED.map(([rule]) => rule))].sort());
  });
});
