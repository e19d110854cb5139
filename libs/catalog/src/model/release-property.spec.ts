import * as fc from 'fast-check';
import type { Digest } from '@connector/kernel/digest';
import { jcs, type Json } from '@connector/kernel/jcs';
import {
  type Draft,
  exampleRelease,
  layout,
  type ReleaseDraft,
  restamp,
  seal,
  type SealedRelease,
} from '@connector/testing/fixtures/app-release';
import { builtRelease, type SlotSpec } from '@connector/testing/fixtures/release';
import { appVectors } from '@connector/testing/vectors/load';
import { checkRelease, type ReleaseInput } from './release';
import { metadataBundleDigest, slotRevisionDigest } from './release-digests';

const seed = Date.now() % 2_147_483_647;
beforeAll(() => console.log(`release: fast-check seed ${seed}`));
const holds = <T extends unknown[]>(property: fc.IProperty<T>, numRuns: number): void => fc.assert(property, { seed, numRuns });

const NAMESPACE = 'io.nexuscrm.sfcrm.layouts';
const word = fc
  .array(fc.constantFrom('a', 'b', 'Z', '0', '/', ' x', '\u00e4', '\u{1f600}'), { minLength: 1, maxLength: 4 })
  .map((parts) => `k${parts.join('')}`);
const says: fc.Arbitrary<Json> = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'title'), fc.oneof(fc.integer(), fc.boolean(), word), {
  maxKeys: 3,
  noNullPrototype: true,
});
const layouts = fc.uniqueArray(
  fc.record({ key: word, version: fc.constantFrom('1', '2.0', 'v-1'), says, needs: fc.array(fc.nat(7), { maxLength: 2 }) }),
  { minLength: 1, maxLength: 4, selector: ({ key }) => key },
);

/** The example with further layouts, some of which need others. */
const release: fc.Arbitrary<ReleaseDraft> = layouts.map((given) => {
  const draft = exampleRelease();
  const ids: string[] = draft.components.slice(0, 2).map((one) => String(one['component_id']));
  for (const { key, version, says: content, needs } of given) {
    const { descriptor } = layout(NAMESPACE, key, [...new Set(needs.map((at) => ids[at % ids.length] ?? ''))]);
    descriptor['definition_version'] = version;
    draft.behaviors.set(String(descriptor['component_id']), jcs(content));
    restamp(draft, descriptor);
    draft.components.push(descriptor);
    ids.push(String(descriptor['component_id']));
  }
  draft.components.sort((left, right) => (String(left['component_id']) < String(right['component_id']) ? -1 : 1));
  return draft;
});

function digestOf(input: ReleaseInput): Digest | undefined {
  const answer = checkRelease(input);
  return answer.kind === 'release' ? answer.release.releaseDigest : undefined;
}
function accepted(input: ReleaseInput): Digest {
  const answer = checkRelease(input);
  if (answer.kind === 'faulty') throw new Error(JSON.stringify(answer.faults));
  return answer.release.releaseDigest;
}
function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  const bit = at % (bytes.length * 8);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}
/** These bytes of a bundle under a manifest that names them. */
function rooted({ manifest, bundle, blobs, blobOf }: SealedRelease, other: Buffer): SealedRelease {
  const text = manifest.toString('utf8').replace(metadataBundleDigest(bundle), metadataBundleDigest(other));
  return { manifest: Buffer.from(text), bundle: other, blobs, blobOf };
}

const { descriptor: SLOT } = appVectors.components.slot_v1;
const slots: fc.Arbitrary<SlotSpec> = fc
  .record({
    key: fc.constantFrom('north', 'south'),
    version: fc.integer({ min: 1, max: 3 }),
    target: fc.constantFrom('a', 'b'),
    named: fc.boolean(),
  })
  .map(({ key, version, target, named }) => ({
    ...{ key, version, target },
    ...(version === 1 ? {} : { previous: target === 'a' ? 'b' : 'a' }),
    ...(named ? { namespace: 'dev.north.desk.slots' } : {}),
  }));
const anyJson: fc.Arbitrary<Json> = fc.oneof(word, fc.integer(), fc.array(word, { maxLength: 2 }), fc.boolean());

describe('what digests cover, in generated releases', () => {
  it('another digest or a refusal: any one bit of manifest, bundle or behavior changed (cat:BUN-23, cat:DIG-14)', () => {
    let others = 0;
    holds(
      fc.property(release, fc.nat(), fc.nat(), (draft, bit, which) => {
        const sealed = seal(draft);
        const original = accepted(sealed);
        const [name, blob] = [...sealed.blobs][which % sealed.blobs.size] as [Digest, Buffer];
        const changed = flipped(blob, bit);
        const found = [
          digestOf({ ...sealed, manifest: flipped(sealed.manifest, bit) }),
          digestOf(rooted(sealed, flipped(sealed.bundle, bit))),
          digestOf({ ...sealed, blobOf: (digest) => (digest === name ? changed : sealed.blobOf(digest)) }),
        ];
        expect(found).not.toContain(original);
        expect(found[2]).toBeUndefined();
        others += found.filter((digest) => digest !== undefined).length;
      }),
      120,
    );
    expect(others).toBeGreaterThan(0);
  });

  it('another release digest: one behavior with other bytes under a digest of its own (cat:BUN-23, cat:DIG-12)', () => {
    holds(
      fc.property(release, says, fc.nat(), (draft, content, which) => {
        const before = accepted(seal(draft));
        const ordinary = draft.components.filter((one) => one['component_kind'] === 'io.nexuscrm.record-layout.v1');
        const one = ordinary[which % ordinary.length] as Draft;
        const id = String(one['component_id']);
        const same = jcs(content).equals(draft.behaviors.get(id) ?? Buffer.alloc(0));
        draft.behaviors.set(id, jcs(content));
        restamp(draft, one);
        expect(accepted(seal(draft)) === before).toBe(same);
      }),
      120,
    );
  });

  it('another revision digest: any member of a slot descriptor with any other value, or none (cat:SLOT-20)', () => {
    holds(
      fc.property(fc.constantFrom(...Object.keys(SLOT)), fc.option(anyJson), (member, value) => {
        const { [member]: before, ...rest } = SLOT;
        fc.pre(before !== undefined && (value === null || !jcs(value).equals(jcs(before))));
        const other = value === null ? rest : { ...rest, [member]: value };
        expect(slotRevisionDigest('io.nexuscrm.sfcrm', other)).not.toBe(slotRevisionDigest('io.nexuscrm.sfcrm', SLOT));
      }),
      300,
    );
  });

  it('the same revision digest for the same declaration and for no other: key, version, target, predecessor, namespace (cat:SLOT-20)', () => {
    const revision = (slot: SlotSpec) => builtRelease({ layouts: { a: 'a', b: 'b' }, slots: [slot] }).slots[0]?.revisionDigest;
    let same = 0;
    holds(
      fc.property(slots, slots, (one, other) => {
        const equal = JSON.stringify(one) === JSON.stringify(other);
        same += Number(equal);
        expect(revision(one) === revision(other)).toBe(equal);
      }),
      150,
    );
    expect(same).toBeGreaterThan(0);
  });
});
