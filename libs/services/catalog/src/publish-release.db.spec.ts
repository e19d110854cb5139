import { digestsOf } from '@connector/catalog/contract/artifact-registry';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { FakeArtifacts, type FakeMood } from '@connector/testing/fake-artifacts';
import { asking, trustedPublisher } from '@connector/testing/fixtures/registry';
import { builtRelease, type BuiltRelease } from '@connector/testing/fixtures/release';
import { countOf } from '@connector/testing/fixtures/serving';
import { publishRelease } from './publish-release';

let schema: TestSchema;
let artifacts: FakeArtifacts;
const release = builtRelease({ layouts: { a: 1, b: 2 }, slots: [{ key: 'main', version: 1, target: 'a' }] });

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  artifacts = new FakeArtifacts();
  for (const blob of release.blobs) await artifacts.put(digestsOf(blob), blob);
});
afterAll(() => schema.close());

async function publish(one: BuiltRelease = release) {
  const north = await trustedPublisher(schema.db, 'dev.north');
  const input = { manifest: one.manifestBytes, bundle: one.bundleBytes, attestation: north.attest(one) };
  return publishRelease(schema.db, artifacts, input, asking());
}
const codesOf = (answer: Awaited<ReturnType<typeof publish>>): readonly string[] =>
  answer.kind === 'faulty' ? answer.faults.map(({ code }) => code) : [answer.kind];

describe('publish a release', () => {
  it('registered: every blob is asked for once', async () => {
    expect(await publish()).toMatchObject({ kind: 'registered' });
    expect(artifacts.asked.length).toBe(release.blobs.length);
  });

  it.each<[string, FakeMood, readonly string[]]>([
    ['a registry that does not answer', 'unavailable', ['unavailable']],
    ['a registry that lies about bytes', 'lies', ['DIGEST_MISMATCH']],
  ])('nothing is written: %s (cat:REG-05, cat:REG-09, cat:SLOT-16)', async (_, mood, codes) => {
    artifacts.mood = mood;
    expect(codesOf(await publish())).toEqual(expect.arrayContaining([...codes]));
    expect([await countOf(schema, 'cat_app'), await countOf(schema, 'cat_app_release')]).toEqual([0, 0]);
  });

  it('blob-corrupt: one blob that was damaged, by its digest', async () => {
    const [blob] = release.blobs;
    if (blob === undefined) throw new Error('no blob');
    const { componentDigest } = digestsOf(blob);
    artifacts.damage(componentDigest);
    expect(await publish()).toEqual({ kind: 'blob-corrupt', code: 'DIGEST_MISMATCH', componentDigest });
  });

  it('faulty: one bad component among many keeps the whole release out (cat:REG-04, cat:SLOT-15)', async () => {
    const layouts = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`l${at}`, at]));
    const many = builtRelease({ layouts });
    for (const blob of many.blobs.slice(1)) await artifacts.put(digestsOf(blob), blob);
    expect(codesOf(await publish(many))).toEqual(['BLOB_MISSING']);
    expect(await countOf(schema, 'cat_app_release')).toBe(0);
  });
});
