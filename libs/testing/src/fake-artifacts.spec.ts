import { digestsOf, sameDigests } from '@connector/catalog/contract/artifact-registry';
import { artifactsConformance } from './artifacts-conformance';
import { FakeArtifacts } from './fake-artifacts';

artifactsConformance('in memory', () => {
  const registry = new FakeArtifacts();
  return Promise.resolve({
    registry,
    damage: (digest) => Promise.resolve(registry.damage(digest)),
    part: () => Promise.resolve(void (registry.mood = 'unavailable')),
  });
});

describe('fake artifacts', () => {
  const blob = { componentKind: 'io.nexuscrm.record-layout.v1', formatVersion: 1, bytes: Buffer.from('{}') };
  const said = digestsOf(blob);

  it('twice: what is put was put before', async () => {
    const registry = new FakeArtifacts();
    registry.mood = 'twice';
    expect(await registry.put(said, blob)).toEqual({ kind: 'already-stored' });
  });

  it('lies: it says found, and the bytes are not of their digests', async () => {
    const registry = new FakeArtifacts();
    await registry.put(said, blob);
    registry.mood = 'lies';
    const [got] = await registry.get([said.componentDigest]);
    expect(got?.kind === 'found' && sameDigests(got, digestsOf(got))).toBe(false);
  });

  it('held: an answer waits until it is let go', async () => {
    const registry = new FakeArtifacts();
    registry.mood = 'held';
    let answered = false;
    const asking = registry.get([said.componentDigest]).then(() => (answered = true));
    await Promise.resolve();
    expect(answered).toBe(false);
    registry.release();
    await asking;
    expect(answered).toBe(true);
  });
});
