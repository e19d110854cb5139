import { type ArtifactRegistry, type Blob, digestsOf } from '@connector/catalog/contract/artifact-registry';
import { Digest } from '@connector/kernel/digest';

export interface ArtifactsUnderTest {
  readonly registry: ArtifactRegistry;
  /** Makes what stands under this digest other bytes, as a damaged store would. */
  damage(digest: Digest): Promise<void>;
  /** From now on nothing can be reached. */
  part(): Promise<void>;
}

const blob = (text: string, formatVersion = 1): Blob => ({
  componentKind: 'io.nexuscrm.record-layout.v1',
  formatVersion,
  bytes: Buffer.from(text),
});
const ABSENT = Digest.sha256(Buffer.from('nobody put this'));

/** What every adapter of the artifact registry must keep. */
export function artifactsConformance(name: string, open: () => Promise<ArtifactsUnderTest>): void {
  describe(`artifact registry, ${name}`, () => {
    let under: ArtifactsUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    const put = (one: Blob) => under.registry.put(digestsOf(one), one);

    it('stored: bytes are given back exactly, with what they are and both digests (cat:A-04, cat:DIG-12)', async () => {
      const one = blob('{"a":1}');
      expect(await put(one)).toEqual({ kind: 'stored' });
      expect(await under.registry.get([digestsOf(one).componentDigest])).toEqual([{ kind: 'found', ...one, ...digestsOf(one) }]);
    });

    it('already-stored: the same bytes again, also at the same time', async () => {
      const one = blob('{"again":1}');
      const kinds = (await Promise.all([1, 2, 3].map(() => put(one)))).map(({ kind }) => kind);
      expect(kinds.sort()).toEqual(['already-stored', 'already-stored', 'stored']);
    });

    it('two blobs: the same bytes under another format version are another component', async () => {
      expect([await put(blob('{"v":1}')), await put(blob('{"v":1}', 2))]).toEqual([{ kind: 'stored' }, { kind: 'stored' }]);
    });

    it.each(['componentDigest', 'rawSha256'] as const)(
      'digest-differs: a wrong %s is refused with both, and nothing is stored (cat:A-04)',
      async (member) => {
        const one = blob(`{"wrong":"${member}"}`);
        const right = digestsOf(one);
        expect(await under.registry.put({ ...right, [member]: ABSENT }, one)).toEqual({ kind: 'digest-differs', ...right });
        expect(await under.registry.get([right.componentDigest, ABSENT])).toEqual([{ kind: 'absent' }, { kind: 'absent' }]);
      },
    );

    it('absent: one answer a digest, in their order, repeated ones too', async () => {
      const one = blob('{"order":1}');
      await put(one);
      const { componentDigest } = digestsOf(one);
      const kinds = (await under.registry.get([ABSENT, componentDigest, ABSENT, componentDigest])).map(({ kind }) => kind);
      expect(kinds).toEqual(['absent', 'found', 'absent', 'found']);
    });

    it('corrupt: bytes that are not of their digest are no blob, and are not put right by whoever has the right ones', async () => {
      const one = blob('{"damaged":1}');
      await put(one);
      const { componentDigest } = digestsOf(one);
      await under.damage(componentDigest);
      expect(await under.registry.get([componentDigest])).toEqual([{ kind: 'corrupt' }]);
      expect(await put(one)).toEqual({ kind: 'corrupt' });
    });

    it('unavailable: a registry that does not answer says neither absent nor corrupt', async () => {
      const one = blob('{"away":1}');
      await put(one);
      await under.part();
      expect(await under.registry.get([digestsOf(one).componentDigest, ABSENT])).toEqual([
        { kind: 'unavailable' },
        { kind: 'unavailable' },
      ]);
      expect(await put(one)).toEqual({ kind: 'unavailable' });
    });
  });
}
