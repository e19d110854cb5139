import { LateRelay } from '@connector/testing/system/late-relay';
import { quiet } from '@connector/testing/system/quiet';
import { Random, seedOf } from '@connector/testing/system/random';
import { contentOf, differences, type Dump, withoutDeliveries } from '@connector/testing/system/same-rows';
import { openSystem, type SystemUnderTest } from '@connector/testing/system/system';
import { until, when } from '@connector/testing/system/until';
import { deliverThirty, hintsReceived, startAgain } from '@connector/testing/system/wake-run';
import { quickWorld } from '@connector/testing/system/world';

const seed = seedOf();
const relay = new LateRelay(new Random(seed));

let system: SystemUnderTest;
beforeAll(async () => {
  process.stderr.write(`wakes: seed ${seed}\n`);
  // A lease that ends in the middle would be another attempt, and that is another row.
  system = await openSystem({ relay, world: quickWorld({ lease_ms: 60_000 }) });
}, 120_000);
afterAll(() => system?.close(), 60_000);

describe('wakes', () => {
  let local: Dump;
  it('local: hints arrive, and everything comes to its end', async () => {
    local = await deliverThirty(system);
    expect(await hintsReceived(system)).toBeGreaterThan(0);
    expect(local['con_receipt']).toHaveLength(30);
    expect(local['con_remote_effect']).toHaveLength(26);
  }, 120_000);

  it('silent: without one hint the same rows, and no execution waits for thirty seconds (decisions 2, PUB-WAK-02)', async () => {
    await withoutDeliveries(system);
    await startAgain(system, { WAKE: 'silent' });
    const began = performance.now();
    const silent = await deliverThirty(system);
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(await hintsReceived(system)).toBe(0);
    expect(differences(local, silent)).toEqual([]);
  }, 120_000);

  it('late, three times, in reverse: hints out of order, and all again when all is done, make the same rows (decisions 2, PUB-WAK-04)', async () => {
    await withoutDeliveries(system);
    await startAgain(system, {});
    relay.late = true;
    const late = await deliverThirty(system);
    expect(relay.twisted).toBeGreaterThan(0);
    expect(differences(local, late)).toEqual([]);
    const before = await hintsReceived(system);
    relay.againInReverse();
    await until('old hints are heard', 20_000, async () => when((await hintsReceived(system)) > before));
    await quiet(system);
    expect(differences(local, await contentOf(system))).toEqual([]);
  }, 120_000);

  it('differences: a row that is missing, and one with another content, is found', () => {
    const [row = ''] = local['con_execution'] ?? [];
    expect(differences(local, { ...local, con_execution: (local['con_execution'] ?? []).slice(1) })).toHaveLength(1);
    expect(
      differences(local, { ...local, con_execution: [row.replace('"state"', '"other"'), ...(local['con_execution'] ?? []).slice(1)] }),
    ).toHaveLength(1);
  });
});
