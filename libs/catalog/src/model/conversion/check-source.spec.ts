import { Digest } from '@connector/kernel/digest';
import { legacyRecord, MAPPING } from '@connector/testing/fixtures/conversion';
import { checkSource } from './check-source';
import { legacyPayloadHash, type LegacyRecord } from './legacy-pack';

const RECORD = legacyRecord('org-1');
const OTHER = Digest.sha256(Buffer.from('other'));
const check = (record: LegacyRecord, asked: Partial<Parameters<typeof checkSource>[1]> = {}): readonly string[] => {
  const hash = record.appliedPayloadHash ?? OTHER;
  const answer = checkSource(
    record,
    { organization: 'org-1', packInstallId: record.packInstallId, appliedPayloadHash: hash, ...asked },
    MAPPING,
  );
  return answer.kind === 'faulty' ? answer.faults.map(({ code, expected }) => `${code} ${expected}`) : [answer.kind];
};

describe('the legacy source of a conversion', () => {
  it('source: complete, of the one category and source, converged and deeply verified', () => {
    expect(check(RECORD)).toEqual(['source']);
  });

  it.each([
    ['sourceKind', 'source kind'],
    ['sourceUri', 'source URI'],
    ['sourceRevision', 'source revision'],
    ['manifest', 'manifest bytes'],
    ['components', 'component bytes'],
    ['desiredPayloadHash', 'desired payload hash'],
    ['appliedPayloadHash', 'applied payload hash'],
    ['hostRequirementDigest', 'host requirement digest'],
    ['runtimeDeclarations', 'runtime declarations'],
    ['metadataRows', 'metadata rows'],
  ])('faulty: cat:CONV-05 without its %s', (member, name) => {
    expect(check({ ...RECORD, [member]: null })).toEqual([`LEGACY_INPUT_MISSING ${name}`]);
  });

  it('faulty: cat:CONV-04 the row of another incarnation, or of another organization', () => {
    expect(check(RECORD, { packInstallId: 'pack-install-8' })).toEqual(['LEGACY_OTHER_ROW org-1 pack-install-8']);
    expect(check(RECORD, { organization: 'org-2' })).toEqual(['LEGACY_OTHER_ROW org-2 pack-install-7']);
  });

  it('faulty: cat:CONV-11 every byte of manifest and components is under the hash, and so are their names', () => {
    const { manifest, components } = RECORD;
    if (manifest === null || components === null) throw new RangeError('no record');
    const hash = legacyPayloadHash({ manifest, components });
    const changed = [
      { manifest: Buffer.concat([manifest, Buffer.from('\n')]), components },
      { manifest, components: components.slice(1) },
      ...(['kind', 'businessKey'] as const).map((name) => ({
        manifest,
        components: components.map((one) => ({ ...one, [name]: `${one[name]}x` })),
      })),
      { manifest, components: components.map((one) => ({ ...one, bytes: Buffer.concat([one.bytes, Buffer.from(' ')]) })) },
    ];
    expect(changed.filter((one) => legacyPayloadHash(one) === hash)).toEqual([]);
    for (const one of changed) expect(check({ ...RECORD, ...one })).toEqual([`LEGACY_UNVERIFIED ${hash} over manifest and components`]);
    expect(legacyPayloadHash({ manifest, components: [...components].reverse() })).toBe(hash);
  });

  it('faulty: a component twice, a manifest that is none, and a hash that moved since it was seen (cat:CONV-08, cat:CONV-11)', () => {
    const twice = [...(RECORD.components ?? []), ...(RECORD.components ?? [])];
    expect(check({ ...RECORD, components: twice })[0]).toMatch(/^LEGACY_UNVERIFIED /);
    expect(check({ ...RECORD, manifest: Buffer.from('[]') })).toEqual(['LEGACY_MANIFEST a pack manifest']);
    expect(check(RECORD, { appliedPayloadHash: OTHER })).toEqual([`LEGACY_MOVED ${OTHER} applied`]);
  });
});
