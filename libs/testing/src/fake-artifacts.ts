import {
  type ArtifactRegistry,
  type Blob,
  type BlobDigests,
  type BlobGot,
  digestsOf,
  sameDigests,
} from '@connector/catalog/contract/artifact-registry';
import type { Digest } from '@connector/kernel/digest';

/**
 * How the fake behaves from now on. `twice`: what is put was put once before, as when an answer was lost. `lies`: the bytes that it gives are
 * not those that were put, under the digests of those that were. `held`: answers wait for `release`.
 */
export type FakeMood = 'well' | 'unavailable' | 'twice' | 'lies' | 'held';

/** An artifact registry in memory that can be told to fail, be slow, answer twice or lie. */
export class FakeArtifacts implements ArtifactRegistry {
  mood: FakeMood = 'well';
  /** Digests that were asked for, each time. */
  readonly asked: Digest[] = [];
  readonly #blobs = new Map<Digest, Extract<BlobGot, { kind: 'found' }>>();
  readonly #waiting: (() => void)[] = [];

  release(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  async put(said: BlobDigests, blob: Blob): Promise<Awaited<ReturnType<ArtifactRegistry['put']>>> {
    await this.#turn();
    if (this.mood === 'unavailable') return { kind: 'unavailable' };
    const found = digestsOf(blob);
    if (!sameDigests(said, found)) return { kind: 'digest-differs', ...found };
    const standing = this.#blobs.get(found.componentDigest);
    if (standing !== undefined && !sameDigests(found, digestsOf(standing))) return { kind: 'corrupt' };
    const known = standing !== undefined || this.mood === 'twice';
    this.#blobs.set(found.componentDigest, { kind: 'found', ...blob, ...found });
    return { kind: known ? 'already-stored' : 'stored' };
  }

  async get(digests: readonly Digest[]): Promise<readonly BlobGot[]> {
    this.asked.push(...digests);
    await this.#turn();
    return digests.map((digest) => this.#one(digest));
  }

  /** What stands under this digest is other bytes from now on. */
  damage(digest: Digest): void {
    const blob = this.#blobs.get(digest);
    if (blob !== undefined) this.#blobs.set(digest, { ...blob, bytes: Buffer.from('damaged') });
  }

  /** What stood before it was damaged. */
  restore(digest: Digest, blob: Extract<BlobGot, { kind: 'found' }>): void {
    this.#blobs.set(digest, blob);
  }

  #one(digest: Digest): BlobGot {
    if (this.mood === 'unavailable') return { kind: 'unavailable' };
    const blob = this.#blobs.get(digest);
    if (blob === undefined) return { kind: 'absent' };
    if (!sameDigests(blob, digestsOf(blob))) return { kind: 'corrupt' };
    return this.mood === 'lies' ? { ...blob, bytes: Buffer.concat([blob.bytes, Buffer.from(' ')]) } : blob;
  }

  async #turn(): Promise<void> {
    if (this.mood === 'held') await new Promise<void>((go) => this.#waiting.push(go));
  }
}
