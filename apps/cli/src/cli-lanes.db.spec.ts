import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExecutionId, LaneId } from '@connector/kernel/ids';
import type { RunningService } from '@connector/platform/host/service';
import { operator } from '@connector/services/operator/src/operator.service';
import { tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, SOURCE, type DemoEpoch } from '@connector/testing/fixtures/demo-epoch';
import { arrive, claimLane, laneOf, record, strictRoute } from '@connector/testing/fixtures/ordered';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';
import { type Ran, ranIn } from './ran-in.fixture';

let schema: TestSchema;
let secrets: TestHome;
let service: RunningService;
let home: string;
let epoch: DemoEpoch;
let lane: LaneId;

const connector = (line: string): Promise<Ran> => ranIn(home, line, {});

beforeAll(async () => {
  schema = await mainSchema();
  secrets = await testHome();
  await tokensFor(secrets, 'operator', ['cli']);
  service = await bootOn(operator, schema, secrets);
  home = await mkdtemp(join(tmpdir(), 'connector-home-'));
  const services = { operator: { url: service.url, pid: 4_000_000, generation: 'gen_x' } };
  const engine = { kind: 'mariadb', version: '10.11', source: 'given' };
  await writeFile(join(home, 'run.json'), JSON.stringify({ services, secrets_dir: secrets.dir, engine }), { mode: 0o600 });
});
beforeEach(async () => {
  await schema.reset();
  epoch = await demoEpoch(schema);
  lane = laneOf(epoch.source, 'r1');
});
afterAll(async () => {
  await service.stop();
  await schema.close();
  await rm(home, { recursive: true });
  await secrets.remove();
});

/** The first position, applied with this outcome, and what arrives behind it. */
async function applied(outcome: string, behind: readonly number[]): Promise<readonly ExecutionId[]> {
  const [first] = await arrive(schema.db, epoch.source, strictRoute(), [{ record: 'r1', at: 1 }]);
  await claimLane(schema.db, epoch.source, lane);
  await record(schema, epoch.source, first as ExecutionId, outcome);
  const changes = behind.map((at) => ({ record: 'r1', at }));
  const arrived = changes.length === 0 ? [] : await arrive(schema.db, epoch.source, strictRoute(), changes);
  await claimLane(schema.db, epoch.source, lane);
  return arrived;
}

describe('connector lanes', () => {
  it('0: list shows how far each one is and what it does, by state; nothing listed is said in words', async () => {
    await applied('applied', [3]);
    const { code, out } = await connector(`lanes list --account ${SOURCE} --state waiting`);
    expect([code, out]).toEqual([0, expect.stringMatching(/^LANE_ID +ACCOUNT +PARTITION +STATE +HIGH_WATER/)]);
    expect(out).toMatch(new RegExp(`${lane} +${SOURCE} +r1 +waiting +1 `));
    expect((await connector('lanes list --state held')).out).toBe('no lanes');
  });

  it('0: get shows the lane, what waits in it in its order, and what it misses until when; the document with --json', async () => {
    const [third, fourth] = await applied('applied', [3, 4]);
    const { code, out } = await connector(`lanes get lan_${lane.slice(-6)}`);
    expect([code, out]).toEqual([0, expect.stringMatching(/high_water +1\n/)]);
    expect(out).toMatch(new RegExp(`\nWaits\nPOSITION .*\n3 +${third} +waiting_dependency +0 .*\n4 +${fourth} +ready`));
    expect(out).toMatch(new RegExp(`\nGaps\nMISSING .*\n2 +waiting +${third} +\\d{4}-`));
    const document = JSON.parse((await connector(`lanes get ${lane} --json`)).out) as unknown;
    expect(document).toMatchObject({ lane_id: lane, members: [{ position: '3' }, { position: '4' }], gaps: [{ missing: '2' }] });
  });

  it('0: get of a lane in which nothing waits says so', async () => {
    await applied('applied', []);
    expect((await connector(`lanes get ${lane}`)).out).toMatch(/state +resting[^]*\nWaits {2}none\n\nGaps {2}none$/);
  });

  it('8: explain of a lane that waits for a missing position names it, how far it is and what happens when', async () => {
    await applied('applied', [3]);
    const { code, out } = await connector(`explain ${lane}`);
    expect(code).toBe(8);
    expect(out).toContain('Position 3 of r1 is there; completed is 1, and position 2 has not been seen.');
    expect(out).toMatch(/Then {6}at \d\d:\d\d:\d\d\.\d+ UTC: quarantine_gap/);
  });

  it('9: explain of a held lane says what holds it and that waiting does not help', async () => {
    await applied('failed', []);
    const { code, out } = await connector(`explain ${lane}`);
    expect([code, out]).toEqual([9, expect.stringContaining('position 1 was failed. Behind it waits nothing yet.')]);
    expect(out).toContain('waiting: the frozen contract holds the lane');
  });

  it('2 and 5: no lineage of a lane and what to ask instead, no such state, no such lane', async () => {
    await applied('applied', []);
    const tree = await connector(`lineage ${lane}`);
    expect([tree.code, tree.err]).toEqual([2, expect.stringContaining(`connector explain ${lane}`)]);
    expect((await connector(`lanes get ${LaneId.mint()}`)).code).toBe(5);
    expect(await connector('lanes list --state stuck')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Allowed choices are held'),
    });
  });

  it('0: help says what a lane is, what its states mean and what to ask next', async () => {
    const { code, out } = await connector('lanes --help');
    expect(code).toBe(0);
    for (const text of ['One change of it is at work at a time', 'held      a change failed', 'connector explain lan_'])
      expect(out).toContain(text);
  });
});
