import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { advanceOf, grantsOf, otherInputsOf } from '@connector/testing/fixtures/security';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import { readSecurityHead } from '../reads/security-head';
import { advanceAppGrants } from './advance-app-grants.tx';
import { setOtherInputs } from './set-other-inputs.tx';

let schema: TestSchema;
beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

type Door = { readonly name: string; readonly open: (db: Db) => Promise<{ readonly kind: string }> };
const grants = (organization: string, installation: string, prior: bigint): Door => {
  const command = advanceOf(organization, grantsOf(organization, { [installation]: [] }), prior);
  return { name: 'advance-app-grants', open: (db) => retrying(ANSWER_SOON, () => advanceAppGrants(db, command)) };
};
const inputs = (organization: string): Door => {
  const operation = otherInputsOf(organization);
  return { name: 'set-other-inputs', open: (db) => retrying(ANSWER_SOON, () => setOtherInputs(db, operation)) };
};

/** `first` stands before its COMMIT with its locks until `second` waits: both answers. */
async function inOrder(first: Door, second: Door, waitsAt: string): Promise<readonly { readonly kind: string }[]> {
  const signals = new Signals();
  const stop = signals.stopAt(`${first.name}/commit`);
  const one = first.open(schema.another(signals.hook));
  await stop.reached;
  const two = second.open(schema.another());
  await somebodyWaitsAt(schema, waitsAt);
  stop.release();
  return Promise.all([one, two]);
}

const LOCK = 'lock sec_head';
const epoch = async (organization: string): Promise<bigint> => (await readSecurityHead(schema.db, organization))?.securityEpoch ?? 0n;

describe('advance-app-grants: races', () => {
  it('stale-epoch: cat:SEC-05 of two commands on one epoch, in both orders, the second waits and is told the epoch of the first', async () => {
    await grants('org-1', 'inst-0', 0n).open(schema.db);
    for (const [prior, order] of [
      [1n, ['inst-1', 'inst-2']],
      [2n, ['inst-2', 'inst-1']],
    ] as const) {
      const [first, second] = order.map((installation) => grants('org-1', installation, prior)) as [Door, Door];
      expect(await inOrder(first, second, LOCK)).toEqual([
        expect.objectContaining({ kind: 'bound', securityEpoch: prior + 1n }),
        { kind: 'stale-epoch', currentEpoch: prior + 1n },
      ]);
    }
  });

  it('stale-epoch: cat:SEC-05 of two that come first for an organization the second waits for the head that the first makes', async () => {
    const answers = await inOrder(grants('org-1', 'inst-1', 0n), grants('org-1', 'inst-2', 0n), LOCK);
    expect(answers).toEqual([expect.objectContaining({ kind: 'bound', securityEpoch: 1n }), { kind: 'stale-epoch', currentEpoch: 1n }]);
  });

  it('stale-epoch: cat:SEC-05 who found no head before the first made it waits on its key, and holds what the first left', async () => {
    const [one, two] = [new Signals(), new Signals()];
    const absent = two.stopAt('advance-app-grants/insert sec_head');
    const second = grants('org-1', 'inst-2', 0n).open(schema.another(two.hook));
    await absent.reached;
    const stop = one.stopAt('advance-app-grants/commit');
    const first = grants('org-1', 'inst-1', 0n).open(schema.another(one.hook));
    await stop.reached;
    absent.release();
    await somebodyWaitsAt(schema, 'insert sec_head');
    stop.release();
    expect(await first).toMatchObject({ kind: 'bound', securityEpoch: 1n });
    expect(await second).toEqual({ kind: 'stale-epoch', currentEpoch: 1n });
  });

  it('stale-epoch: cat:SEC-09 another input of security that commits first refuses the command', async () => {
    await grants('org-1', 'inst-0', 0n).open(schema.db);
    expect(await inOrder(inputs('org-1'), grants('org-1', 'inst-1', 1n), LOCK)).toEqual([
      expect.objectContaining({ kind: 'bound', securityEpoch: 2n }),
      { kind: 'stale-epoch', currentEpoch: 2n },
    ]);
  });

  it('bound: another input of security that comes second carries over what the command bound', async () => {
    await grants('org-1', 'inst-0', 0n).open(schema.db);
    const answers = await inOrder(grants('org-1', 'inst-1', 1n), inputs('org-1'), LOCK);
    expect(answers).toEqual([
      expect.objectContaining({ kind: 'bound', securityEpoch: 2n }),
      expect.objectContaining({ kind: 'bound', securityEpoch: 3n }),
    ]);
    const [row] = await schema.sql('SELECT projection FROM sec_projection WHERE security_epoch = 3');
    expect(String(row?.['projection'])).toContain('inst-1');
  });

  it('bound: cat:SEC-05 another organization goes on while one is held', async () => {
    const signals = new Signals();
    const stop = signals.stopAt('advance-app-grants/commit');
    const held = grants('org-1', 'inst-1', 0n).open(schema.another(signals.hook));
    await stop.reached;
    expect(await grants('org-2', 'inst-1', 0n).open(schema.impatient())).toMatchObject({ kind: 'bound', securityEpoch: 1n });
    expect([await epoch('org-1'), await epoch('org-2')]).toEqual([0n, 1n]);
    stop.release();
    expect(await held).toMatchObject({ kind: 'bound', securityEpoch: 1n });
  });

  it('payload-conflict: cat:SEC-08 one id in two organizations at once: whoever waits for it learns that it is taken', async () => {
    const one = advanceOf('org-1', grantsOf('org-1', {}));
    const two = { ...advanceOf('org-2', grantsOf('org-2', {})), commandId: one.commandId };
    const door = (command: typeof one): Door => ({ name: 'advance-app-grants', open: (db) => advanceAppGrants(db, command) });
    expect(await inOrder(door(one), door(two), 'insert sec_command')).toEqual([
      expect.objectContaining({ kind: 'bound' }),
      { kind: 'payload-conflict' },
    ]);
    expect([await epoch('org-1'), await epoch('org-2')]).toEqual([1n, 0n]);
  });

  it('bound: of eight runs of one command at once, the first of its organization, all have one binding', async () => {
    const command = advanceOf('org-1', grantsOf('org-1', {}));
    const runs = Array.from({ length: 8 }, () => retrying(ANSWER_SOON, () => advanceAppGrants(schema.db, command)));
    const [first, ...others] = await Promise.all(runs);
    expect(first).toMatchObject({ kind: 'bound', securityEpoch: 1n });
    expect(others).toEqual(others.map(() => first));
  });

  it('mixed: cat:SEC-06 who reads while epochs move never sees a head without the projection that it names', async () => {
    let prior = 0n;
    const seen: bigint[] = [];
    const write = async (): Promise<void> => {
      for (; prior < 12n; prior += 1n) await grants('org-1', `inst-${prior}`, prior).open(schema.db);
    };
    const read = async (): Promise<void> => {
      while (prior < 12n) {
        const head = await readSecurityHead(schema.db, 'org-1');
        if (head === undefined || head.securityEpoch === 0n) continue;
        const [row] = await schema.sql('SELECT projection_digest FROM sec_projection WHERE security_epoch = ?', [`${head.securityEpoch}`]);
        expect(`sha256:${(row?.['projection_digest'] as Buffer).toString('hex')}`).toBe(head.projectionDigest);
        seen.push(head.securityEpoch);
      }
    };
    await Promise.all([write(), read()]);
    expect(seen).toEqual([...seen].sort((left, right) => Number(left - right)));
  });
});
