import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { APP, askedFor, platform, publicationWorld, SERVICE_RELEASE } from '@connector/testing/fixtures/publication';
import { countOf } from '@connector/testing/fixtures/serving';
import { type Authority, authorityOn } from '@connector/testing/fixtures/authority';
import { type Ran, ranIn } from './ran-in.fixture';

const OFFERED = platform();
const NO_DIGEST = `sha256:${'0'.repeat(64)}`;
const WRITTEN = ['cat_audit', 'cat_request', 'cat_publication_step', 'cat_binding', 'cat_ownership_event'];

let schema: TestSchema;
let authority: Authority;
let home: string;
let at: string;

const connector = (line: string): Promise<Ran> => ranIn(home, line, {});
const json = async (line: string): Promise<Record<string, unknown>> =>
  JSON.parse((await connector(`${line} --json`)).out) as Record<string, unknown>;
const written = (): Promise<readonly number[]> => Promise.all(WRITTEN.map((table) => countOf(schema, table)));

beforeAll(async () => {
  schema = await mainSchema();
  authority = await authorityOn(schema, OFFERED);
  home = await authority.freshHome();
});
beforeEach(async () => {
  await schema.reset();
  const world = await publicationWorld(schema, { offered: OFFERED });
  const { installation } = await world.opened('org-1', askedFor(await world.release()));
  at = `${installation} --organization org-1`;
  expect((await connector(`installs resume ${at}`)).code).toBe(0);
});
afterAll(async () => {
  await rm(home, { recursive: true });
  await authority.close();
  await schema.close();
});

describe('connector refusals of the App authority', () => {
  it('2: a counter that is no number is named as such; nobody finds an own mistake in a log, and nothing is written', async () => {
    const file = join(home, 'request.json');
    await writeFile(file, JSON.stringify({ app_id: APP }));
    const before = await written();
    const seen = '--expected-state ACTIVE --expected-activation-epoch 1 --expected-revision 1';
    for (const [line, member] of [
      [`installs install ${file} --organization org-1 --expected-revision x --expected-security-epoch 1`, 'expected_catalog_revision'],
      [`installs remove ${at} ${seen} --expected-security-epoch -1`, 'expected_security_epoch'],
      [`apps recover ${APP} --to dev.south --from dev.north --expected-epoch x --reason lost`, 'expected_ownership_epoch'],
      [`bindings activate ${at.replace(' ', ' nobody ')} --expected-ownership-epoch 1.5`, 'expected_ownership_epoch'],
    ] as const) {
      const { code, err } = await connector(`${line} --confirm ${NO_DIGEST}`);
      expect([code, err]).toEqual([2, expect.stringContaining(`Field    /${member}: ${member} is a number in decimal`)]);
    }
    expect(await written()).toEqual(before);
  });

  it('2: a confirmation without what its plan says, and one of what is no digest, are told what is missing before anything is asked', async () => {
    for (const [line, text] of [
      [`bindings activate ${at.replace(' ', ' nobody ')} --confirm ${NO_DIGEST}`, '--confirm needs --expected-ownership-epoch'],
      [`apps recover ${APP} --to dev.south --reason lost --confirm ${NO_DIGEST}`, '--confirm needs --from, --expected-epoch'],
      [`installs remove ${at} --confirm sha256:00 --expected-state x`, '--confirm needs'],
      [`bindings fail ${at.replace(' ', ' nobody ')} --confirm sha256:00`, '--confirm is a digest as --plan prints it'],
    ] as const) {
      expect(await connector(line)).toMatchObject({ code: 2, err: expect.stringContaining(text) });
    }
  });

  it('5: the journal and the bindings of an installation that there is not are not empty, they are not there', async () => {
    for (const verb of ['installs journal', 'bindings list', 'installs get']) {
      const { code, err } = await connector(`${verb} nobody --organization org-1`);
      expect([code, err]).toEqual([5, expect.stringContaining('Do       connector installs list --organization org-1')]);
    }
    expect(await connector(`installs journal ${at} --from-attempt 99`)).toMatchObject({ code: 0, out: 'no attempts' });
    expect(await connector(`bindings stage nobody --organization org-1 --capability frontend --artifact ${SERVICE_RELEASE}`)).toMatchObject(
      { code: 5, err: expect.stringContaining('org-1 has no installation nobody') },
    );
    expect(await connector('membership show nobody --organization org-1 --workload dev.north.runner')).toMatchObject({
      ...{ code: 5, err: expect.stringContaining('Do       connector installs list --organization org-1') },
    });
  });

  it('2: a frontend is run by no workload, and a service release by one; neither is staged otherwise', async () => {
    const before = await written();
    const stage = `bindings stage ${at} --artifact ${SERVICE_RELEASE} --capability`;
    expect(await connector(`${stage} frontend --workload dev.north.runner`)).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('/workload_id: a frontend has no workload') },
    });
    expect(await connector(`${stage} ${APP}.work.v1`)).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('/workload_id: a service release is run by a workload') },
    });
    expect(await written()).toEqual(before);
  });

  it('3: a recovery to nobody, or to the owner, is refused when it is planned', async () => {
    const owner = String((await json(`apps get ${APP}`))['publisher_id']);
    expect(await connector(`apps recover ${APP} --to dev.nobody --plan`)).toMatchObject({
      ...{ code: 3, err: expect.stringMatching(/No publisher of this id is registered[^]*Do +connector publishers list/) },
    });
    expect(await connector(`apps recover ${APP} --to ${owner} --plan`)).toMatchObject({
      ...{ code: 3, err: expect.stringMatching(/is of this publisher already[^]*code SAME_PUBLISHER[^]*Do +connector apps get/) },
    });
  });

  it('3: what was removed is resumed as little as it is removed again', async () => {
    const { confirm } = await json(`installs remove ${at} --plan`);
    expect((await connector(String(confirm).replace('connector ', ''))).out).toContain('it is REMOVED');
    for (const line of [`installs resume ${at}`, `installs remove ${at} --plan`]) {
      expect(await connector(line)).toMatchObject({ code: 3, err: expect.stringContaining('is REMOVED; from there it goes nowhere') });
    }
  });

  it('6: a digest of no plan says how the plan is made', async () => {
    const seen = '--expected-state ACTIVE --expected-activation-epoch 1 --expected-revision 1 --expected-security-epoch 1';
    expect(await connector(`installs remove ${at} ${seen} --confirm ${NO_DIGEST}`)).toMatchObject({
      ...{ code: 6, err: expect.stringContaining(`Do       connector installs remove ${at} --plan`) },
    });
  });
});

describe('connector lists of the App authority', () => {
  it('0: the audit is shown in pages, each record once, latest first, and says how it goes on', async () => {
    const [{ binding_id: binding = '' } = {}] = (await json(`bindings list ${at}`))['rows'] as { binding_id?: string }[];
    const name = at.split(' ')[0] ?? '';
    for (const reference of ['route-1', 'route-2', 'route-3']) {
      const line = `bindings open-reference ${name} ${binding} ${reference} --kind route --organization org-1`;
      expect((await connector(line)).code).toBe(0);
    }
    const references: string[] = [];
    let line: string | undefined = `audit list ${name} --limit 1`;
    while (line !== undefined) {
      const { out } = await connector(line);
      references.push(...[...out.matchAll(/route-\d/g)].map(([text]) => text));
      line = /^more: connector (.*)$/m.exec(out)?.[1];
    }
    expect(references).toEqual(['route-3', 'route-2', 'route-1']);
    expect(await connector(`audit list ${name} --after nonsense`)).toMatchObject({ code: 2 });
    expect(await connector(`audit list dev.other --after aud_${'0'.repeat(26)}`)).toMatchObject({ code: 5 });
  });

  it('0: the journal is shown in whole attempts, and says from which one it goes on', async () => {
    const copied = `INSERT INTO cat_publication_step (organization_id, app_installation_id, attempt, step, entry, document)
                    SELECT organization_id, app_installation_id, ?, step, entry, document FROM cat_publication_step WHERE attempt = 1`;
    for (let attempt = 2; attempt <= 60; attempt += 1) await schema.sql(copied, [attempt]);
    const { out } = await connector(`installs journal ${at}`);
    expect(out.match(/^Attempt \d+$/gm)).toHaveLength(50);
    const more = /^more: connector (.* --from-attempt 51)$/m.exec(out)?.[1] ?? '';
    const rest = await connector(more);
    expect(rest.out.match(/^Attempt \d+$/gm)).toEqual(Array.from({ length: 10 }, (_, one) => `Attempt ${51 + one}`));
    expect(rest.out).not.toContain('more:');
  });
});
