import { artifactPaths } from '@connector/artifacts/model/paths';
import { registryPaths } from '@connector/catalog/model/registry-paths';
import { connectorPaths } from '@connector/connector/model/paths';
import { runtimePaths } from '@connector/runtime/model/paths';
import { securityPaths } from '@connector/security/model/paths';
import { seedOf } from '@connector/testing/system/random';
import { GROUPS } from './groups';
import { MUTANTS } from './mutants';
import { runExplorer, type Report } from './run';

const WITHIN_MS = 240_000;

let report: Report;
beforeAll(async () => {
  const lines: string[] = [];
  report = await runExplorer({ seed: seedOf(), sampled: true, say: (line) => lines.push(line) });
  process.stderr.write(
    `${lines.join('\n')}\nexplorer: ${report.groups.length} groups, ${report.mutants.length} mutants in ${report.seconds.toFixed(1)} s\n`,
  );
}, WITHIN_MS);

describe('order explorer, sampled', () => {
  it('nothing found: con:SM-ALL-05 every group keeps the invariants after every commit, and its doors waited for each other', () => {
    expect(report.failures).toEqual([]);
    expect(report.groups.map(({ group }) => group)).toEqual(GROUPS.map(({ name }) => name));
  });

  it('both orders: every group was seen to commit in every order in which its doors can come first', () => {
    const firsts = report.groups.map(({ group, orders }) => [group, new Set(Object.keys(orders).map((order) => order[0])).size]);
    expect(firsts).toEqual(GROUPS.map(({ name }) => [name, expect.any(Number)]));
    expect(firsts.filter(([, count]) => Number(count) < 2)).toEqual([]);
  });

  it('found: every mutant, each by name', () => {
    expect(report.mutants.filter(({ found, voids }) => found.length === 0 || voids.length > 0)).toEqual([]);
    expect(report.mutants).toHaveLength(MUTANTS.length);
  });

  it('a mutant: every write path of connector, runtime, security and the App registry has one', () => {
    const paths = [connectorPaths, runtimePaths, securityPaths, registryPaths, artifactPaths].flatMap((owned) => Object.keys(owned));
    const planted = new Set(MUTANTS.map(({ path }) => path));
    expect(paths.filter((path) => !planted.has(path))).toEqual([]);
  });
});
