import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CliIo } from '@connector/services/cli/src/io';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { setOtherInputs } from '@connector/security/transitions/set-other-inputs.tx';
import { askedFor, platform, publicationWorld, SERVICE_RELEASE, WORKLOAD } from '@connector/testing/fixtures/publication';
import { otherInputsOf } from '@connector/testing/fixtures/security';
import { APP, builtRelease, type BuiltRelease, type ReleaseSpec } from '@connector/testing/fixtures/release';
import { countOf } from '@connector/testing/fixtures/serving';
import { type Authority, authorityOn } from '@connector/testing/fixtures/authority';
import { type Ran, ranIn } from './ran-in.fixture';
import { writeRelease } from './release-folder.fixture';

const CAPABILITIES = ['runtime.integrations.run.v1', 'runtime.records.write.v1'];
const OFFERED = platform({
  runtime_capabilities: CAPABILITIES,
  schema: { generation: '7', components: [{ component_kind: 'io.nexuscrm.record-layout.v1', format_version: 1 }] },
});

let schema: TestSchema;
let authority: Authority;
let home: string;

const connector = (line: string, over: Partial<CliIo> = {}): Promise<Ran> => ranIn(home, line, over);
const json = async (line: string): Promise<Record<string, unknown>> =>
  JSON.parse((await connector(`${line} --json`)).out) as Record<string, unknown>;

beforeAll(async () => {
  schema = await mainSchema();
  authority = await authorityOn(schema, OFFERED);
});
beforeEach(async () => {
  await schema.reset();
  home = await authority.freshHome();
});
afterEach(() => rm(home, { recursive: true }));
afterAll(async () => {
  await authority.close();
  await schema.close();
});

/** A publisher with a key of its own, as people make them. */
async function trusted(publisher: string): Promise<string> {
  const file = join(home, `${publisher}.key`);
  const { public_key_base64: publicKey } = await json(`publishers keygen --out ${file}`);
  expect((await connector(`publishers add ${publisher}`)).code).toBe(0);
  expect((await connector(`publishers add-key ${publisher} ${String(publicKey)} --valid-from 2001-01-01T00:00:00.000000Z`)).code).toBe(0);
  return file;
}
async function folderOf(name: string, spec: ReleaseSpec = {}): Promise<{ folder: string; release: BuiltRelease }> {
  const release = builtRelease({ layouts: { a: 1 }, ...spec });
  const folder = join(home, name);
  await writeRelease(folder, release, 'readable');
  return { folder, release };
}
const publish = (folder: string, key: string): Promise<Ran> =>
  connector(`releases publish ${folder} --key ${key} --canonicalize --as publisher`);

describe('connector publishers', () => {
  it('0: list and get show whom somebody trusts, and since when a key speaks for them', async () => {
    await trusted('dev.north');
    expect((await connector('publishers list')).out).toMatch(/^PUBLISHER_ID +REGISTERED_AT\ndev.north /);
    expect((await connector('publishers get dev.north')).out).toMatch(/reserves {3}dev.north\n\nKEY_ID[^]*\ned25519:\S+ +2001-01-01T/);
    expect((await connector('publishers get dev.nobody')).code).toBe(5);
  });

  it('0: more keys than the 100 that are shown, which is said', async () => {
    await trusted('dev.north');
    for (let at = 0; at < 100; at += 1)
      await schema.sql('INSERT INTO cat_publisher_key (key_id, publisher_id, public_key, valid_from) VALUES (?, ?, ?, NOW())', [
        ...[`other-${at}`, 'dev.north', Buffer.alloc(32, at)],
      ]);
    expect((await connector('publishers get dev.north')).out).toMatch(/\nthere are more: the 100 newest are shown/);
  });

  it('0: a key is revoked by its plan alone, and says why', async () => {
    await trusted('dev.north');
    const [key] = (await json('publishers get dev.north'))['keys'] as { key_id: string }[];
    const verb = `publishers revoke-key dev.north ${key?.key_id ?? ''}`;
    const { out } = await connector(`${verb} --plan`);
    expect(out).toMatch(/Steps {4}1 lock dev.north\n[^]*Back {5}none/);
    const confirm = /--confirm (sha256:\S+)/.exec(out)?.[1] ?? '';
    expect(await connector(`${verb} --reason leaked --confirm ${confirm}`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('is revoked'),
    });
    expect((await connector('publishers get dev.north')).out).toContain('m.ortiz: leaked');
  });

  it('3: a key that was revoked is not accepted again; it is said when, by whom and why, and that another is made (cat:A-18)', async () => {
    expect((await connector('publishers add dev.north')).code).toBe(0);
    const { public_key_base64: publicKey, key_id: keyId } = await json(`publishers keygen --out ${join(home, 'a.key')}`);
    const add = `publishers add-key dev.north ${String(publicKey)}`;
    expect((await connector(add)).code).toBe(0);
    const { digest } = await json(`publishers revoke-key dev.north ${String(keyId)} --plan`);
    expect((await connector(`publishers revoke-key dev.north ${String(keyId)} --reason leaked --confirm ${String(digest)}`)).code).toBe(0);
    const { code, err } = await connector(add);
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/revoked at 20\S+Z, m\.ortiz: leaked\. [^]*connector publishers keygen --out <file>/),
    ]);
  });

  it('4: a publisher and a reader are known, and may not say whom to trust (cat:PUB-01)', async () => {
    for (const role of ['publisher', 'reader']) {
      expect(await connector(`publishers add dev.north --as ${role}`)).toMatchObject({
        code: 4,
        err: expect.stringContaining('CallerNotAllowed'),
      });
      expect((await connector(`publishers list --as ${role}`)).code).toBe(0);
    }
    expect(await countOf(schema, 'cat_publisher')).toBe(0);
  });

  it('2: what is no public key is not sent; another role than there is', async () => {
    expect(await connector('publishers add-key dev.north nonsense')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Nothing was sent'),
    });
    expect((await connector('publishers list --as king')).code).toBe(2);
  });
});

describe('connector releases', () => {
  it('0: publishes what was validated, signed here: the private key is in nothing that is sent', async () => {
    const key = await trusted('dev.north');
    const { folder, release } = await folderOf('desk');
    const sent = jest.spyOn(globalThis, 'fetch');
    const { code, out } = await publish(folder, key);
    const bodies = sent.mock.calls.map(([, init]) => String(init?.body));
    sent.mockRestore();
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(`${APP} 1.0.0 is registered under dev.north.\n  Digest   ${release.releaseDigest}`),
    ]);
    const seed = Buffer.from((await readFile(key, 'utf8')).split('\n')[1] ?? '', 'base64').subarray(-32);
    expect(bodies.length).toBeGreaterThan(1);
    for (const form of ['base64', 'base64url', 'hex'] as const) expect(bodies.join()).not.toContain(seed.toString(form).slice(1, 40));
    expect((await publish(folder, key)).out).toContain('is already-registered');
    expect((await connector(`releases get ${APP}@1.0.0`)).out).toMatch(/release_digest +sha256:/);
  });

  it('3: other bytes under the version, with both digests; a release that another key signed', async () => {
    const [key, other] = [await trusted('dev.north'), await trusted('dev.south')];
    const { folder, release } = await folderOf('desk');
    expect(await publish(folder, other)).toMatchObject({ code: 3, err: expect.stringContaining('KEY_FOREIGN') });
    await publish(folder, key);
    const { folder: changed, release: second } = await folderOf('other', { layouts: { a: 2 } });
    const { code, err } = await publish(changed, key);
    expect([code, err]).toEqual([3, expect.stringContaining('ReleaseVersionTaken')]);
    expect(err).toContain(`Expected release_digest ${release.releaseDigest}\n  Found    release_digest ${second.releaseDigest}`);
    expect((await connector(`releases diff ${APP}@1.0.0 ${changed} --canonicalize`)).out).toContain('The registry refuses it');
  });

  it('2: a faulty release is not sent, all its faults are told', async () => {
    const key = await trusted('dev.north');
    const { folder } = await folderOf('desk');
    const sent = jest.spyOn(globalThis, 'fetch');
    await writeFile(join(folder, 'manifest.json'), '{}');
    const { code, err } = await publish(folder, key);
    expect([code, sent.mock.calls, err]).toEqual([2, [], expect.stringMatching(/desk has 1\d faults.[^]*manifest \/app_id/)]);
    sent.mockRestore();
  });
});

describe('connector apps', () => {
  it('0: an App is offered, accepted by its plan, and recovered with a reason', async () => {
    const key = await trusted('dev.north');
    await trusted('dev.south');
    await publish((await folderOf('desk')).folder, key);
    const offered = await connector(`apps transfer ${APP} --to dev.south --key ${key} --as publisher`);
    expect([offered.code, offered.out]).toEqual([0, expect.stringContaining('It stays where it is until the operator accepts')]);
    const accept = /connector (apps accept \S+ \S+)/.exec(offered.out)?.[1] ?? '';
    expect((await connector(`${accept} --plan`)).out).toContain('owner dev.north -> dev.south, ownership epoch 1 -> 2');
    expect(await connector(`${accept} --no-input`)).toMatchObject({ code: 2, err: expect.stringContaining('Nobody can be asked') });
    const asked = await connector(accept, { interactive: true, ask: () => Promise.resolve(APP) });
    expect([asked.code, asked.out]).toEqual([0, expect.stringContaining(`${APP} is of dev.south now, ownership epoch 2.`)]);
    const { confirm } = await json(`apps recover ${APP} --to dev.north --plan`);
    const line = String(confirm).replace('connector ', '').replace('"..."', 'lost');
    expect((await connector(line)).out).toContain('is of dev.north now, ownership epoch 3.');
    expect((await connector(`apps get ${APP}`)).out).toMatch(/Releases\n[^]*1.0.0[^]*Owners\n[^]*recovery?/);
    expect((await connector('apps list')).out).toMatch(/dev.north.desk +dev.north +3/);
  });
});

describe('connector installs', () => {
  let file: string;
  let request: Record<string, unknown>;

  beforeEach(async () => {
    const key = await trusted('dev.north');
    const { folder, release } = await folderOf('desk');
    await publish(folder, key);
    request = { app_id: APP, app_release_digest: release.releaseDigest, dependencies: [], grants: [], handler_bindings: [] };
    file = join(home, 'desk.json');
    await writeFile(file, JSON.stringify(request, null, 2));
  });
  const install = (): Promise<Ran> =>
    connector(`installs install ${file} --organization org-1`, { interactive: true, ask: () => Promise.resolve(APP) });

  it('0: plan prints every step with what it expects; nothing is written, and the digest carries out exactly that', async () => {
    const { code, out } = await connector(`installs plan ${file} --organization org-1`);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/Expects +organization org-1, app_release_digest sha256:\S+, [^\n]*catalog_revision 0, security_epoch 0/),
    ]);
    for (const text of [
      '1 lock org-1 at revision 0',
      '3 Runtime security takes the grants: epoch 0 -> 1',
      '4 publish: PREPARING -> ACTIVE',
    ])
      expect(out).toContain(text);
    expect(await countOf(schema, 'cat_publication_step')).toBe(0);
    const line = (/connector (installs install .*)$/m.exec(out)?.[1] ?? '').replace('<file>', file);
    expect(await connector(line)).toMatchObject({
      code: 0,
      out: expect.stringContaining('it serves, activation epoch 1, catalog revision 1.'),
    });
    expect(await connector(`installs plan ${file} --organization org-1`)).toMatchObject({
      code: 3,
      err: expect.stringContaining('is installed in this organization already'),
    });
  });

  it('3: every failed check together, with place and rule; 2: a file that is none, a confirmation without what it expects', async () => {
    await writeFile(
      file,
      JSON.stringify({
        ...request,
        dependencies: [{ alias: 'base', app_release_digest: request['app_release_digest'] }],
        grants: [{ workload_id: 'dev.nobody', capabilities: ['runtime.unknown.v1'] }],
      }),
    );
    const { code, err } = await connector(`installs plan ${file} --organization org-1`);
    expect(code).toBe(3);
    for (const rule of ['PREP-03', 'PREP-08', 'PREP-09']) expect(err).toContain(rule);
    await writeFile(file, '{"app_id": 1, "app_id": 2}');
    expect(await connector(`installs plan ${file} --organization org-1`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('no strict JSON'),
    });
    await writeFile(file, JSON.stringify(request));
    const bare = await connector(`installs install ${file} --organization org-1 --confirm sha256:${'0'.repeat(64)}`);
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('--expected-revision')]);
  });

  it('6: the plan of counters that moved does nothing', async () => {
    const { confirm } = await json(`installs plan ${file} --organization org-1`);
    await schema.sql(
      'INSERT INTO cat_lineage (organization_id, lineage_id, catalog_revision) VALUES (?, ?, 3)',
      ['org-1', 'x'].map((text) => Buffer.from(text)),
    );
    const line = String(confirm).replace('connector ', '').replace('<file>', file);
    expect(await connector(line)).toMatchObject({ code: 6, err: expect.stringContaining('CatalogMoved') });
    expect(await countOf(schema, 'cat_installation')).toBe(0);
  });

  it('0: list, get, journal and bindings show what stands and what each step committed', async () => {
    expect((await install()).code).toBe(0);
    const [row] = (await json('installs list --organization org-1'))['rows'] as { installation: string }[];
    const at = `${row?.installation ?? ''} --organization org-1`;
    expect((await connector('installs list --organization org-1')).out).toMatch(/dev.north.desk +ACTIVE +1 +1 +sha256:/);
    expect((await connector(`installs get ${at}`)).out).toMatch(/security_epoch +1/);
    const { out } = await connector(`installs journal ${at}`);
    expect(out).toMatch(
      /^Attempt 1\n {2}opened +\S+Z\n {4}candidate_digest[^]*compiled[^]*tuple_digest[^]*acknowledged[^]*security_epoch +1[^]*published[^]*catalog_revision +1/,
    );
    expect((await connector(`bindings list ${at}`)).out).toBe('no bindings');
    expect(await connector(`installs resume ${at}`)).toMatchObject({ code: 3, err: expect.stringContaining('from there it goes by') });
  });

  it('9 then 0: an attempt that fails says why and stays in the journal; resumed again, a new one serves', async () => {
    const world = await publicationWorld(schema, { offered: OFFERED });
    const bare = await world.release((draft) => {
      draft.manifest['provided_capabilities'] = [];
    });
    const { installation } = await world.opened('org-1', askedFor(bare, { grants: [], handlerBindings: [] }));
    await setOtherInputs(schema.db, otherInputsOf('org-1'));
    const resume = `installs resume ${installation} --organization org-1`;
    expect(await connector(resume)).toMatchObject({ code: 9, out: expect.stringContaining('Attempt 1 of') });
    expect((await connector(`installs list --organization org-1`)).out).toContain('FAILED');
    expect(await connector(resume)).toMatchObject({ code: 0, out: expect.stringMatching(/^Attempt 2 of \S+: it serves/) });
    const { out } = await connector(`installs journal ${installation} --organization org-1`);
    expect(out).toMatch(/^Attempt 1[^]*\n {2}failed +\S+\n {4}code +SECURITY_EPOCH_STALE[^]*\n\nAttempt 2\n[^]*published/);
  });

  it('0: a service moves alone: staged, activated by its plan, and the one before is retired', async () => {
    const world = await publicationWorld(schema, { offered: OFFERED });
    const asked = askedFor(await world.release());
    const { installation } = await world.opened('org-1', asked);
    expect((await connector(`installs resume ${installation} --organization org-1`)).code).toBe(0);
    const rows = (await json(`bindings list ${installation} --organization org-1`))['rows'] as {
      binding_id: string;
      capability_id: string;
    }[];
    const named = `--organization org-1 --capability ${rows[0]?.capability_id ?? ''} --workload ${WORKLOAD} --artifact ${SERVICE_RELEASE}`;
    const staged = await connector(`bindings stage ${installation} ${named}`);
    const activate = /connector (bindings activate .*) --plan/.exec(staged.out)?.[1] ?? '';
    const { out } = await connector(`${activate} --plan`);
    expect(out).toMatch(/Expects +state STAGED, ownership_epoch 1\n[^]*what was ACTIVE for the capability drains/);
    expect(await connector(/connector (bindings activate .*)$/m.exec(out)?.[1] ?? '')).toMatchObject({
      code: 0,
      out: expect.stringContaining('is activated.'),
    });
    const retire = `bindings retire ${installation} ${rows[0]?.binding_id ?? ''} --organization org-1`;
    const typed = await connector(retire, { interactive: true, ask: () => Promise.resolve(rows[0]?.binding_id ?? '') });
    expect([typed.code, typed.out]).toEqual([0, expect.stringContaining('is retired.')]);
    expect((await connector(`bindings list ${installation} --organization org-1`)).out).toMatch(/RETIRED[^]*ACTIVE/);
  });

  it('0: more references than the 200 that are shown, which is said; one that is not among them is closed all the same', async () => {
    const world = await publicationWorld(schema, { offered: OFFERED });
    const { installation } = await world.opened('org-1', askedFor(await world.release()));
    expect((await connector(`installs resume ${installation} --organization org-1`)).code).toBe(0);
    const [one] = (await json(`bindings list ${installation} --organization org-1`))['rows'] as { binding_id: string }[];
    const binding = one?.binding_id ?? '';
    const refer = (at: number) =>
      schema.sql(
        `INSERT INTO cat_binding_reference (organization_id, app_installation_id, binding_id, reference_id, kind, open_binding_id)
         VALUES ('org-1', ?, ?, ?, 'work', ?)`,
        [installation, binding, `work-${1000 + at}`, binding],
      );
    const get = async () => (await connector(`bindings get ${installation} ${binding} --organization org-1`)).out;
    for (let at = 0; at < 200; at += 1) await refer(at);
    expect(await get()).toMatch(/work-1199[^\n]*$/);
    await refer(200);
    expect(await get()).toMatch(/work-1199[^\n]*\nmore refer to it: at most 200 are shown/);
    const close = `bindings close-reference ${installation} ${binding} work-1200 --organization org-1`;
    const { out } = await connector(`${close} --plan`);
    expect(out).toContain('referred_by_more true');
    const confirmed = await connector(/connector (bindings close-reference .*)$/m.exec(out)?.[1] ?? '');
    expect([confirmed.code, (await get()).includes('more refer')]).toEqual([0, false]);
    expect((await connector(`${close.replace('1200', '1201')} --plan`)).code).toBe(5);
  });

  it('0: a membership is set under the revision that was seen and shown as an epoch would freeze it; 2 with every fault, 6 where it moved', async () => {
    await writeFile(file, JSON.stringify({ ...request, grants: [] }));
    expect((await install()).code).toBe(0);
    const [row] = (await json('installs list --organization org-1'))['rows'] as { installation: string }[];
    const at = `--organization org-1 --workload ${WORKLOAD}`;
    const bindings = join(home, 'bindings.json');
    await writeFile(bindings, '[]');
    const set = (revision: number): Promise<Ran> =>
      connector(`membership set ${row?.installation ?? ''} ${bindings} ${at} --expected-revision ${revision}`);
    expect(await set(1)).toMatchObject({ code: 0, out: expect.stringContaining('is set at catalog revision 2') });
    expect(
      await connector(
        `membership set ${row?.installation ?? ''} ${bindings} --organization org-1 --workload dev.other --expected-revision 1`,
      ),
    ).toMatchObject({
      ...{ code: 6, err: expect.stringMatching(/catalog_revision 1\n {2}Found .*catalog_revision 2/) },
    });
    await writeFile(
      bindings,
      JSON.stringify([
        {
          kind: 'inbound-route',
          owner_pack: 'dev.nobody',
          pack_installation_id: 'x',
          pack_payload_digest: SERVICE_RELEASE,
          business_key: 'k',
          definition_version: '1',
          credential_refs: [],
        },
      ]),
    );
    expect(await set(2)).toMatchObject({ code: 2, err: expect.stringContaining('/bindings/0') });
    expect(await connector(`membership show ${row?.installation ?? ''} ${at}`)).toMatchObject({
      code: 5,
      err: expect.stringContaining('is at catalog revision 2'),
    });
  });
});
