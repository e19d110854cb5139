import { DEMO_WORLD } from '@connector/services/local/src/demo/begin';
import { auditSystem } from '../audit';
import { quiet } from '../quiet';
import { contact } from '../source';
import { openSystem, type SystemUnderTest } from '../system';
import { until } from '../until';

export const LEASED = 10;
/** By the public record, from the death of the claimant to the last claim by another. */
export const TAKEOVER_MS_MAX = 30_000;
const STEP_MS_MAX = 60_000;
const CLAIMANT = 'execution-claimant';
const CLAIMS = `SELECT HEX(e.execution_id) AS id, e.attempt_count AS attempts, a.claimant FROM con_execution e
  JOIN con_execution_attempt a ON a.execution_id = e.execution_id AND a.ordinal = e.attempt_count WHERE e.state = 'ready' ORDER BY id`;

interface Claim {
  readonly id: string;
  readonly attempts: number;
  readonly claimant: string;
}

export interface TakeoverRun {
  readonly before: readonly Claim[];
  readonly after: readonly Claim[];
  /** From the death of the claimant, ms. */
  readonly tookMs: number;
  readonly findings: readonly string[];
}

/** Everything as it ships: ten executions are leased when their claimant dies, and somebody else claims them. */
export async function runTakeover(): Promise<TakeoverRun> {
  const system = await openSystem({ settings: {}, world: DEMO_WORLD });
  try {
    return await takenOver(system);
  } finally {
    await system.close();
  }
}

async function takenOver(system: SystemUnderTest): Promise<TakeoverRun> {
  const { supervisor } = system.local;
  // Frozen, Runtime gives no result, so what is claimed stays leased; the claimant meanwhile, so that one look claims all ten.
  for (const name of ['runtime', CLAIMANT]) supervisor.kill(name, 'SIGSTOP');
  await Promise.all(Array.from({ length: LEASED }, (_, at) => system.source.deliver('hook', contact(`leased-${at}`), `msg_${at}`)));
  supervisor.kill(CLAIMANT, 'SIGCONT');
  const before = await until('all are leased', STEP_MS_MAX, () => claims(system, 1));
  const died = performance.now();
  await system.kill(CLAIMANT);
  const after = await until('all are claimed again', STEP_MS_MAX, () => claims(system, 2));
  const tookMs = Math.round(performance.now() - died);
  supervisor.kill('runtime', 'SIGCONT');
  await quiet(system, STEP_MS_MAX);
  return { before, after, tookMs, findings: (await auditSystem(system)).findings };
}

/** Ten of them, each claimed so many times. */
async function claims({ sql }: SystemUnderTest, attempts: number): Promise<readonly Claim[] | undefined> {
  const rows = await sql(CLAIMS);
  const found = rows.map(({ id, attempts: times, claimant }) => ({ id: String(id), attempts: Number(times), claimant: String(claimant) }));
  return found.length === LEASED && found.every((claim) => claim.attempts === attempts) ? found : undefined;
}
