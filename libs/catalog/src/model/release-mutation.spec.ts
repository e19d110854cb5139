import type { Digest } from '@connector/kernel/digest';
import { type Json } from '@connector/kernel/jcs';
import { exampleRelease, type ReleaseDraft, seal, type SealedRelease } from '@connector/testing/fixtures/app-release';
import { Random } from '@connector/testing/system/random';
import { checkRelease, type ReleaseInput } from './release';
import { metadataBundleDigest } from './release-digests';

const SEED = 20261202;
const random = new Random(SEED);
const sealed = seal(exampleRelease());

/** The release digest, or undefined where the release is refused. */
function digestOf(input: ReleaseInput): Digest | undefined {
  const answer = checkRelease(input);
  return answer.kind === 'release' ? answer.release.releaseDigest : undefined;
}
const original = digestOf(sealed);

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

/** One bit of every byte, another in each; which ones, the seed says. */
function bitsOf(bytes: Buffer): readonly number[] {
  return Array.from(bytes, (_byte, index) => index * 8 + random.below(8));
}

const manifestText = sealed.manifest.toString('utf8');
const bundleDigest = String(metadataBundleDigest(sealed.bundle));
/** The bundle with these bytes, and a manifest that names it: the bundle digest must not be what saves the case. */
function rooted(bundle: Buffer): SealedRelease {
  return { ...sealed, manifest: Buffer.from(manifestText.replace(bundleDigest, metadataBundleDigest(bundle))), bundle };
}

function expectOther(input: ReleaseInput): boolean {
  const digest = digestOf(input);
  expect(digest).not.toBe(original);
  return digest !== undefined;
}

describe('what the release digest covers', () => {
  it('another digest or a refusal: a bit of every byte of manifest and bundle changed (cat:DIG-14, cat:BUN-23, cat:SLOT-43, cat:ATT-03)', () => {
    expect(original).toBeDefined();
    const [manifest, bundle] = [bitsOf(sealed.manifest), bitsOf(sealed.bundle)];
    const others = [
      ...manifest.map((bit) => expectOther({ ...sealed, manifest: flipped(sealed.manifest, bit) })),
      ...bundle.map((bit) => expectOther(rooted(flipped(sealed.bundle, bit)))),
    ];
    const accepted = others.filter((other) => other).length;
    console.log(`${others.length} bits, ${accepted} of them make another release that is accepted, seed ${SEED}`);
    expect(accepted).toBeGreaterThan(0);
  });

  it('refused: a bit of every byte of every behavior changed under the same index (cat:DIG-14, cat:BUN-23, cat:DIG-12)', () => {
    for (const [name, blob] of sealed.blobs) {
      for (const bit of bitsOf(blob)) {
        const changed = flipped(blob, bit);
        expect(digestOf({ ...sealed, blobOf: (digest) => (digest === name ? changed : sealed.blobOf(digest)) })).toBeUndefined();
      }
    }
  });

  it('refused or the same release: a shuffled set is never put in order (cat:DIG-02, cat:MAN-22, cat:BUN-11)', () => {
    const lists = ['owned_namespaces', 'provided_capabilities'] as const;
    const shuffle = (draft: ReleaseDraft): boolean => {
      const before = JSON.stringify(draft);
      for (const list of lists) draft.manifest[list] = random.shuffled(draft.manifest[list] as Json[]);
      draft.components.splice(0, draft.components.length, ...random.shuffled(draft.components));
      return JSON.stringify(draft) !== before;
    };
    let shuffled = 0;
    for (let round = 0; round < 200; round += 1) {
      const draft = exampleRelease();
      const moved = shuffle(draft);
      shuffled += Number(moved);
      const answer = checkRelease(seal(draft));
      if (answer.kind === 'release') expect(moved).toBe(false);
      else expect(new Set(answer.faults.map(({ code }) => code))).toEqual(new Set(['SET_NOT_CANONICAL']));
    }
    console.log(`${shuffled} of 200 orders were others, seed ${SEED}`);
    expect(shuffled).toBeGreaterThan(100);
  });

  const strings = (value: Json): readonly string[] =>
    typeof value === 'string'
      ? [value]
      : value !== null && typeof value === 'object'
        ? Object.values(value).flatMap((one: Json) => strings(one))
        : [];
  /** Every place of a manifest that holds a text, as a writer of it. */
  function places(node: Json, write: (value: string) => void): readonly ((value: string) => void)[] {
    if (typeof node === 'string') return [write];
    if (node === null || typeof node !== 'object') return [];
    const holder = node as Record<string, Json>;
    return Object.entries(holder).flatMap(([name, one]) => places(one, (value) => void (holder[name] = value)));
  }

  it('no text of an accepted manifest or bundle contains an address: every text replaced by generated ones (cat:MAN-25, cat:BIND-17)', () => {
    const pieces = ['://', 'https', 'a', '.', 'b', '-', 'v1', '/', '1.0.0', 'io.nexuscrm', '\u0430', ':'];
    const writersOf = (draft: ReleaseDraft) => [...places(draft.manifest, () => undefined), ...places(draft.components, () => undefined)];
    let accepted = 0;
    for (let round = 0; round < 1_000; round += 1) {
      const draft = exampleRelease();
      const text = Array.from({ length: 1 + random.below(5) }, () => pieces[random.below(pieces.length)] ?? '').join('');
      const forced = round % 4 === 0 ? `${text}://${text}` : text;
      const writers = writersOf(draft);
      writers[random.below(writers.length)]?.(forced);
      const answer = checkRelease(seal(draft));
      if (answer.kind === 'faulty') continue;
      accepted += 1;
      expect([...strings(answer.release.manifest), ...strings(answer.release.bundle)].filter((one) => one.includes('://'))).toEqual([]);
    }
    console.log(`1000 manifests, ${accepted} accepted, seed ${SEED}`);
    expect(accepted).toBeGreaterThan(20);
  });
});
