import { failConversion } from '@connector/catalog/transitions/conversion/fail-conversion.tx';
import { CRM_APP_ID } from '@connector/catalog/model/conversion/mapping';
import { tupleDocument } from '@connector/catalog/model/installation/tuple';
import { readConversion, readConversionJournal } from '@connector/catalog/reads/conversion';
import { readInstallation } from '@connector/catalog/reads/installation';
import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import { MAIN_TABLES } from '@connector/schema/tables';
import { appGrants } from '@connector/security/contract/projection';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import {
  type ConversionWorld,
  conversionWorld,
  CRM_PUBLISHER,
  crmDraft,
  legacyRecord,
  LEGACY_PACK,
  signedMapping,
} from '@connector/testing/fixtures/conversion';
import { asking, type Signer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { countOf } from '@connector/testing/fixtures/serving';
import { UNMINTED } from './checksums';
import { convertPack } from './convert';
import type { ConvertPack } from './prove';

let schema: TestSchema;
let signer: Signer;
let world: ConversionWorld;
const ORG = 'org-1';
const OTHER = Digest.sha256(Buffer.from('other'));

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  signer = await trustedPublisher(schema.db, CRM_PUBLISHER);
  world = await conversionWorld(schema, [ORG], { signer });
});
afterAll(() => schema.close());

/** Every row of every table but the journal of conversions, and the whole legacy world. */
async function everything(): Promise<readonly string[]> {
  const tables = MAIN_TABLES.filter(({ name }) => name !== 'cat_conversion');
  const rows = await Promise.all(tables.map(async ({ name }) => `${name} ${JSON.stringify(await schema.sql(`SELECT * FROM ${name}`))}`));
  return [...rows, world.legacy.content()];
}
const codesOf = (answer: Awaited<ReturnType<typeof convertPack>>): readonly string[] =>
  answer.kind === 'failed' ? [...new Set(answer.faults.map(({ rule, code }) => `${rule} ${code}`))] : [answer.kind];

/** Whatever is wrong, nothing is changed but one row of the journal, and the legacy world takes writes as before. */
async function refuses(input: ConvertPack): Promise<readonly string[]> {
  const before = await everything();
  const rows = await countOf(schema, 'cat_conversion');
  const answer = await world.convert(input);
  expect(await everything()).toEqual(before);
  expect(await countOf(schema, 'cat_conversion')).toBe(rows + 1);
  return codesOf(answer);
}

describe('convert', () => {
  it('converted: cat:CONV-05 cat:CONV-06 cat:CONV-07 cat:CONV-09 the pack of the mapping becomes one ACTIVE installation of the App that is written down', async () => {
    const answer = await world.convert(world.asked(ORG));
    expect(answer).toMatchObject({ kind: 'converted', state: 'ACTIVE' });
    const found = await readInstallation(schema.db, ORG, answer.kind === 'converted' ? answer.installation : '');
    expect(found).toMatchObject({ appId: 'io.nexuscrm.sfcrm', activeReleaseDigest: world.release1.releaseDigest, catalogRevision: 1n });
    const standing = await readConversion(schema.db, ORG);
    expect(standing).toMatchObject({
      key: { organization: ORG, packInstallId: LEGACY_PACK, appReleaseDigest: world.release1.releaseDigest },
      entry: {
        components: 2,
        runtime_declarations: 2,
        source: { revision: '3f1c9d' },
        mapping_digest: expect.stringMatching(/^sha256:/) as string,
      },
    });
    expect(await readConversionJournal(schema.db, ORG)).toHaveLength(1);
  });

  it('no-legacy-world: where this deployment never had one, it says so', async () => {
    const parts = { ...world.conversion, legacy: undefined };
    expect(await convertPack(parts, world.asked(ORG), asking())).toEqual({ kind: 'no-legacy-world' });
    expect(await countOf(schema, 'cat_conversion')).toBe(0);
  });

  it('converted: cat:CONV-04 the PackInstallId stands in the journal and in no other row of the catalog', async () => {
    await world.convert(world.asked(ORG));
    const holding = [];
    for (const { name } of MAIN_TABLES) {
      const text = JSON.stringify(await schema.sql(`SELECT * FROM ${name}`), (_key, value: unknown) => said(value));
      if (text.includes(LEGACY_PACK)) holding.push(name);
    }
    expect(holding).toEqual(['cat_conversion']);
  });

  it('converted: cat:CONV-08 cat:CONV-09 eight callers at once, and one more under another key, are told one installation', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.convert(world.asked(ORG))));
    const told = [...answers, await world.convert(world.asked(ORG))].map((one) => (one.kind === 'converted' ? one.installation : one.kind));
    expect(new Set(told).size).toBe(1);
    expect([await countOf(schema, 'cat_installation'), await countOf(schema, 'cat_revision')]).toEqual([1, 1]);
    expect((await readConversionJournal(schema.db, ORG)).filter(({ installation }) => installation !== null)).toHaveLength(1);
  });

  it('failed: cat:CONV-10 cat:A-38 cat:INST-17 another incarnation, hash or target of what is converted is a conflict, and the journal keeps the first', async () => {
    await world.convert(world.asked(ORG));
    const first = await readConversion(schema.db, ORG);
    const other = await world.release((draft) => crmDraft(draft), CRM_APP_ID, '1.0.1');
    world.legacy.install(legacyRecord(ORG, {}, { packInstallId: 'pack-install-8' }));
    for (const change of [
      { packInstallId: 'pack-install-8' },
      { appliedPayloadHash: OTHER },
      { appReleaseDigest: other.releaseDigest, asked: { ...world.asked(ORG).asked, appReleaseDigest: other.releaseDigest } },
    ]) {
      expect(await refuses(world.asked(ORG, change))).toEqual(['CONV-10 CONVERSION_STANDS']);
    }
    expect(await readConversion(schema.db, ORG)).toEqual(first);
  });

  it('converted: cat:CONV-10 another organization is another migration', async () => {
    await world.convert(world.asked(ORG));
    world.legacy.install(legacyRecord('org-2'));
    expect(await world.convert(world.asked('org-2'))).toMatchObject({ kind: 'converted', state: 'ACTIVE' });
  });

  it.each([
    ['u_conversion', { converted_source: OTHER, converted_app_id: 'io.nexuscrm.other' }],
    ['u_target', { converted_source: OTHER, conversion_key: OTHER }],
    ['u_source', { converted_app_id: 'io.nexuscrm.other', conversion_key: OTHER }],
  ])('once: cat:CONV-08 cat:A-38 a second success is refused by the database: %s', async (key, change) => {
    await world.convert(world.asked(ORG));
    const [row] = await schema.sql('SELECT * FROM cat_conversion');
    const bytes = (value: unknown): unknown =>
      typeof value === 'string' && value.startsWith('sha256:') ? Digest.bytes(value as Digest) : value;
    const second = { ...row, attempt_id: OperationId.bytes(OperationId.mint()), ...change };
    const columns = Object.keys(second);
    const insert = `INSERT INTO cat_conversion (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    await expect(schema.sql(insert, Object.values(second).map(bytes))).rejects.toThrow(key);
  });
});

const said = (value: unknown): unknown => {
  const held = value as { type?: string; data?: number[] } | null;
  return held?.type === 'Buffer' ? Buffer.from(held.data ?? []).toString('latin1') : value;
};

describe('convert › is refused', () => {
  it.each(['platform', 'tenant', 'connector', 'integration', 'theme'])(
    'failed: cat:CONV-01 cat:GEN-02 cat:CONV-18 cat:FAIL-09 a pack of the category %s',
    async (category) => {
      const record = legacyRecord(ORG, { category });
      world.legacy.install(record);
      expect(await refuses(world.asked(ORG, { appliedPayloadHash: record.appliedPayloadHash ?? OTHER }))).toEqual([
        'CONV-01 LEGACY_CATEGORY',
      ]);
    },
  );

  it('failed: cat:CONV-02 cat:GEN-02 the issue-tracker fixture, under the mapping of the CRM; it stays what it is', async () => {
    const tracker = { packInstallId: 'issue-tracker-1', sourceUri: 'https://git.example/nexus/issue-tracker' };
    const record = legacyRecord(ORG, { name: 'issue-tracker' }, tracker);
    world.legacy.install(record);
    const input = world.asked(ORG, { packInstallId: 'issue-tracker-1', appliedPayloadHash: record.appliedPayloadHash ?? OTHER });
    expect(await refuses(input)).toEqual(['CONV-02 LEGACY_OTHER_SOURCE']);
    expect(world.legacy.reapply(record)).toBe('written');
  });

  it('failed: cat:GEN-03 cat:CONV-03 a pack that is called as the App is, without a signature of the authority', async () => {
    const record = legacyRecord(ORG, { name: 'io.nexuscrm.sfcrm' });
    world.legacy.install(record);
    const unsigned = { ...signedMapping(), signature: Buffer.alloc(64) };
    expect(await refuses(world.asked(ORG, { mapping: unsigned, appliedPayloadHash: record.appliedPayloadHash ?? OTHER }))).toEqual([
      'CONV-03 MAPPING_UNSIGNED',
    ]);
  });

  it('converted: cat:ID-12 cat:GEN-04 whatever the pack, its incarnation, its source and its revision are called, the App is the constant', async () => {
    const over = { packInstallId: '_System_App', sourceUri: 'https://git.example/io.nexuscrm.other', sourceRevision: 'deadbeef' };
    const record = legacyRecord(ORG, { name: 'FrontendAppId' }, over);
    world.legacy.install(record);
    const mapping = signedMapping({ source: { kind: 'git', uri: over.sourceUri } });
    const input = world.asked(ORG, { ...over, mapping, appliedPayloadHash: record.appliedPayloadHash ?? OTHER });
    const answer = await world.convert(input);
    expect(await readInstallation(schema.db, ORG, answer.kind === 'converted' ? answer.installation : '')).toMatchObject({
      appId: 'io.nexuscrm.sfcrm',
    });
  });

  it('failed: cat:CONV-11 cat:CONV-18 wanted and applied diverge, or the source is not what its hash says', async () => {
    const record = legacyRecord(ORG, {}, { desiredPayloadHash: OTHER });
    world.legacy.install(record);
    expect(await refuses(world.asked(ORG))).toEqual(['CONV-11 LEGACY_DIVERGES']);
    world.legacy.install(legacyRecord(ORG, {}, { desiredPayloadHash: OTHER, appliedPayloadHash: OTHER }));
    expect(await refuses(world.asked(ORG, { appliedPayloadHash: OTHER }))).toEqual(['CONV-11 LEGACY_UNVERIFIED']);
  });

  it('failed: cat:CONV-13 cat:CONV-18 a metadata row, or a runtime declaration, is not what the pack has', async () => {
    const rows = legacyRecord(ORG).metadataRows ?? [];
    const [first, ...rest] = rows;
    if (first === undefined) throw new RangeError('no row');
    for (const changed of [
      { ...first, contentDigest: OTHER },
      { ...first, owner: 'somebody' },
      { ...first, businessKey: 'lead' },
    ]) {
      for (const side of ['metadataRows', 'runtimeDeclarations'] as const) {
        world.legacy.install(legacyRecord(ORG, {}, { [side]: [changed, ...rest] }));
        expect(await refuses(world.asked(ORG))).toEqual(['CONV-13 LEGACY_ROW_DIFFERS']);
      }
    }
  });

  it('failed: cat:CONV-13 a metadata row, or a runtime declaration, is there twice, once as another one', async () => {
    const rows = legacyRecord(ORG).metadataRows ?? [];
    const [first] = rows;
    if (first === undefined) throw new RangeError('no row');
    for (const side of ['metadataRows', 'runtimeDeclarations'] as const) {
      world.legacy.install(legacyRecord(ORG, {}, { [side]: [{ ...first, contentDigest: OTHER }, ...rows] }));
      expect(await refuses(world.asked(ORG))).toEqual(['CONV-13 LEGACY_ROW_DIFFERS']);
    }
  });

  it('failed: cat:CONV-12 the App lost a component, has one more, or the pack one of an unknown kind', async () => {
    const of = async (version: string, keys: readonly string[]): Promise<readonly string[]> => {
      const { releaseDigest } = await world.release((draft) => crmDraft(draft, keys), CRM_APP_ID, version);
      const asked = { ...world.asked(ORG).asked, appReleaseDigest: releaseDigest };
      return refuses(world.asked(ORG, { appReleaseDigest: releaseDigest, asked }));
    };
    expect(await of('2.0.0', ['account'])).toEqual(['CONV-12 COMPONENT_LOST']);
    expect(await of('2.1.0', ['account', 'contact', 'lead'])).toEqual(['CONV-12 COMPONENT_ADDED']);
    const components = [...(legacyRecord(ORG).components ?? []), { kind: 'script', businessKey: 'x', bytes: Buffer.from('{}') }];
    const record = legacyRecord(ORG, {}, { components });
    world.legacy.install(record);
    expect(await refuses(world.asked(ORG, { appliedPayloadHash: record.appliedPayloadHash ?? OTHER }))).toEqual([
      'CONV-12 LEGACY_KIND_UNKNOWN',
    ]);
  });

  it('failed: cat:CONV-14 a fact of the pack that the manifest lacks, and one that is there twice', async () => {
    const record = legacyRecord(ORG, { capabilities: ['work', 'play'] });
    world.legacy.install(record);
    const input = world.asked(ORG, { appliedPayloadHash: record.appliedPayloadHash ?? OTHER });
    expect(await refuses(input)).toEqual(['CONV-14 FACT_UNMAPPED']);
    const facts = [...LEGACY_MAPPING_FACTS, { fact: 'capability', legacy: 'play', target: `${CRM_APP_ID}.work.v1` } as const];
    expect(await refuses({ ...input, mapping: signedMapping({ facts }) })).toEqual(['CONV-14 FACT_TWICE']);
  });

  it('failed: cat:CONV-15 the key of the publisher is revoked', async () => {
    await schema.sql('INSERT INTO cat_key_revocation (key_id, reason, revoked_by) SELECT key_id, ?, ? FROM cat_publisher_key', ['x', 'y']);
    expect(await refuses(world.asked(ORG))).toEqual(['PREP-01 KEY_REVOKED']);
  });

  it('failed: cat:CONV-15 the AppID is another publisher’s in that epoch', async () => {
    await schema.sql(`UPDATE cat_ownership_event SET new_publisher_id = 'io.other'`);
    expect(await refuses(world.asked(ORG))).toEqual(['PREP-01 OWNERSHIP_EPOCH_STALE']);
  });

  it.each([
    ['catalog', { catalog: OTHER }],
    ['runtime', { runtime: OTHER }],
  ])('failed: cat:CONV-17 the %s projection would be another one than was computed beside', async (_side, change) => {
    const input = world.asked(ORG);
    expect(await refuses({ ...input, expected: { ...input.expected, ...change } })).toEqual(['CONV-17 PROJECTION_UNEXPECTED']);
  });

  it('converted: cat:CONV-17 what is published is, but for the minted id, what the second generator computed', async () => {
    const answer = await world.convert(world.asked(ORG));
    const found = await readInstallation(schema.db, ORG, answer.kind === 'converted' ? answer.installation : '');
    const { expected } = world.asked(ORG);
    if (found.kind !== 'found' || found.tuple === null) throw new RangeError('nothing is published');
    expect(tupleDocument.build({ ...found.tuple, app_installation_id: UNMINTED }).digest).toBe(expected.catalog);
    const sent = appGrants.parse(world.security.seen[0]?.appGrants ?? Buffer.alloc(0)).value;
    const installations = sent.installations.map((one) => ({ ...one, app_installation_id: UNMINTED }));
    expect(appGrants.build({ ...sent, installations }).digest).toBe(expected.runtime);
  });
});

const LEGACY_MAPPING_FACTS = [
  { fact: 'capability', legacy: 'work', target: `${CRM_APP_ID}.work.v1` },
  { fact: 'compatibility', legacy: 'records/1', target: 'io.nexuscrm.records' },
  { fact: 'namespace', legacy: 'sfcrm_layouts', target: 'io.nexuscrm.sfcrm.layouts' },
] as const;

describe('convert › finds something in the way (cat:CONV-16)', () => {
  it('failed: cat:CONV-16 AppID, version and digest: no such release is registered', async () => {
    const asked = { ...world.asked(ORG).asked, appReleaseDigest: OTHER };
    expect(await refuses(world.asked(ORG, { appReleaseDigest: OTHER, asked }))).toEqual(['CONV-06 RELEASE_ABSENT']);
  });

  it('failed: cat:CONV-16 component: another App owns one', async () => {
    await schema.sql(`UPDATE cat_component_owner SET app_id = 'io.other.app' LIMIT 1`);
    expect(await refuses(world.asked(ORG))).toEqual(['PREP-05 COMPONENT_OWNED']);
  });

  it('failed: cat:CONV-16 namespace: another installation of the organization claims one above', async () => {
    const columns = '(organization_id, namespace_id, app_installation_id, attempt, open_namespace_id)';
    await schema.sql(`INSERT INTO cat_namespace_claim ${columns} VALUES (?, ?, 'other', 1, ?)`, [ORG, CRM_APP_ID, CRM_APP_ID]);
    expect(await refuses(world.asked(ORG))).toEqual(['PREP-04 NAMESPACE_OVERLAP']);
  });

  it('failed: cat:CONV-16 dependency: one is chosen that the App has not declared', async () => {
    const dependencies = [{ alias: 'base', appReleaseDigest: OTHER }];
    const answer = await refuses(world.asked(ORG, { asked: { ...world.asked(ORG).asked, dependencies } }));
    expect(answer).toEqual([expect.stringMatching(/^PREP-03 /)]);
  });

  it('failed: cat:CONV-16 installation: the App lives in the organization already', async () => {
    await world.install(ORG, world.asked(ORG).asked);
    expect(await refuses(world.asked(ORG))).toEqual(['CONV-16 INSTALLATION_EXISTS']);
  });

  it('failed: cat:CONV-16 binding: nobody attests the handler', async () => {
    const { asked } = world.asked(ORG);
    const handlerBindings = asked.handlerBindings.map((one) => ({ ...one, serviceReleaseDigest: OTHER }));
    const answer = await refuses(world.asked(ORG, { asked: { ...asked, handlerBindings } }));
    expect(answer.every((one) => /^PREP-1[01]|^PREP-08|^BIND/.test(one))).toBe(true);
  });
});

describe('fail-conversion', () => {
  const failure = (attemptId: OperationId) => ({ key: world.asked(ORG), attemptId, faults: [], caller: 'test' });

  it('failed: one row', async () => {
    expect(await failConversion(schema.db, failure(OperationId.mint()))).toEqual({ kind: 'failed' });
    expect(await countOf(schema, 'cat_conversion')).toBe(1);
  });

  it('already-failed: the same attempt again', async () => {
    const attempt = OperationId.mint();
    await failConversion(schema.db, failure(attempt));
    expect(await failConversion(schema.db, failure(attempt))).toEqual({ kind: 'already-failed' });
    expect(await countOf(schema, 'cat_conversion')).toBe(1);
  });

  it('converted: under the hold that somebody gives up, somebody converted', async () => {
    await world.convert(world.asked(ORG));
    const standing = await readConversion(schema.db, ORG);
    if (standing === undefined) throw new RangeError('nothing stands');
    expect(await failConversion(schema.db, failure(standing.attemptId))).toEqual({
      kind: 'converted',
      installation: standing.installation,
    });
    expect(await countOf(schema, 'cat_conversion')).toBe(1);
  });
});
