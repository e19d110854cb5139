import { Random } from '@connector/testing/system/random';
import { exploreGroup, hunt, sampleGroup } from './explore';
import { Explorer } from './explorer';
import { watchOf, type Group } from './group';
import { groupOf } from './groups';
import { admit } from './groups-inbound';
import type { Mutant } from './mutant';

let explorer: Explorer;
beforeAll(async () => {
  explorer = await Explorer.open();
}, 60_000);
afterAll(() => explorer.close());

const APART: Group = {
  name: 'admit | admit, two accounts',
  meets: 'con_serving_gate',
  arrange: async (site) => {
    const [one, two] = await site.two();
    return { parts: [admit(one, 'msg', 'one'), admit(two, 'msg', 'two')], watch: watchOf(one, two) };
  },
};
const mutant = (find: string, put: string): Mutant => ({
  path: 'open-credential-gate',
  kind: 'lock omitted',
  group: 'open credential gate | open credential gate',
  changes: [{ door: 'open-credential-gate', statement: 'insert con_credential_gate', find, put }],
});
const hunted = (one: Mutant) => hunt(explorer, one, groupOf(one.group), new Random(1), 6);

describe('the explorer itself', () => {
  it('void: doors that never wait for the row that they are said to share prove nothing', async () => {
    const report = await sampleGroup(explorer, APART, new Random(1), 2);
    expect([report.void, report.blocked, report.findings]).toEqual([true, 0, []]);
  }, 60_000);

  it('void: doors that wait for nobody, and whose order changes no outcome, prove nothing either', async () => {
    const report = await sampleGroup(explorer, { name: APART.name, arrange: APART.arrange }, new Random(1), 2);
    expect([report.void, report.outcomes, report.findings]).toEqual([true, 1, []]);
  }, 60_000);

  it('void: a change that finds nothing to change', async () => {
    expect((await hunted(mutant('NOT THERE', ''))).voids).toEqual(['open-credential-gate/insert con_credential_gate']);
  }, 60_000);

  it('not found: a change that changes nothing', async () => {
    const { found, voids, after } = await hunted(mutant('VALUES', ' VALUES'));
    expect([found, voids, after]).toEqual([[], [], 6]);
  }, 60_000);

  it('every schedule: two doors that meet at their first statement come in as many orders as the second can come at', async () => {
    const say = (): void => undefined;
    const report = await exploreGroup(explorer, groupOf('claim | claim'), new Random(1), { whole: 50, sample: 0, say });
    // Six statements each: the second comes at one of five while the first holds the gate, or after its COMMIT.
    expect([report.covered, report.schedules, report.blocked]).toEqual(['every schedule', 12, 10]);
    expect([report.findings, report.void]).toEqual([[], false]);
  }, 60_000);

  it.each([
    ['membership | verify', ['rejected', 'verified']],
    ['membership | verify, away and back', ['rejected', 'verified']],
    ['membership | prepare', ['prepared']],
  ])(
    'verified: cat:INT-07 cat:INT-20 cat:INT-13 what is frozen and verified is of one look, wherever the membership moves beside it: %s',
    async (name, kinds) => {
      const report = await sampleGroup(explorer, groupOf(name), new Random(1), 12);
      // It waits for nobody: that its orders differ in what they come to is what it shows.
      expect([report.void, report.blocked, report.findings]).toEqual([false, 0, []]);
      expect(Object.keys(report.answers).filter((kind) => kind !== 'set')).toEqual(expect.arrayContaining(kinds));
      expect(Object.keys(report.orders).sort()).toEqual(['0,1', '1,0']);
    },
    120_000,
  );

  it.each(['record | claim again', 'record | claim again, same lane'])(
    'completed: con:SM-ALL-04 recovery and completion of one execution in every order of their statements (PUB-EXE-07): %s',
    async (name) => {
      const say = (): void => undefined;
      const report = await exploreGroup(explorer, groupOf(name), new Random(1), { whole: 100, sample: 0, say });
      expect([report.covered, report.findings, report.void]).toEqual(['every schedule', [], false]);
      // Whoever comes first, the result is recorded: that its row is completed then, and stays so, is I3 and I11.
      expect(report.answers['recorded']).toBe(report.schedules);
      expect(Object.keys(report.orders).sort()).toEqual(['0,1', '1,0']);
    },
    60_000,
  );
});
