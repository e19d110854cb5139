import { auditSystem } from '../audit';
import { quiet } from '../quiet';
import type { SystemUnderTest } from '../system';
import { until, when } from '../until';
import { Lane, type Met } from './lane';
import { leadTo } from './lead';
import type { CrashPoint } from './points';
import type { Script } from './script';

const MEET_MS_MAX = 5_000;
/** How often what leads to a point is done before it is given up. */
export const TRIES = 10;
const QUIET_MS_MAX = 90_000;

export interface RoundResult {
  readonly met: readonly Met[];
  /** What the audit of the three ledgers found, and answers that should not have been. */
  readonly findings: readonly string[];
  /** Organizations that were compared with the undisturbed one. */
  readonly compared: number;
}

/** Several services, each killed at its points while what leads there is done; then everything comes to rest and is audited. */
export async function runRound(system: SystemUnderTest, script: Script, lanes: readonly (readonly CrashPoint[])[]): Promise<RoundResult> {
  const running = lanes.map((points) => new Lane(system, points));
  const unwatch = running.map((lane) => system.onEnd(lane.sawEnd));
  const findings: string[] = [];
  try {
    await Promise.all(running.map((lane) => runLane(system, script, lane, findings)));
  } finally {
    for (const stop of unwatch) stop();
    system.commits?.forget();
  }
  await comeToRest(system, lanes);
  const audit = await auditSystem(system);
  const { compared, findings: differing } = await script.apps.differing();
  return { met: running.flatMap(({ met }) => met), findings: [...findings, ...audit.findings, ...differing], compared };
}

/** A system that does not come to rest says after which deaths; nothing could be said of a further round. */
async function comeToRest(system: SystemUnderTest, lanes: readonly (readonly CrashPoint[])[]): Promise<void> {
  try {
    await system.ready();
    await quiet(system, QUIET_MS_MAX);
  } catch (thrown) {
    const names = lanes.flat().map(({ name }) => name);
    throw new Error(`after ${names.join(', ')}: ${sentenceOf(thrown)}`, { cause: thrown });
  }
}

async function runLane(system: SystemUnderTest, script: Script, lane: Lane, findings: string[]): Promise<void> {
  await lane.begin();
  for (let point = lane.armed; point !== undefined; point = lane.armed) {
    await meet(script, lane, point, findings);
    await lane.giveUp(point);
  }
  await system.ready([lane.service]);
}

/** Does what leads to the point until it was met, or a number of times. */
async function meet(script: Script, lane: Lane, point: CrashPoint, findings: string[]): Promise<void> {
  await lane.isUp(point);
  for (let tries = TRIES; tries > 0 && lane.armed === point; tries -= 1) {
    await leadTo(script, point).catch((thrown: unknown) => void findings.push(`${point.name}: ${sentenceOf(thrown)}`));
    await until(point.name, MEET_MS_MAX, () => when(lane.armed !== point)).catch(() => undefined);
  }
}

const sentenceOf = (thrown: unknown): string =>
  thrown instanceof Error ? `${thrown.message}${thrown.cause === undefined ? '' : ` (${String(thrown.cause)})`}` : String(thrown);
