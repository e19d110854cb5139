import { createHash } from 'node:crypto';
import { Digest } from '@connector/kernel/digest';
import { documentDigest } from '@connector/kernel/document';
import { jcs, type Json } from '@connector/kernel/jcs';
import { exampleRelease, seal } from '@connector/testing/fixtures/app-release';
import { type AppDigestVector, appVectors } from '@connector/testing/vectors/load';
import { checkRelease } from './release';
import { appReleaseDigest, componentDigest, componentId, metadataBundleDigest, rawSha256, slotRevisionDigest } from './release-digests';

const { components, release_1_0_0: release, slot_successors: slots, traps } = appVectors;
const { layout_a: a, layout_b: b, slot_v1: slot } = components;
const all = [a, b, slot];
const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');
const word = (value: Json | undefined): string => String(value);
const behaviorDigest = (one: (typeof all)[number]): Digest =>
  componentDigest(word(one.descriptor['component_kind']), 1, bytes(one.behavior_jcs_utf8));

/** The vector itself, byte for byte; then our digest is its digest. */
function expectVector(digest: Digest, preimage: Buffer, vector: AppDigestVector): void {
  expect(bytes(vector.preimage_utf8)).toEqual(preimage);
  expect(preimage).toHaveLength(vector.preimage_length);
  if (vector.preimage_hex !== undefined) expect(preimage.toString('hex')).toBe(vector.preimage_hex);
  expect(Digest.sha256(preimage)).toBe(vector.digest);
  expect(digest).toBe(vector.digest);
}
const separated = (separator: string, ...parts: readonly Buffer[]): Buffer => Buffer.concat([bytes(`${separator}\0`), ...parts]);

describe('digests of a release', () => {
  it('the three component IDs, byte for byte (cat:DIG-05, cat:BUN-03, cat:A-01)', () => {
    for (const { descriptor, component_id: vector } of all) {
      const [namespace, kind, key] = ['namespace_id', 'component_kind', 'business_key'].map((name) => word(descriptor[name]));
      const preimage = separated('nexuscrm.app-component-id.v1', bytes(`${namespace}\0${kind}\0${key}`));
      expectVector(componentId(namespace ?? '', kind ?? '', key ?? ''), preimage, vector);
      expect(descriptor['component_id']).toBe(vector.digest);
    }
  });

  it('the three component digests, and the content digests of the descriptors (cat:DIG-06, cat:A-02, cat:A-03)', () => {
    for (const one of all) {
      const behavior = bytes(one.behavior_jcs_utf8);
      expect(behavior).toHaveLength(one.behavior_length);
      const preimage = separated('nexuscrm.app-component.v1', bytes(`${word(one.descriptor['component_kind'])}\0${1}\0`), behavior);
      expectVector(behaviorDigest(one), preimage, one.component_digest);
      expect(one.descriptor['content_digest']).toBe(one.component_digest.digest);
    }
  });

  it('the plain hash of a blob is another fact than its digest (cat:A-04)', () => {
    for (const one of all) expect(rawSha256(bytes(one.behavior_jcs_utf8))).toBe(`sha256:${one.raw_blob_sha256}`);
    expect(rawSha256(bytes(a.behavior_jcs_utf8))).not.toBe(a.component_digest.digest);
  });

  it('the bundle digest and the release digest (cat:DIG-07, cat:DIG-08, cat:MAN-24)', () => {
    const [bundle, manifest] = [jcs(release.metadata_bundle), jcs(release.app_manifest)];
    expectVector(metadataBundleDigest(bundle), separated('nexuscrm.metadata-bundle.v1', bundle), release.metadata_bundle_digest);
    expectVector(appReleaseDigest(manifest), separated('nexuscrm.app-release.v1', manifest), release.app_release_digest);
  });

  it('the revision digests of the slot: its three versions and the fork (cat:DIG-09, cat:SLOT-19)', () => {
    const app = 'io.nexuscrm.sfcrm';
    const preimage = separated('nexuscrm.layout-bundle-slot-revision.v1', jcs({ app_id: app, component: slot.descriptor }));
    expectVector(slotRevisionDigest(app, slot.descriptor), preimage, slot.layout_bundle_slot_revision_digest);
    for (const one of [slots.slot_v2_a_to_b, slots.slot_v3_b_to_a, slots.fork_at_v1]) {
      expect(slotRevisionDigest(app, one.descriptor)).toBe(one.layout_bundle_slot_revision_digest);
    }
  });

  it('the later releases: slot A to B, B to A, and the first revision again (cat:DIG-07, cat:DIG-08, cat:SLOT-38, cat:SLOT-43)', () => {
    const versions = [
      ['1.0.0', release.metadata_bundle_digest.digest, release.app_release_digest.digest],
      ['1.1.0', slots.slot_v2_a_to_b.release_1_1_0.metadata_bundle_digest, slots.slot_v2_a_to_b.release_1_1_0.app_release_digest],
      ['1.2.0', slots.slot_v3_b_to_a.release_1_2_0.metadata_bundle_digest, slots.slot_v3_b_to_a.release_1_2_0.app_release_digest],
      ['1.3.0', release.metadata_bundle_digest.digest, 'sha256:c6497888d19360881bfcc91b80c3049369d8f8cfab4cbe7ca272ec86fc737cbf'],
    ] as const;
    for (const [version, bundleDigest, releaseDigest] of versions) {
      expect(checkRelease(seal(exampleRelease(version)))).toMatchObject({ kind: 'release', release: { bundleDigest, releaseDigest } });
    }
  });

  it('release: the worked example comes back as it went in, capabilities and all (cat:MAN-15, cat:DIG-12)', () => {
    const answer = checkRelease(seal(exampleRelease()));
    if (answer.kind === 'faulty') throw new Error('refused');
    expect(jcs(answer.release.manifest)).toEqual(jcs(release.app_manifest));
    expect(jcs(answer.release.bundle)).toEqual(jcs(release.metadata_bundle));
  });

  it('the component ID of the slot stays while version, content and target change (cat:BUN-04, cat:SLOT-17)', () => {
    const ids = [slot, slots.slot_v2_a_to_b, slots.slot_v3_b_to_a].map((one) => one.descriptor['component_id']);
    expect(new Set(ids)).toEqual(new Set([slot.component_id.digest]));
    expect(new Set([slot, slots.slot_v2_a_to_b, slots.slot_v3_b_to_a].map((one) => one.descriptor['content_digest'])).size).toBe(3);
  });

  it('another digest when an ordered list in a behavior is put in another order (cat:DIG-03)', () => {
    const behavior = JSON.parse(a.behavior_jcs_utf8) as { sections: { fields: string[] }[] };
    const fields = behavior.sections.flatMap((section) => section.fields);
    expect(fields).not.toEqual([...fields].sort());
    for (const section of behavior.sections) section.fields.sort();
    expect(componentDigest('io.nexuscrm.record-layout.v1', 1, jcs(behavior as unknown as Json))).not.toBe(a.component_digest.digest);
  });

  it('none of the traps: what a careless hash would give is another digest (cat:DIG-10, cat:A-02)', () => {
    const sha = (...parts: readonly Buffer[]): Digest => Digest.sha256(Buffer.concat(parts));
    const bundle = jcs(release.metadata_bundle);
    const kind = 'io.nexuscrm.record-layout.v1';
    const parsed = JSON.parse(b.behavior_jcs_utf8) as { labels: Record<string, string> };
    const points = Object.entries(parsed.labels).sort(([left], [right]) => (left.codePointAt(0) ?? 0) - (right.codePointAt(0) ?? 0));
    const byPoint = b.behavior_jcs_utf8.replace(/"labels":\{[^}]*\}/, `"labels":${JSON.stringify(Object.fromEntries(points))}`);
    const careless = {
      component_digest_layout_a_if_format_version_were_uint32_be: sha(
        bytes(`nexuscrm.app-component.v1\0${kind}\0`),
        Buffer.from([0, 0, 0, 1, 0]),
        bytes(a.behavior_jcs_utf8),
      ),
      bundle_digest_if_domain_separator_lacked_nul: sha(bytes('nexuscrm.metadata-bundle.v1'), bundle),
      component_digest_layout_b_if_keys_sorted_by_code_point: componentDigest(kind, 1, bytes(byPoint)),
      bundle_digest_with_trailing_newline: documentDigest('nexuscrm.metadata-bundle.v1', Buffer.concat([bundle, bytes('\n')])),
    };
    expect(careless).toEqual(traps);
    const ours = [...all.map(behaviorDigest), metadataBundleDigest(bundle), ...all.map((one) => one.component_id.digest)];
    for (const trap of Object.values(traps)) expect(ours).not.toContain(trap);
  });

  it('the canonical form that the vectors stand on: RFC 8785 3.2.3 and 3.2.4 (cat:DIG-01)', () => {
    const { jcs_self_test: test } = appVectors;
    const numbers = [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001];
    const value = { numbers, string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"\u002f', literals: [null, true, false] };
    expect(jcs(value)).toHaveLength(test.rfc8785_3_2_4_output_length);
    const sha = (json: Json): string => createHash('sha256').update(jcs(json)).digest('hex');
    expect(sha(value)).toBe(test.rfc8785_3_2_4_output_sha256);
    const names = { '\u20ac': 'Euro Sign', '\r': 'Carriage Return', '\ufb33': 'Hebrew Letter Dalet With Dagesh', '1': 'One' };
    const more = { '\u{1f600}': 'Emoji: Grinning Face', '\u0080': 'Control', '\u00f6': 'Latin Small Letter O With Diaeresis' };
    expect(sha({ ...names, ...more })).toBe(test.rfc8785_3_2_3_output_sha256);
  });
});
