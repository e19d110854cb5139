import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppRelease } from '@connector/catalog/model/release';
import { setOtherInputs } from '@connector/security/transitions/set-other-inputs.tx';
import type { CliIo } from '@connector/services/cli/src/io';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { Life } from '@connector/testing/fixtures/life';
import {
  APP,
  askedFor,
  platform,
  type PublicationWorld,
  publicationWorld,
  SERVICE_RELEASE,
  WORKLOAD,
} from '@connector/testing/fixtures/publication';
import { otherInputsOf } from '@connector/testing/fixtures/security';
import { countOf } from '@connector/testing/fixtures/serving';
import { type Authority, authorityOn } from '@connector/testing/fixtures/authority';
import { type Ran, ranIn } from './ran-in.fixture';

const OFFERED = platform();

let schema: TestSchema;
let authority: Authority;
let home: string;
let releases: readonly AppRelease[];
let world: PublicationWorld;
let installation: string;

const connector = (line: string, over: Partial<CliIo> = {}): Promise<Ran> => ranIn(home, line, over);
const json = async (line: string): Promise<Record<string, unknown>> =>
  JSON.parse((await connector(`${line} --json`)).out) as Record<string, unknown>;

beforeAll(async () => {
  schema = await mainSchema();
  authority = await authorityOn(schema, OFFERED);
  home = await authority.freshHome();
});
beforeEach(async () => {
  await schema.reset();
  world = await publicationWorld(schema, { offered: OFFERED });
  releases = [await world.release(undefined, APP, '1.1.0'), await world.release(undefined, APP, '2.1.0')];
  const opened = await world.opened('org-1', askedFor(releases[0] as AppRelease));
  ({ installation } = opened);
  expect((await connector(`installs resume ${installation} --organization org-1`)).code).toBe(0);
});
afterAll(async () => {
  await rm(home, { recursive: true });
  await authority.close();
  await schema.close();
});

async function fileOf(at: number, over: object = {}): Promise<string> {
  const file = join(home, `request-${at}.json`);
  const handler_bindings = [{ capability_id: `${APP}.work.v1`, workload_id: WORKLOAD, service_release_digest: SERVICE_RELEASE }];
  const grants = [{ workload_id: WORKLOAD, capabilities: ['runtime.records.write.v1'] }];
  const chosen = { app_id: APP, app_release_digest: releases[at]?.releaseDigest, dependencies: [], grants, handler_bindings };
  await writeFile(file, JSON.stringify({ ...chosen, ...over }, null, 2));
  return file;
}
const planned = async (verb: string, more = ''): Promise<string> => {
  const { code, out, err } = await connector(`installs ${verb} ${installation} ${more} --organization org-1 --plan`);
  expect([code, err]).toEqual([0, '']);
  return out;
};
/** The command that a plan prints, as somebody pastes it. */
const pasted = (out: string, file = ''): string => (/Confirm +connector (installs .*)$/m.exec(out)?.[1] ?? '').replace('<file>', file);

describe('connector installs', () => {
  it('0: an upgrade and the way back, each by the command that its plan prints', async () => {
    const file = await fileOf(1);
    const plan = await planned('upgrade', file);
    for (const text of [
      'Expects  organization org-1, request_digest sha256:',
      'state ACTIVE, activation_epoch 1, catalog_revision 1, security_epoch 1',
      '3 Runtime security takes the grants: epoch 1 -> 2',
      '4 publish: UPGRADING -> ACTIVE, activation epoch 1 -> 2, revision 1 -> 2',
      `handlers ${APP}.work.v1 by ${APP}.handler.work.v1`,
    ])
      expect(plan).toContain(text);
    expect(await connector(pasted(plan, file))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Attempt 2 of .* activation epoch 2/),
    });
    const back = await planned('rollback', `--to ${releases[0]?.releaseDigest ?? ''}`);
    expect(await connector(pasted(back))).toMatchObject({ code: 0, out: expect.stringMatching(/^Attempt 3 of .* activation epoch 3/) });
    const { out } = await connector(`installs get ${installation} --organization org-1`);
    expect(out).toMatch(/activation_epoch +3[^]*\nAdmission {2}Runtime security admits it, at security epoch 3, the tuple's own$/);
    const audit = (await connector('audit list org-1')).out;
    expect(audit).toMatch(/^AT +CALLER +DOOR +DETAILS\n[^]*operator m\.ortiz +open-publication/);
  });

  it('3: what refuses a plan is a sentence; 2: a confirmation without what its plan expects, a digest that is none; 5: no installation, no file', async () => {
    const refusal = async (line: string): Promise<readonly unknown[]> => {
      const { code, err } = await connector(`${line} --organization org-1 --plan`);
      return [code, err];
    };
    expect(await refusal(`installs upgrade ${installation} ${await fileOf(0)}`)).toEqual([
      3,
      expect.stringContaining('serves this release already'),
    ]);
    expect(await refusal(`installs abandon ${installation}`)).toEqual([
      3,
      expect.stringMatching(
        /The installation is ACTIVE; from there it goes by upgrade, rollback or remove\. Nothing was written\.[^]*Do +connector installs get/,
      ),
    ]);
    expect(await refusal(`installs remove nobody`)).toEqual([5, expect.stringContaining('no such installation')]);
    expect((await refusal(`installs upgrade ${installation} ${await fileOf(1, { grants: [] })}`))[0]).toBe(3);
    expect((await refusal(`installs upgrade ${installation} /nowhere.json`))[0]).toBe(5);
    expect((await refusal(`installs rollback ${installation} --to nonsense`))[0]).toBe(2);
    const bare = await connector(`installs remove ${installation} --organization org-1 --confirm sha256:${'0'.repeat(64)}`);
    expect([bare.code, bare.err]).toEqual([
      2,
      expect.stringContaining('--expected-state, --expected-activation-epoch, --expected-revision'),
    ]);
    expect(await countOf(schema, 'cat_candidate')).toBe(1);
  });

  it('6: what a plan expected has moved, and both are told; 7: an owner does not answer a question, so nothing happened', async () => {
    const removal = pasted(await planned('remove'));
    await setOtherInputs(schema.db, otherInputsOf('org-1'));
    expect(await connector(removal)).toMatchObject({
      code: 6,
      err: expect.stringMatching(/Expected .*security_epoch 1\n {2}Found .*security_epoch 2\n {2}Do +connector installs get/),
    });
    const goOn = await authority.stopSecurity();
    expect(await connector(`installs remove ${installation} --organization org-1 --plan`)).toMatchObject({
      code: 7,
      err: expect.stringContaining('nothing was written.   CatalogUnavailable'),
    });
    expect((await connector(`installs get ${installation} --organization org-1`)).out).toContain('Admission  not known: Runtime security');
    await goOn();
  });

  it('8 then 0: a removal waits for what refers to it, and names it; its close is planned, and then it is REMOVED', async () => {
    const [row] = (await json(`bindings list ${installation} --organization org-1`))['rows'] as { binding_id: string }[];
    const binding = `${installation} ${row?.binding_id ?? ''}`;
    expect((await connector(`bindings open-reference ${binding} route-1 --kind route --organization org-1`)).code).toBe(0);
    const plan = await planned('remove');
    expect(plan).toMatch(/\n {11}gates \S+ ACTIVE for \S+: waits for route route-1\n/);
    const typed = await connector(`installs remove ${installation} --organization org-1`, {
      interactive: true,
      ask: () => Promise.resolve(installation),
    });
    expect([typed.code, typed.out]).toEqual([
      8,
      expect.stringContaining(`Waits    connector bindings get ${binding} --organization org-1`),
    ]);
    expect((await connector(`bindings get ${binding} --organization org-1`)).out).toMatch(/DRAINING for [^]*route-1 +route/);
    const close = `bindings close-reference ${binding} route-1 --organization org-1`;
    const closing = /connector (bindings .*)$/m.exec((await connector(`${close} --plan`)).out)?.[1] ?? '';
    expect((await connector(closing)).out).toContain('the reference route-1 of');
    expect(await connector(`installs resume ${installation} --organization org-1`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('it is REMOVED'),
    });
  });

  it('0: a candidate that was left is given up by its plan, and what serves stays', async () => {
    const life = new Life(schema, world, installation);
    await life.at(await life.openStored('upgrade', askedFor(releases[1] as AppRelease))).compile();
    const plan = await planned('abandon');
    expect(plan).toMatch(/state UPGRADING, activation_epoch 1, attempt 2\n {2}Steps {4}1 lock org-1; end attempt 2 as ABANDONED/);
    expect(plan).toContain('steps_done compiled');
    expect(await connector(pasted(plan))).toMatchObject({ code: 0, out: expect.stringContaining('it is given up; what serves is what') });
    expect((await connector(`installs get ${installation} --organization org-1`)).out).toMatch(/state +ACTIVE/);
  });
});
