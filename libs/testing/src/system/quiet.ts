import { readFileSync } from 'node:fs';
import { SERVICE_NAMES, type SystemUnderTest } from './system';
import { until, when } from './until';

const HELD = "SELECT account FROM con_serving_gate WHERE mode <> 'v2_serving'";

/** A lane rests behind a position that is missing, until its deadline; from then on, and when it has come, somebody will go on with it. */
const RESTS = `SELECT 1 FROM con_execution_dependency d WHERE d.lane_id = l.lane_id AND d.state = 'waiting' AND l.active_execution IS NULL
        AND d.deadline > NOW(6)
        AND NOT EXISTS (SELECT 1 FROM con_execution m WHERE m.open_lane = d.lane_id AND m.source_position = d.missing_position)`;

/** Everything that the services still do by themselves, as counts; what only a person can end (uncertain, held accounts and lanes), or a position that is missing, is not among it. */
const BUSY = {
  'receipts to materialize': `SELECT COUNT(*) AS n FROM con_materialization WHERE ready_account IS NOT NULL AND account NOT IN (${HELD})`,
  'executions to finish': `SELECT COUNT(*) AS n FROM con_execution WHERE ready_account IS NOT NULL AND account NOT IN (${HELD})`,
  'executions to finish in lanes': `SELECT COUNT(*) AS n FROM con_execution e JOIN con_ordering_lane l ON l.lane_id = e.open_lane
      WHERE l.held_reason IS NULL AND e.account NOT IN (${HELD})
        AND NOT EXISTS (${RESTS})`,
  'commands without an effect': `SELECT COUNT(*) AS n FROM run_outbound_command o JOIN con_effect_feed f ON f.account = o.account
      WHERE o.feed_seq >= f.next_seq AND o.account NOT IN (${HELD})`,
  'effects to send': `SELECT COUNT(*) AS n FROM con_remote_effect WHERE state = 'prepared' AND account NOT IN (${HELD})`,
  'open permits': 'SELECT COUNT(*) AS n FROM con_dispatch_permit WHERE open_account IS NOT NULL',
  'effects to finalize': "SELECT COUNT(*) AS n FROM con_remote_effect WHERE state = 'remote_confirmed' AND reason IS NULL",
  'halts to conclude': "SELECT COUNT(*) AS n FROM con_serving_gate WHERE mode = 'halting_v2'",
  'ended adapters without a receipt': `SELECT COUNT(*) AS n FROM con_egress_holder_generation g LEFT JOIN ctl_isolation i
      ON i.generation_id = g.generation_id JOIN con_egress_holder h ON h.holder_id = g.holder_id WHERE i.generation_id IS NULL AND g.fence < h.fence`,
  'publications to end': 'SELECT COUNT(*) AS n FROM cat_lineage WHERE open_installation_id IS NOT NULL',
  'key gates behind': `SELECT COUNT(*) AS n FROM ctl_channel_key_set s LEFT JOIN con_channel_key_gate g
      ON g.account = s.account AND g.channel = s.channel WHERE g.fence IS NULL OR g.fence < s.revision`,
};

/** What the rows say is still under way, by name. */
export async function busyRows({ sql }: Pick<SystemUnderTest, 'sql'>): Promise<readonly string[]> {
  const parts = Object.entries(BUSY).map(([name, count]) => `SELECT '${name}' AS what, (${count}) AS n`);
  const rows = await sql(parts.join(' UNION ALL '));
  return rows.filter(({ n }) => Number(n) > 0).map(({ what, n }) => `${String(n)} ${String(what)}`);
}

/** The same, and which services are not ready. */
export async function busyWith(system: SystemUnderTest): Promise<readonly string[]> {
  const busy = await busyRows(system);
  const down = system.local.supervisor.services.filter(({ state }) => state !== 'ready').map(({ name, state }) => `${name} ${state}`);
  return [...busy, ...down];
}

/** Resolves when every service is ready and has nothing left to do; throws after `ms`, naming what is left and what its log says last. */
export async function quiet(system: SystemUnderTest, ms = 60_000): Promise<void> {
  let busy: readonly string[] = [];
  const look = async (): Promise<true | undefined> => when((busy = await busyWith(system)).length === 0);
  await until('quiet', ms, look).catch((thrown: unknown) => {
    throw new Error(`the system does not come to rest: ${busy.join(', ')}\n${lastWordsOf(system)}`, { cause: thrown });
  });
}

const LINES = 8;
const LINE_CHARS = 600;

/** Of every service the last lines that are warnings or worse. */
export function lastWordsOf({ local }: SystemUnderTest): string {
  const words = SERVICE_NAMES.flatMap((name) => {
    const lines = readFileSync(local.layout.log(name), 'utf8').split('\n');
    const bad = lines.filter((line) => /"level":"(warn|error)"|cannot start/.test(line)).slice(-LINES);
    return bad.length === 0 ? [] : [`${name}:\n${bad.map((line) => `  ${line.slice(0, LINE_CHARS)}`).join('\n')}`];
  });
  return words.join('\n');
}
