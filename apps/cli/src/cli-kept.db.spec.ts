import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platformDocument } from '@connector/catalog/contract/platform';
import { Digest } from '@connector/kernel/digest';
import { type ServiceClient, serviceClient } from '@connector/platform/http/service-client';
import type { CliIo } from '@connector/services/cli/src/io';
import { membersOf, textOf } from '@connector/services/cli/src/members';
import { DEMO_WORLD, published } from '@connector/services/local/src/demo/begin';
import { keptFor } from '@connector/services/local/src/demo/kept';
import { workbenchPlatform } from '@connector/services/local/src/demo/platform';
import { SCOPE, WORKBENCH } from '@connector/services/local/src/demo/world';
import { layoutOf } from '@connector/services/local/src/layout';
import { tokenRef } from '@connector/services/local/src/mint-secrets';
import { SecretStore } from '@connector/services/local/src/secret-store';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { type Authority, authorityOn } from '@connector/testing/fixtures/authority';
import { type Ran, ranIn } from './ran-in.fixture';

const SHIPPED = join(__dirname, '../../../libs/shipped-packs/tern-desk/pack.json');
const { organization: ORG, workload: WORKLOAD } = SCOPE;
const AT = `--organization ${ORG} --workload ${WORKLOAD}`;

let schema: TestSchema;
let authority: Authority;
let home: string;
/** Whose files are no business of the home. */
let desk: string;
let runText: string;
let store: SecretStore;
let catalog: ServiceClient;
let installation: string;

const connector = (line: string, over: Partial<CliIo> = {}): Promise<Ran> => ranIn(home, line, over);
const json = async (line: string): Promise<Record<string, unknown>> =>
  JSON.parse((await connector(`${line} --json`)).out) as Record<string, unknown>;

beforeAll(async () => {
  schema = await mainSchema();
  authority = await authorityOn(schema, platformDocument.parse(workbenchPlatform()).value);
});
/** A machine that began with the packs that ship, as far as a membership goes. */
beforeEach(async () => {
  await schema.reset();
  [home, desk] = [await authority.freshHome(), await mkdtemp(join(tmpdir(), 'connector-desk-'))];
  const run = membersOf(JSON.parse(await readFile(join(home, 'run.json'), 'utf8')));
  runText = JSON.stringify({ ...run, begins_with: { ...SCOPE, app: WORKBENCH.app } });
  await writeFile(join(home, 'run.json'), runText);
  store = new SecretStore(textOf(run['secrets_dir']));
  const baseUrl = textOf(membersOf(membersOf(run['services'])['catalog'])['url']);
  catalog = serviceClient({ baseUrl, token: await store.read(tokenRef('local', 'catalog')), timeoutMs: 10_000 });
  installation = (await published(catalog, store, DEMO_WORLD)).installation;
});
afterEach(async () => {
  await catalog.close();
  for (const dir of [home, desk]) await rm(dir, { recursive: true });
});
afterAll(async () => {
  await authority.close();
  await schema.close();
});

interface Shown {
  readonly revision: string;
  readonly bindings: readonly Record<string, unknown>[];
}
async function shown(): Promise<Shown> {
  const { catalog_revision: revision, view } = await json(`membership show ${installation} ${AT}`);
  return { revision: textOf(revision), bindings: membersOf(view)['bindings'] as Shown['bindings'] };
}
/** A further generation of the desk, with a deadline of its own. */
async function furtherDesk(version = '1.3.0'): Promise<string> {
  const file = join(desk, `${version}.json`);
  await writeFile(file, (await readFile(SHIPPED, 'utf8')).replace('"1.2.0"', `"${version}"`).replace('10000', '9000'));
  return file;
}
const publish = async (version?: string) => json(`packs publish ${await furtherDesk(version)} --organization ${ORG}`);

/** In the place of the generation of the desk that stands. */
async function setTo(digest: string): Promise<Ran> {
  const { revision, bindings } = await shown();
  const changed = bindings.map((one) => (one['owner_pack'] === 'dev.example.tern-desk' ? { ...one, pack_payload_digest: digest } : one));
  await writeFile(join(desk, 'bindings.json'), JSON.stringify(changed));
  return connector(`membership set ${installation} ${join(desk, 'bindings.json')} ${AT} --expected-revision ${revision}`);
}
async function publishedAndSet(): Promise<{ readonly set: Ran; readonly digest: Digest }> {
  const publication = await publish();
  expect(publication).toMatchObject({ kind: 'registered', keeping: { kept: true } });
  const digest = Digest.parse(textOf(publication['payload_digest']));
  return { set: await setTo(digest), digest };
}
/** What npm start does with an empty database. */
async function begunAnew(): Promise<void> {
  await schema.reset();
  const kept = await keptFor(layoutOf(home).published);
  installation = (await published(catalog, store, DEMO_WORLD, kept)).installation;
  await writeFile(join(home, 'run.json'), runText);
}
const generations = async (): Promise<number> => Number((await schema.sql('SELECT COUNT(*) AS n FROM pck_generation'))[0]?.['n']);

describe('what a reset keeps', () => {
  it('0: a further generation that was published and set is what the view of a fresh database has, under the ids that it gave', async () => {
    const { set, digest } = await publishedAndSet();
    expect(set).toMatchObject({ code: 0, out: expect.stringContaining('Kept     connector dev reset keeps this and the packs in it') });
    const before = (await shown()).bindings;
    const reset = await connector('dev reset --yes');
    expect(reset).toMatchObject({ code: 0, out: expect.stringContaining(`npm start begins with ${WORKLOAD} of ${ORG}`) });
    for (const text of [`dev.example.tern-desk ${digest}`, 'dev.example.larkspur-crm sha256:', 'connector dev reset --all'])
      expect(reset.out).toContain(text);
    expect(await readdir(home)).toEqual(['published']);
    await begunAnew();
    expect(await generations()).toBe(4);
    const { bindings } = await shown();
    expect(bindings.filter((one) => one['pack_payload_digest'] === digest)).toHaveLength(4);
    const less = (all: Shown['bindings']) => all.map(({ pack_installation_id: id, ...rest }) => [typeof id, rest]);
    expect(less(bindings)).toEqual(less(before));
    const ids = (all: Shown['bindings']) => new Set(all.map((one) => one['pack_installation_id']));
    expect([...ids(bindings)].filter((id) => ids(before).has(id))).toEqual([]);
  });

  it('0: --all wipes what was published and set too, and a fresh database begins with the packs that ship', async () => {
    const { digest } = await publishedAndSet();
    const asked: string[] = [];
    const ask = (question: string): Promise<string> => {
      asked.push(question);
      return Promise.resolve('no');
    };
    expect((await connector('dev reset', { interactive: true, ask })).code).toBe(3);
    expect((await connector('dev reset --all', { interactive: true, ask })).code).toBe(3);
    expect(asked).toEqual([expect.stringContaining(digest), expect.stringContaining('and what was published and set here. Wipe it?')]);
    expect(await connector('dev reset --all --yes')).toMatchObject({ code: 0, out: expect.stringContaining('wiped published, run.json') });
    expect(await readdir(home)).toEqual([]);
    await begunAnew();
    expect(await generations()).toBe(3);
  });

  it('0: a set whose source is nowhere on this machine says so, and what was kept before stays', async () => {
    const { digest } = await publishedAndSet();
    const other = Digest.parse(textOf((await publish('1.4.0'))['payload_digest']));
    await rm(join(layoutOf(home).published, 'packs', `${other.slice(7)}.json`));
    const set = await setTo(other);
    expect([set.code, set.out]).toEqual([0, expect.stringMatching(new RegExp(`is set [^]*Not kept the source of ${other} is not here`))]);
    expect((await keptFor(layoutOf(home).published))?.packs.has(digest)).toBe(true);
    expect(await publish('1.4.0')).toMatchObject({ kind: 'already-registered', keeping: { kept: true } });
    expect((await setTo(other)).out).toMatch(/is already-set [^]*Kept {5}connector dev reset keeps this/);
    expect((await keptFor(layoutOf(home).published))?.packs.has(other)).toBe(true);
  });

  it('0: what npm start does not begin with is not kept: another organization, workload or App', async () => {
    const published = await connector(`packs publish ${await furtherDesk()} --organization org-2`);
    expect(published.out).toContain(`Not kept npm start begins with ${ORG} alone`);
    const file = join(desk, 'none.json');
    await writeFile(file, '[]');
    const { revision } = await shown();
    const line = `membership set ${installation} ${file} --organization ${ORG} --workload wl.other --expected-revision ${revision}`;
    expect((await connector(line)).out).toContain(`Not kept npm start begins with ${WORKLOAD} alone`);
    await writeFile(join(home, 'run.json'), runText.replace(WORKBENCH.app, 'dev.other'));
    const stands = (await shown()).bindings.find((one) => one['owner_pack'] === 'dev.example.tern-desk');
    expect((await setTo(textOf(stands?.['pack_payload_digest']))).out).toContain('in an installation of dev.other alone');
    expect(await keptFor(layoutOf(home).published)).toBeUndefined();
  });

  it('0: reset leaves what it cannot read, and says how it goes', async () => {
    await publishedAndSet();
    await writeFile(join(layoutOf(home).published, 'membership.json'), '{');
    const reset = await connector('dev reset --yes');
    expect([reset.code, reset.out]).toEqual([
      0,
      expect.stringMatching(/expected strict JSON[^]*dev reset --all wipes this too: npm start cannot begin with it$/),
    ]);
    await expect(keptFor(layoutOf(home).published)).rejects.toThrow(/expected strict JSON, found [^]*npx connector dev reset --all/);
  });

  it('HOUSE:local:StepRefused: kept bindings that the registry does not have are refused, and nothing is set in their place', async () => {
    await publishedAndSet();
    const file = join(layoutOf(home).published, 'membership.json');
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('ticket/hint', 'ticket/none'));
    await expect(begunAnew()).rejects.toThrow(/DEFINITION_ABSENT/);
    expect(Number((await schema.sql('SELECT COUNT(*) AS n FROM cat_membership_head'))[0]?.['n'])).toBe(0);
  });
});
