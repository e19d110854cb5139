import type { Settings } from '@connector/services/local/src/environment';
import { LateRelay } from '@connector/testing/system/late-relay';
import { auditSystem } from '@connector/testing/system/audit';
import { quiet } from '@connector/testing/system/quiet';
import { Random, seedOf } from '@connector/testing/system/random';
import { contentOf, differences, type Dump, withoutDeliveries } from '@connector/testing/system/same-rows';
import { contact, hint, wideBody } from '@connector/testing/system/source';
import { openSystem, SERVICE_NAMES, type SystemUnderTest } from '@connector/testing/system/system';
import { until, when } from '@connector/testing/system/until';
import { quickWorld } from '@connector/testing/system/world';

const seed = seedOf();
const relay = new LateRelay(new Random(seed));
const WORD = { received: /^connector_wakes_total\{[^}]*kind="received"[^}]*\} (\d+)$/gm };

let system: SystemUnderTest;
beforeAll(async () => {
  process.stderr.write(`wakes: seed ${seed}\n`);
  // A lease that ends in the middle would be another attempt, and that is another row.
  system = await openSystem({ relay, world: quickWorld({ lease_ms: 60_000 }) });
}, 120_000);
afterAll(() => system?.close(), 60_000);

/** Thirty deliveries: contacts, hints, a body that waits for the sweep, one that holds what cannot be read. */
async function deliverAll(): Promise<Dump> {
  const { source } = system;
  const contacts = Array.from({ length: 24 }, (_, at) => source.deliver('hook', contact(`wake-${at}`), `msg_${at}`));
  const hints = Array.from({ length: 4 }, (_, at) => source.deliver('hints', hint(100 + at, 1), `hint_${at}`));
  const others = [source.deliver('hook', wideBody('wake-wide', 220), 'msg_wide'), source.deliver('hook', { nothing: true }, 'msg_strange')];
  await Promise.all([...contacts, ...hints, ...others]);
  await quiet(system);
  expect((await auditSystem(system)).findings).toEqual([]);
  return contentOf(system);
}

/** Every process anew, with these settings for that one life. */
async function startAgain(settings: Settings): Promise<void> {
  const before = system.ends.length;
  for (const name of SERVICE_NAMES) system.local.supervisor.restart(name, 'SIGTERM', settings);
  await until('every service has ended', 60_000, () => when(system.ends.length >= before + SERVICE_NAMES.length));
  await system.ready();
  await quiet(system);
}

/** Hints that the services say they were given, since they were started. */
async function hintsReceived(): Promise<number> {
  let sum = 0;
  for (const name of SERVICE_NAMES) {
    const text = await (await fetch(`${system.local.url(name)}/metrics`)).text();
    for (const [, count] of text.matchAll(WORD.received)) sum += Number(count);
  }
  return sum;
}

describe('wakes', () => {
  let local: Dump;
  it('local: hints arrive, and everything comes to its end', async () => {
    local = await deliverAll();
    expect(await hintsReceived()).toBeGreaterThan(0);
    expect(local['con_receipt']).toHaveLength(30);
    expect(local['con_remote_effect']).toHaveLength(26);
  }, 120_000);

  it('silent: without one hint the same rows (decisions 2)', async () => {
    await withoutDeliveries(system);
    await startAgain({ WAKE: 'silent' });
    const silent = await deliverAll();
    expect(await hintsReceived()).toBe(0);
    expect(differences(local, silent)).toEqual([]);
  }, 120_000);

  it('late and doubled: with every hint twice, late and out of order the same rows (decisions 2)', async () => {
    await withoutDeliveries(system);
    await startAgain({});
    relay.late = true;
    const late = await deliverAll();
    expect(relay.twisted).toBeGreaterThan(0);
    expect(differences(local, late)).toEqual([]);
  }, 120_000);

  it('differences: a row that is missing, and one with another content, is found', () => {
    const [row = ''] = local['con_execution'] ?? [];
    expect(differences(local, { ...local, con_execution: (local['con_execution'] ?? []).slice(1) })).toHaveLength(1);
    expect(
      differences(local, { ...local, con_execution: [row.replace('"state"', '"other"'), ...(local['con_execution'] ?? []).slice(1)] }),
    ).toHaveLength(1);
  });
});
