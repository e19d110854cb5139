import type { Settings } from '@connector/services/local/src/environment';
import { auditSystem } from './audit';
import { quiet } from './quiet';
import { contentOf, type Dump } from './same-rows';
import { contact, hint, wideBody } from './source';
import { SERVICE_NAMES, type SystemUnderTest } from './system';
import { until, when } from './until';

const RECEIVED = /^connector_wakes_total\{[^}]*kind="received"[^}]*\} (\d+)$/gm;

/** Thirty deliveries: contacts, hints, a body that waits for the sweep, one that holds what cannot be read. */
export async function deliverThirty(system: SystemUnderTest): Promise<Dump> {
  const { source } = system;
  const contacts = Array.from({ length: 24 }, (_, at) => source.deliver('hook', contact(`wake-${at}`), `msg_${at}`));
  const hints = Array.from({ length: 4 }, (_, at) => source.deliver('hints', hint(100 + at, 1), `hint_${at}`));
  const others = [source.deliver('hook', wideBody('wake-wide', 220), 'msg_wide'), source.deliver('hook', { nothing: true }, 'msg_strange')];
  await Promise.all([...contacts, ...hints, ...others]);
  await quiet(system);
  await mustBeClean(system);
  return contentOf(system);
}

/** Every process anew, with these settings for that one life. */
export async function startAgain(system: SystemUnderTest, settings: Settings): Promise<void> {
  const before = system.ends.length;
  for (const name of SERVICE_NAMES) system.local.supervisor.restart(name, 'SIGTERM', settings);
  await until('every service has ended', 60_000, () => when(system.ends.length >= before + SERVICE_NAMES.length));
  await system.ready();
  await quiet(system);
}

/** Hints that the services say they were given, since they were started. */
export async function hintsReceived(system: SystemUnderTest): Promise<number> {
  let sum = 0;
  for (const name of SERVICE_NAMES) {
    const text = await (await fetch(`${system.local.url(name)}/metrics`)).text();
    for (const [, count] of text.matchAll(RECEIVED)) sum += Number(count);
  }
  return sum;
}

/** The three ledgers agree; throws with what they do not agree on. */
export async function mustBeClean(system: SystemUnderTest): Promise<void> {
  const { findings } = await auditSystem(system);
  if (findings.length > 0) throw new Error(`the audit found:\n${findings.map((each) => JSON.stringify(each)).join('\n')}`);
}
