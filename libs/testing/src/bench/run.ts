import { testDatabase } from '../engine';
import { mainSchema } from '../database';
import { benchAdmission, benchHotAccount } from './admission';
import { benchBodies } from './bodies';
import { benchCanonical } from './canonical';
import { benchHistory } from './history';
import { benchInstallation } from './installation';
import { type Group, type Line, tableOf } from './line';
import type { BenchOptions } from './options';
import { benchSystem } from './path';
import { benchRelease } from './release';
import { benchView } from './view';
import { benchRevisions } from './view-history';
import { benchWakes } from './wakes';

export interface BenchReport {
  readonly engine: string;
  /** What the engine promises of a COMMIT, as it is set; an engine that has no such setting does not name it. */
  readonly durability: Readonly<Record<string, string>>;
  readonly node: string;
  readonly seed: number;
  readonly lines: readonly Line[];
}

export async function runBench(options: BenchOptions): Promise<BenchReport> {
  const { only, seconds, history, seed, brokerDir, say } = options;
  const groups: Readonly<Record<Group, () => Promise<readonly Line[]>>> = {
    a: () => benchAdmission(seconds),
    b: () => benchHotAccount(seconds),
    c: () => benchHistory(seconds, history, say),
    d: () => benchWakes({ seconds, seed, brokerDir, say }),
    e: () => benchSystem(seconds, say),
    f: () => benchBodies(say),
    g: () => benchRelease(say),
    h: () => benchInstallation(seconds, say),
    i: () => benchView(seconds),
    j: () => benchRevisions(seconds, say),
    k: () => Promise.resolve(benchCanonical(seed, say)),
  };
  const lines: Line[] = [];
  for (const group of only) {
    say(`measuring ${group}`);
    const found = await groups[group]().catch((thrown: unknown) => failed(group, thrown, say));
    // Told at once: a run that is ended early has not measured in vain.
    say(tableOf(found));
    lines.push(...found);
  }
  const { kind, version } = testDatabase();
  return { engine: `${kind} ${version}`, durability: await durability(), node: process.version, seed, lines };
}

function failed(group: Group, thrown: unknown, say: (line: string) => void): readonly Line[] {
  const { message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
  say(stack ?? message);
  return [{ group, what: `group ${group}`, kind: 'failed', why: message.split('\n')[0] ?? message }];
}

const SETTINGS = ['innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin', 'innodb_doublewrite', 'innodb_buffer_pool_size'];

async function durability(): Promise<Readonly<Record<string, string>>> {
  const schema = await mainSchema();
  try {
    const rows = await schema.sql('SHOW GLOBAL VARIABLES WHERE Variable_name IN (?)', [SETTINGS]);
    return Object.fromEntries(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));
  } finally {
    await schema.close();
  }
}
