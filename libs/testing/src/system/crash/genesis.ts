import { JOURNAL_TABLES, MAIN_TABLES } from '@connector/schema/tables';
import { genesis, mintDemoSecrets, verified, type World } from '@connector/services/local/src/demo/begin';
import { CONFIGURATION } from '@connector/services/local/src/demo/world';
import type { SystemUnderTest } from '../system';
import { until } from '../until';
import { Lane, type Met } from './lane';
import type { CrashPoint } from './points';
import type { RoundResult } from './round';

const WITHIN_MS = 60_000;
/** What the migrator wrote, and which adapters live: both are older than the service that begins. */
const KEPT = /schema_revision$|^con_service$|^con_egress_holder|^ctl_(termination|isolation)$/;
const COORDINATOR = 'cutover-coordinator';

/** The coordinator, or the catalog that holds its authors off for it, killed at each point of beginning a service; every time a service that has not begun, and one that has afterwards. */
export async function runGenesis(system: SystemUnderTest, world: World, lanes: readonly (readonly CrashPoint[])[]): Promise<RoundResult> {
  await mintDemoSecrets(system.local, world.channels);
  const met: Met[] = [];
  const findings: string[] = [];
  for (const points of lanes) {
    const names = points.map(({ name }) => name).join(', ');
    await emptied(system);
    await system.ready([COORDINATOR]);
    const coordinator = await system.client(COORDINATOR);
    await verified(system.local, coordinator, world);
    const lane = new Lane(system, points);
    const unwatch = system.onEnd(lane.sawEnd);
    try {
      await lane.begin();
      if (lane.armed !== undefined) await lane.isUp(lane.armed);
      const answer = await until('genesis', WITHIN_MS, () => genesis(coordinator));
      if (answer !== 'begun') findings.push(`${names}: genesis answered ${answer}`);
      while (lane.armed !== undefined) await lane.giveUp(lane.armed);
    } finally {
      unwatch();
    }
    met.push(...lane.met);
    findings.push(...(await judgeBeginning(system)).map((sentence) => `${names}: ${sentence}`));
  }
  return { met, findings, compared: 0 };
}

/** A service that has not begun, under processes that are up: every row of both databases but those of the migrator and of living adapters. */
export async function emptied({ sql, databases }: SystemUnderTest): Promise<void> {
  const tables = [
    ...MAIN_TABLES.map(({ name }) => ({ database: databases.main, name })),
    ...JOURNAL_TABLES.map(({ name }) => ({ database: databases.journal, name })),
  ];
  for (const { database, name } of tables) if (!KEPT.test(name)) await sql(`DELETE FROM ${database}.${name}`);
}

/** Exactly one beginning, in both databases. */
async function judgeBeginning({ sql, databases }: SystemUnderTest): Promise<readonly string[]> {
  const accounts = CONFIGURATION.accounts.length;
  const wanted: readonly (readonly [string, number])[] = [
    ["con_serving_gate WHERE mode = 'v2_serving' AND fence = 1", accounts],
    ['con_serving_gate', accounts],
    ['con_effect_feed WHERE next_seq = 1', accounts],
    ["con_epoch WHERE state = 'active'", 1],
    ['con_genesis_certificate', 1],
    ["con_operation WHERE door = 'activate-genesis'", 1],
    ["con_audit_outbox WHERE door = 'activate-genesis'", 1],
    ["cat_publication_barrier WHERE state = 'open' AND barrier_fence > 0", 1],
    ["pck_publication_barrier WHERE state = 'open' AND barrier_fence > 0", 1],
    [`${databases.journal}.jrn_service WHERE predecessor = 'no_predecessor'`, 1],
    [`${databases.journal}.jrn_genesis_intent`, 1],
    [`${databases.journal}.jrn_genesis_commit`, 1],
  ];
  const found: string[] = [];
  for (const [what, count] of wanted) {
    const [row] = await sql(`SELECT COUNT(*) AS n FROM ${what}`);
    if (Number(row?.['n']) !== count) found.push(`${String(row?.['n'])} instead of ${count} rows of ${what}`);
  }
  return found;
}
