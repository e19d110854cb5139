import type { AskedInstallation } from '@connector/catalog/model/installation/asked';
import type { AppRelease } from '@connector/catalog/model/release';
import { Digest } from '@connector/kernel/digest';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import {
  APP,
  askedFor,
  platform,
  type PublicationWorld,
  publicationWorld,
  SERVICE_RELEASE,
  WORKLOAD,
} from '@connector/testing/fixtures/publication';
import { countOf } from '@connector/testing/fixtures/serving';

const ORG = 'org-1';
const [BASE, UI] = ['dev.example.base', 'dev.example.ui'] as const;
const RECORDS = 'runtime.records.write.v1';
const FRONTEND_RELEASE = Digest.sha256(Buffer.from('frontend release'));
const offer = (protocol_id: string, major = 1) => ({ protocol_id, major, minor: 0 });
const OFFERED = platform({ protocols: [offer('dev.example.host-sdk')] }, [APP, BASE, UI]);

let schema: TestSchema;
let world: PublicationWorld;
let base: AppRelease;
let app: AppRelease;

beforeAll(async () => {
  schema = await mainSchema();
  world = await publicationWorld(schema, { offered: OFFERED });
  base = await world.release(undefined, BASE);
  app = await world.release((draft) => {
    const range = { minimum_version_inclusive: '1.0.0', maximum_version_exclusive: '2.0.0' };
    draft.manifest['dependencies'] = [{ alias: 'base', app_id: BASE, ...range, required_capabilities: [] }];
    const listed = { capability_id: `${APP}.listed.v1`, kind: 'metadata', required_runtime_capabilities: [] };
    draft.manifest['provided_capabilities'] = [listed, ...(draft.manifest['provided_capabilities'] as (typeof listed)[])];
  });
  expect(await world.install(ORG, askedFor(base))).toMatchObject({ end: { kind: 'published' } });
});
afterAll(() => schema.close());

const NAMED = () => ({ alias: 'base', appReleaseDigest: base.releaseDigest });
const BOUND = { capabilityId: `${APP}.work.v1`, workloadId: WORKLOAD, serviceReleaseDigest: SERVICE_RELEASE };
const asked = (over: Partial<AskedInstallation> = {}) => askedFor(app, { dependencies: [NAMED()], ...over });

/** Rule, place and code of every fault; and nothing but the journal was written. */
async function refusedBy(what: AskedInstallation): Promise<readonly string[]> {
  const before = [await countOf(schema, 'cat_candidate'), await countOf(schema, 'cat_installation'), world.security.seen.length];
  const answer = await world.install(ORG, what);
  if (answer.kind !== 'refused') throw new Error(`expected a refusal, found ${answer.kind}`);
  expect([await countOf(schema, 'cat_candidate'), await countOf(schema, 'cat_installation'), world.security.seen.length]).toEqual(before);
  return answer.refusal.faults.map(({ rule, pointer, code }) => `${rule} ${pointer} ${code}`);
}

describe('preparation › what is chosen twice', () => {
  it.each([
    ['PREP-03', 'a dependency', () => ({ dependencies: [NAMED(), NAMED()] }), '/dependencies/1/alias'],
    [
      'PREP-09',
      'a workload',
      () => ({
        grants: [
          { workloadId: WORKLOAD, capabilities: [RECORDS] },
          { workloadId: WORKLOAD, capabilities: [] },
        ],
      }),
      '/grants/1/workload_id',
    ],
    ['PREP-09', 'a grant', () => ({ grants: [{ workloadId: WORKLOAD, capabilities: [RECORDS, RECORDS] }] }), '/grants/0/capabilities/1'],
    ['PREP-10', 'a binding', () => ({ handlerBindings: [BOUND, BOUND] }), '/handler_bindings/1/capability_id'],
  ])('refused: cat:%s %s that is named again', async (rule, _what, over, pointer) => {
    expect(await refusedBy(asked(over()))).toEqual([`${rule} ${pointer} DUPLICATE`]);
  });
});

describe('preparation › what is chosen and is not what it has to be', () => {
  it('refused: cat:PREP-08 the workload of a binding, which the deployment does not know', async () => {
    const faults = await refusedBy(asked({ handlerBindings: [{ ...BOUND, workloadId: 'dev.example.nobody' }] }));
    expect(faults).toContain('PREP-08 /handler_bindings/0/workload_id WORKLOAD_UNKNOWN');
  });

  it('refused: cat:PREP-10 a binding of a capability that has no handler', async () => {
    const handlerBindings = [BOUND, { ...BOUND, capabilityId: `${APP}.listed.v1` }];
    expect(await refusedBy(asked({ handlerBindings }))).toEqual(['PREP-10 /handler_bindings/1/capability_id CAPABILITY_UNDECLARED']);
  });

  it('refused: cat:PREP-11 a frontend that was made for another major of the host', async () => {
    const protocol = (protocol_id: string) => ({ protocol_id, major: 1, minimum_minor: 0 });
    const ui = await world.release((draft) => {
      const [host_sdk, contribution_schema] = [protocol('dev.example.host-sdk'), protocol('dev.example.parts')];
      draft.manifest['frontend_compatibility'] = { mode: 'required', host_sdk, contribution_schema };
    }, UI);
    const frontend = { frontend_release_digest: FRONTEND_RELEASE, contribution_schema: offer('dev.example.parts') };
    world.offered = { ...OFFERED, frontends: [{ ...frontend, host_sdk: offer('dev.example.host-sdk', 2) }] };
    const faults = await refusedBy(askedFor(ui, { frontendReleaseDigest: FRONTEND_RELEASE }));
    world.offered = OFFERED;
    expect(faults).toEqual(['PREP-11 /frontend_release_digest FRONTEND_INCOMPATIBLE']);
  });
});

describe('preparation › bytes that are whole, and are of another digest', () => {
  /** The manifest says another version: everything about it is well formed. */
  async function altered(release: AppRelease, run: () => Promise<void>): Promise<void> {
    const key = [Buffer.from(release.appId), Digest.bytes(release.releaseDigest)];
    const say = (from: string, to: string) =>
      schema.sql('UPDATE cat_app_release SET manifest = REPLACE(manifest, ?, ?) WHERE app_id = ? AND release_digest = ?', [
        from,
        to,
        ...key,
      ]);
    await say('"semantic_version":"1.0.0"', '"semantic_version":"1.0.9"');
    await run();
    await say('"semantic_version":"1.0.9"', '"semantic_version":"1.0.0"');
  }

  it('refused: cat:PREP-02 of the release', () =>
    altered(app, async () => {
      expect(await refusedBy(asked())).toEqual(['PREP-02 /app_release_digest DIGEST_MISMATCH']);
    }));

  it('refused: cat:PREP-03 of a dependency, which is as good as absent', () =>
    altered(base, async () => {
      expect(await refusedBy(asked())).toEqual(['PREP-03 /dependencies/0 DEPENDENCY_ABSENT']);
    }));
});
