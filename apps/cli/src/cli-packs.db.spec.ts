import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { operator } from '@connector/services/operator/src/operator.service';
import { tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { countOf } from '@connector/testing/fixtures/serving';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';
import { type Ran, ranIn } from './ran-in.fixture';

const SHIPPED = join(__dirname, '../../../libs/shipped-packs/tern-desk');

let schema: TestSchema;
let secrets: TestHome;
let home: string;
/** Where nothing was ever started. */
let bare: string;
let desk: string;
const running: RunningService[] = [];

const connector = (line: string): Promise<Ran> => ranIn(home, line, {});
const alone = (line: string): Promise<Ran> => ranIn(bare, line, {});
const jsonOf = ({ out }: Ran): Record<string, unknown> => JSON.parse(out) as Record<string, unknown>;

beforeAll(async () => {
  desk = await readFile(join(SHIPPED, 'pack.json'), 'utf8');
  schema = await mainSchema();
  secrets = await testHome();
  await tokensFor(secrets, 'operator', ['cli']);
  await tokensFor(secrets, 'catalog', ['pack-owner']);
  // The catalog's own way to the Runtime, which nothing here goes.
  await tokensFor(secrets, 'runtime', ['catalog']);
  const registry = await bootOn(catalog, schema, secrets);
  running.push(registry, await bootOn(operator, schema, secrets, { CONNECTOR_CATALOG_URL: registry.url }));
});
beforeEach(async () => {
  [home, bare] = [await mkdtemp(join(tmpdir(), 'connector-home-')), await mkdtemp(join(tmpdir(), 'connector-bare-'))];
  const services = Object.fromEntries(running.map(({ name, url }) => [name, { url, pid: 4_000_000, generation: 'gen_x' }]));
  const engine = { kind: 'mariadb', version: '10.11', source: 'given' };
  await writeFile(join(home, 'run.json'), JSON.stringify({ services, secrets_dir: secrets.dir, engine }), { mode: 0o600 });
  await schema.reset();
});
afterEach(() => Promise.all([home, bare].map((dir) => rm(dir, { recursive: true }))));
afterAll(async () => {
  for (const service of running.toReversed()) await service.stop();
  await schema.close();
  await secrets.remove();
});

interface Entry {
  definition_version: string;
  readonly definition: Record<string, unknown>;
}

async function packOf(text: string, name = 'pack.json'): Promise<string> {
  const file = join(bare, name);
  await writeFile(file, text);
  return file;
}
const FAULTY = (text: string): string => text.replace('"owner_pack"', '"more": 1,\n"owner_pack"').replace('"schema', '"scheme');

describe('connector packs on files, where nothing runs', () => {
  it('0: validate names pack, version and the digest that it will have', async () => {
    const { code, out, err } = await alone(`packs validate ${SHIPPED}`);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^dev\.example\.tern-desk 1\.2\.0 is valid: 4 definitions, sha256:[0-9a-f]{64}\./);
    expect(jsonOf(await alone(`packs validate ${SHIPPED}/pack.json --json`))).toMatchObject({ valid: true, pack_version: '1.2.0' });
  });

  it('2: validate shows every fault at once, each with its pointer, rule, what was expected and found', async () => {
    const changed = JSON.parse(desk) as { definitions: Record<string, Entry[]> };
    const [route] = changed.definitions['inbound-route'] as [Entry];
    route.definition['mapping'] = 'nobody/knows';
    route.definition['source_event_key'] = ['item.'];
    const path = await packOf(JSON.stringify(changed));
    const { code, out } = await alone(`packs validate ${path}`);
    expect(code).toBe(2);
    for (const text of [
      'pack.json has 2 faults.   PACK_FAULTY',
      '/definitions/inbound-route/0/definition/mapping   reference-unknown · con:INV-25',
      '    Found    nobody/knows',
      '/definitions/inbound-route/0/definition/source_event_key/0   expression-unreadable · HOUSE:packs:Expressions',
      '    Expected a CEL expression',
    ])
      expect(out).toContain(text);
    const document = jsonOf(await alone(`packs validate ${path} --json`));
    expect(document).toMatchObject({ valid: false, errors_more: 0 });
    expect(document['errors']).toContainEqual(
      expect.objectContaining({ code: 'reference-unknown', rule: 'con:INV-25', found: 'nobody/knows' }),
    );
  });

  it('2: a hundred faults are listed and the others counted', async () => {
    const members = Object.fromEntries(Array.from({ length: 130 }, (_, n) => [`member_${n}`, n]));
    const path = await packOf(JSON.stringify({ ...(JSON.parse(desk) as object), ...members }));
    const { code, out } = await alone(`packs validate ${path}`);
    expect([code, out.split('\n').at(-1)]).toEqual([2, '  and 30 more']);
    expect(out).toContain('has 130 faults');
  });

  it('2: a value of another shape is shown as it was found, and a word that is none with those that are', async () => {
    const path = await packOf(desk.replace(/"kind": "\w+"/, '"kind": "sometimes"').replace(/"deadline_ms": \d+/, '"deadline_ms": "soon"'));
    const { code, out } = await alone(`packs validate ${path}`);
    expect(code).toBe(2);
    expect(out).toMatch(/\/ordering {3}shape-wrong · con:ORD-08\n {4}Expected one of: \w+, \w+[^\n]*\n {4}Found {4}"sometimes"/);
    expect(out).toMatch(/\/deadline_ms {3}shape-wrong · \S+\n {4}Expected must be integer\n {4}Found {4}"soon"/);
  });

  it('2: what JSON leaves open is a fault with its place; 5: what is no pack', async () => {
    const twice = await packOf(desk.replace('"owner_pack"', '"owner_pack": "dev.example.other",\n"owner_pack"'));
    expect(await alone(`packs validate ${twice}`)).toMatchObject({ code: 2, out: expect.stringContaining('duplicate-member at byte') });
    expect(await alone(`packs validate ${bare}/nothing`)).toMatchObject({ code: 5, err: expect.stringContaining('there is no such file') });
  });

  it('0: digest prints what the registry will say, for the pack and for each definition', async () => {
    const { code, out } = await alone(`packs digest ${SHIPPED}`);
    expect([code, out.split('\n').length]).toEqual([0, 7]);
    const document = jsonOf(await alone(`packs digest ${SHIPPED} --json`));
    expect(out).toContain(String(document['payload_digest']));
    expect(document['definitions']).toHaveLength(4);
    expect(await alone(`packs digest ${await packOf(FAULTY(desk))}`)).toMatchObject({
      code: 2,
      out: expect.stringContaining('PACK_FAULTY'),
    });
  });

  it('0: diff says what is new, gone and changed, and what that means for installations and for the epoch that serves', async () => {
    const pack = JSON.parse(desk) as { definitions: Record<string, Entry[]> };
    const [profile] = pack.definitions['callout-profile'] as [Entry];
    const [mapping] = pack.definitions['field-mapping'] as [Entry];
    profile.definition['deadline_ms'] = 9_999;
    mapping.definition_version = '2';
    const path = await packOf(JSON.stringify({ ...pack, pack_version: '1.3.0' }));
    const { code, out } = await alone(`packs diff ${SHIPPED} ${path}`);
    expect(code).toBe(0);
    for (const text of [
      '  new      field-mapping ticket/default 2',
      '  gone     field-mapping ticket/default 1',
      '  changed  callout-profile',
      '  the same 2',
      'Installations  keep what they have',
      'Epochs         the one that serves froze the old generation and pins it: it is not touched',
      'An epoch has no successor yet: publish it and set it, then connector dev reset',
      'wipes this machine but what was set here, and npm start begins with that',
    ])
      expect(out).toContain(text);
    expect(out).not.toContain('Registry');
    expect(jsonOf(await alone(`packs diff ${SHIPPED} ${path} --json`))).toMatchObject({ same: false, unchanged: 2, version_taken: false });
  });

  it('0: diff of one generation with itself, and of other bytes under its version; 2: of two packs', async () => {
    expect(await alone(`packs diff ${SHIPPED} ${SHIPPED}`)).toMatchObject({ code: 0, out: expect.stringContaining('the same generation') });
    const other = await packOf(desk.replace('"deadline_ms": 10000', '"deadline_ms": 10001'));
    expect((await alone(`packs diff ${SHIPPED} ${other}`)).out).toContain(
      'Registry       refuses it: the version is used by the other bytes',
    );
    expect(await alone(`packs diff ${SHIPPED} ${SHIPPED}/../larkspur-crm`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('two packs'),
    });
  });

  it('7: what needs the registry says how to start it', async () => {
    for (const line of ['packs list', 'packs get a@1', `packs publish ${SHIPPED} --organization org-1`, `packs diff a@1 ${SHIPPED}`])
      expect(await alone(line)).toMatchObject({ code: 7, err: expect.stringContaining('Do       npm start') });
  });
});

describe('connector packs and the registry', () => {
  const publish = (path: string): Promise<Ran> => connector(`packs publish ${path} --organization org-1`);

  it('0: published twice it is one generation, listed, shown by digest and by label, and compared with a file', async () => {
    expect(await publish(SHIPPED)).toMatchObject({ code: 0, out: expect.stringContaining('dev.example.tern-desk 1.2.0 is registered.') });
    expect((await publish(SHIPPED)).out).toContain('is already-registered.');
    expect(await countOf(schema, 'pck_generation')).toBe(1);
    const digest = String(jsonOf(await alone(`packs digest ${SHIPPED} --json`))['payload_digest']);
    expect((await connector('packs list')).out).toContain(digest);
    const shown = await connector(`packs get ${digest}`);
    expect(shown.out).toContain('pinned by     no epoch');
    expect((await connector('packs get dev.example.tern-desk@1.2.0')).out).toBe(shown.out);
    expect((await connector(`packs diff dev.example.tern-desk@1.2.0 ${SHIPPED}`)).out).toContain('the same generation');
  });

  it('3: other bytes under a used version, with both digests; 2: a faulty pack is not sent', async () => {
    await publish(SHIPPED);
    const other = await packOf(desk.replace('"deadline_ms": 10000', '"deadline_ms": 10001'));
    const refused = await publish(other);
    expect(refused).toMatchObject({
      code: 3,
      err: expect.stringMatching(/Expected payload_digest sha256:\w{64}\n {2}Found {4}payload_digest sha256/),
    });
    expect(await publish(await packOf(FAULTY(desk)))).toMatchObject({ code: 2, out: '', err: expect.stringContaining('PACK_FAULTY') });
    expect(await countOf(schema, 'pck_generation')).toBe(1);
  });

  it('0: list goes on where it ended; 5: a generation that is not there; 2: no organization', async () => {
    for (const version of ['1.2.0', '1.3.0']) await publish(await packOf(desk.replace('"1.2.0"', `"${version}"`)));
    expect((await connector('packs list --limit 1')).out).toContain(
      'more: connector packs list --limit 1 --after dev.example.tern-desk@1.2.0',
    );
    expect((await connector('packs list --after dev.example.tern-desk@1.2.0')).out).toContain('1.3.0');
    expect((await connector('packs list --after dev.example.tern-desk@1.3.0')).out).toBe('no packs');
    expect(await connector('packs get dev.example.tern-desk@9')).toMatchObject({
      code: 5,
      err: expect.stringContaining('connector packs list'),
    });
    expect(await connector(`packs publish ${SHIPPED}`)).toMatchObject({ code: 2 });
  });
});
