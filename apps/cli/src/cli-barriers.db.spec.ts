import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AttemptId } from '@connector/kernel/ids';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import type { CliIo } from '@connector/services/cli/src/io';
import { cutoverCoordinator } from '@connector/services/cutover-coordinator/src/cutover-coordinator.service';
import { operator } from '@connector/services/operator/src/operator.service';
import { tokensFor } from '@connector/testing/calls';
import { journalSchema, mainSchema, type TestSchema } from '@connector/testing/database';
import { demoEpoch, SCOPE } from '@connector/testing/fixtures/demo-epoch';
import { heldAuthors } from '@connector/testing/fixtures/held-authors';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';
import { type Ran, ranIn } from './ran-in.fixture';

let schema: TestSchema;
let journal: TestSchema;
let secrets: TestHome;
let home: string;
let attempt: AttemptId;
const running: RunningService[] = [];

const connector = (line: string, over: Partial<CliIo> = {}): Promise<Ran> => ranIn(home, line, over);

beforeAll(async () => {
  [schema, journal, secrets] = await Promise.all([mainSchema(), journalSchema(), testHome()]);
  home = await mkdtemp(join(tmpdir(), 'connector-home-'));
  await tokensFor(secrets, 'operator', ['cli', 'reader']);
  await tokensFor(secrets, 'cutover-coordinator', ['operator']);
  await tokensFor(secrets, 'catalog', ['cutover-coordinator']);
  await tokensFor(secrets, 'control', ['cutover-coordinator']);
  await tokensFor(secrets, 'runtime', ['catalog']);
  const owner = await bootOn(catalog, schema, secrets);
  const asks = { CONNECTOR_CATALOG_URL: owner.url, CONNECTOR_JOURNAL_NAME: journal.database };
  const coordinator = await bootOn(cutoverCoordinator, schema, secrets, asks);
  const shown = await bootOn(operator, schema, secrets, { CONNECTOR_COORDINATOR_URL: coordinator.url });
  running.push(owner, coordinator, shown);
  const services = { operator: { url: shown.url, pid: 4_000_000, generation: 'gen_x' } };
  const engine = { kind: 'mariadb', version: '10.11', source: 'given' };
  await writeFile(join(home, 'run.json'), JSON.stringify({ services, secrets_dir: secrets.dir, engine }), { mode: 0o600 });
});
beforeEach(async () => {
  await schema.reset();
  attempt = await heldAuthors(schema.db, (await demoEpoch(schema)).epochId);
});
afterAll(async () => {
  for (const service of running.toReversed()) await service.stop();
  await Promise.all([schema.close(), journal.close()]);
  await secrets.remove();
  await rm(home, { recursive: true });
});

const { organization, installation } = SCOPE;
const line = (words: string): string => words.replaceAll(/ +/g, ' +');

describe('connector barriers', () => {
  it('0: what is held, and a release by the command that its plan prints', async () => {
    const list = await connector('barriers list --as reader');
    expect([list.code, list.err]).toEqual([0, '']);
    expect(list.out).toMatch(
      new RegExp(
        line(`^OWNER ORGANIZATION INSTALLATION ATTEMPT_ID BARRIER_FENCE\n`) +
          line(`catalog ${organization} ${installation} ${attempt} 1\npacks ${organization} ${attempt} 1$`),
      ),
    );
    const plan = await connector(`barriers release ${attempt} --plan`);
    expect([plan.code, plan.err]).toEqual([0, '']);
    expect(plan.out.split('\n').slice(2, 11)).toEqual([
      `  Expects  barriers catalog of organization ${organization}, installation ${installation}, at fence 1; packs of organization ${organization}, at fence 1`,
      `  Steps    1 fence the run of ${attempt} off: from here on it can activate nothing any more`,
      `           2 release the barrier of catalog of organization ${organization}, installation ${installation}, at fence 1`,
      `           3 release the barrier of packs of organization ${organization}, at fence 1`,
      `  Then     ${installation} of ${organization} may be authored again: its publications, its bindings, its membership`,
      `           ${organization} may register packs again`,
      '           what was refused meanwhile is sent again by whoever wants it; nothing is sent by itself',
      '           a run of another attempt is fenced off as well: asked for again with its own ids, it goes on',
      '  Back     none: the activation is asked for again, with the same ids, and holds them anew',
    ]);
    const pasted = (/Confirm +connector (.*)$/m.exec(plan.out)?.[1] ?? '').replace('...', 'the node is gone');
    expect(await connector(pasted)).toEqual({
      code: 0,
      out: [
        `${attempt}: the run that held this is fenced off, and can activate nothing any more.`,
        `  Released catalog of ${organization}, ${installation}`,
        `  Released packs of ${organization}`,
        '  Next     connector barriers list',
      ].join('\n'),
      err: '',
    });
    expect((await connector('barriers list')).out).not.toMatch(new RegExp(`${attempt}|more are held`));
    const told = (await connector(`audit list ${organization}`)).out.split('\n').filter((row) => row.includes('the node is gone'));
    expect(told.map((row) => / (release-\S+) /.exec(row)?.[1])).toEqual(['release-pack-barrier', 'release-barrier']);
  });

  it('0: more are held than the list shows, which it says', async () => {
    const others = Array.from({ length: 101 }, (_, at) => [`other-${at}`, AttemptId.bytes(AttemptId.mint())] as const);
    for (const hold of others)
      await schema.sql(
        "INSERT INTO pck_publication_barrier (organization_id, attempt_id, state, barrier_fence, holder_fence) VALUES (?, ?, 'held', 1, 1)",
        [...hold],
      );
    expect((await connector('barriers list')).out).toMatch(/\n\nmore are held: at most 100 of an owner are shown/);
  });

  it('6: it holds something else by now; 5: nothing is held by it; 4: who may only read; 2: no reason', async () => {
    const { digest } = JSON.parse((await connector(`barriers release ${attempt} --plan --json`)).out) as { digest: string };
    const confirm = `barriers release ${attempt} --confirm ${digest}`;
    expect(await connector(confirm)).toMatchObject({ code: 2, err: expect.stringContaining('--reason is required') });
    expect(await connector(`${confirm} --reason x --as reader`)).toMatchObject({ code: 4, err: expect.stringContaining('--as operator') });
    await schema.sql("UPDATE pck_publication_barrier SET state = 'open', attempt_id = NULL");
    expect(await connector(`${confirm} --reason x`)).toMatchObject({
      code: 6,
      err: expect.stringMatching(
        /so nothing was released\. {3}CatalogMoved\n {2}Expected plan sha256:.*\n {2}Found {4}plan sha256:\w+, barriers catalog of .*, at fence 1\n/,
      ),
    });
    expect(await connector(`barriers release ${AttemptId.mint()} --plan`)).toMatchObject({
      code: 5,
      err: expect.stringMatching(/^att_\w+ holds no publication barrier, or none any more\. Nothing was written\. {3}NotFound\n/),
    });
  });
});
