import { digestsOf } from '@connector/catalog/contract/artifact-registry';
import { AppId, PublisherId } from '@connector/catalog/model/identifier';
import { appReleaseDigest } from '@connector/catalog/model/release-digests';
import type { RunningService } from '@connector/platform/host/service';
import { catalog } from '@connector/services/catalog/src/catalog.service';
import { type Answered, type Calls, callsTo, tokensFor } from '@connector/testing/calls';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { exampleRelease, type ReleaseDraft, seal, type SealedRelease } from '@connector/testing/fixtures/app-release';
import { asking, LONG_AGO, rowsOf, signer } from '@connector/testing/fixtures/registry';
import { caseRelease } from '@connector/testing/fixtures/release-cases';
import { bootOn, testHome, type TestHome } from '@connector/testing/service';
import { appCases, appVectors } from '@connector/testing/vectors/load';

const { app_id: APP, publisher_id: PUBLISHER } = appVectors.identifiers;
/** Everything that a registration writes. */
const WRITTEN = [
  ...['cat_app', 'cat_app_ownership', 'cat_ownership_event', 'cat_metadata_bundle', 'cat_app_release', 'cat_release_dependency'],
  ...['cat_component_owner', 'cat_capability_owner', 'cat_slot_reservation', 'cat_slot_revision', 'cat_slot_head'],
  ...['cat_slot_release_version', 'cat_request', 'cat_audit'],
];

let schema: TestSchema;
let home: TestHome;
let service: RunningService;
let local: Calls;
let before: string;
const owner = signer();
const key = (): string => asking().key;
const base64 = (bytes: Buffer): string => bytes.toString('base64');

beforeAll(async () => {
  schema = await mainSchema();
  home = await testHome();
  await tokensFor(home, 'catalog', ['local']);
  await tokensFor(home, 'runtime', ['catalog']);
  service = await bootOn(catalog, schema, home);
  local = callsTo(service, 'local');
  await local.put(`/v1/publishers/${PUBLISHER}`, {}, key());
  await local.post(`/v1/publishers/${PUBLISHER}/keys`, { public_key_base64: base64(owner.publicKey), valid_from: LONG_AGO }, key());
  before = await rowsOf(schema, ...WRITTEN);
});
afterAll(async () => {
  await service.stop();
  await schema.close();
  await home.remove();
});

async function upload({ components, behaviors }: ReleaseDraft): Promise<void> {
  for (const one of components) {
    const bytes = behaviors.get(String(one['component_id']));
    if (bytes === undefined) continue;
    const blob = { componentKind: String(one['component_kind']), formatVersion: Number(one['component_format_version']), bytes };
    const { componentDigest, rawSha256 } = digestsOf(blob);
    const named = { component_kind: blob.componentKind, component_format_version: blob.formatVersion, raw_sha256: rawSha256 };
    await local.put(`/v1/blobs/sha256/${componentDigest.slice(7)}`, { ...named, bytes_base64: base64(bytes) });
  }
}

/** The release under an attestation that holds, so that nothing but its own bytes can refuse it. */
function bodyOf({ manifest, bundle }: SealedRelease): Record<string, unknown> {
  const { statement, signature } = owner.attest({
    appId: AppId.parse(APP),
    publisherId: PublisherId.parse(PUBLISHER),
    semanticVersion: '1.0.0',
    releaseDigest: appReleaseDigest(manifest),
  });
  const attestation = { statement_base64: base64(statement), signature_base64: base64(signature) };
  return { manifest_base64: base64(manifest), bundle_base64: base64(bundle), attestation };
}
const post = (body: unknown): Promise<Answered> => local.post('/v1/app-releases', body, key());
const codesOf = ({ body }: Answered): readonly unknown[] => (body['errors'] as { readonly code?: string }[]).map(({ code }) => code);

describe('contract › a release that is refused', () => {
  it.each(appCases.cases.map((one) => [one.case, one.expect, one] as const))(
    '422 for the case %s with %s, and nothing is written (cat:REG-04, cat:SLOT-15)',
    async (_name, code, one) => {
      const { draft, sealed } = caseRelease(one);
      await upload(exampleRelease());
      await upload(draft);
      const answer = await post(bodyOf(sealed));
      expect([answer.status, answer.body['code']]).toEqual([422, 'HOUSE:catalog:ReleaseFaulty']);
      expect(codesOf(answer)).toContain(code);
      expect(await rowsOf(schema, ...WRITTEN)).toBe(before);
    },
  );

  it.each<[string, (body: Record<string, unknown>) => unknown]>([
    ['a list for the attestation', (body) => ({ ...body, attestation: [] })],
    ['a list of attestations', ({ attestation, ...body }) => ({ ...body, attestation: [attestation] })],
    ['null for the attestation', (body) => ({ ...body, attestation: null })],
    ['a list for the body', (body) => [body]],
    ['base64 without its padding', (body) => ({ ...body, manifest_base64: String(body['manifest_base64']).replace(/=+$/, '') })],
    ['base64 of addresses', (body) => ({ ...body, bundle_base64: `${String(body['bundle_base64']).slice(0, -4)}-_==` })],
    ['a line break in base64', (body) => ({ ...body, manifest_base64: `${String(body['manifest_base64'])}\n` })],
    ['more objects than any body has', (body) => ({ ...body, attestation: Array.from({ length: 20_000 }, () => ({})) })],
  ])('400 for %s, and nothing is written', async (_what, change) => {
    // Two bytes short of a multiple of three: it ends with padding.
    const draft = exampleRelease();
    const body = bodyOf(seal(draft));
    if (!String(body['manifest_base64']).endsWith('=')) body['manifest_base64'] = base64(Buffer.from('{}{}'));
    const answer = await post(change(body));
    expect([answer.status, answer.body['code']]).toEqual([400, 'HOUSE:http:BodyInvalid']);
    expect(await rowsOf(schema, ...WRITTEN)).toBe(before);
  });

  it('201 for the worked example itself, so it was no other clause that refused its cases', async () => {
    await upload(exampleRelease());
    expect((await post(bodyOf(seal(exampleRelease())))).status).toBe(201);
  });
});
