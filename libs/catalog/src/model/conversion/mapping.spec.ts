import { AUTHORITY, MAPPING, signedMapping } from '@connector/testing/fixtures/conversion';
import { signer } from '@connector/testing/fixtures/registry';
import { AppId, CapabilityId, HandlerRef, PublisherId } from '../identifier';
import { CRM_APP_ID, legacyMapping, type SignedStatement, sourceIdentity, verifyMapping } from './mapping';

const codesOf = (given: SignedStatement | undefined): readonly string[] => {
  const answer = verifyMapping(given, AUTHORITY.publicKey);
  return answer.kind === 'refused' ? answer.faults.map(({ code }) => code) : [answer.kind];
};
const signedAs = (statement: Buffer, separator: string = legacyMapping.separator, by = AUTHORITY): SignedStatement => ({
  statement,
  signature: by.sign(separator, statement),
});

describe('the mapping of the legacy CRM', () => {
  it('signed: cat:A-37 cat:CONV-03 by the operator trust authority over `nexuscrm.legacy-app-mapping.v1` 00 JCS', () => {
    expect(legacyMapping.separator).toBe('nexuscrm.legacy-app-mapping.v1');
    expect(codesOf(signedMapping())).toEqual(['signed']);
  });

  it('refused: cat:CONV-03 absent, altered by one byte, signed by somebody else, or under another separator', () => {
    const { statement, signature } = signedMapping();
    const altered = Buffer.from(statement.toString('utf8').replace('git', 'hub'));
    expect(codesOf(undefined)).toEqual(['MAPPING_ABSENT']);
    expect(codesOf({ statement: altered, signature })).toEqual(['MAPPING_UNSIGNED']);
    expect(codesOf(signedAs(statement, legacyMapping.separator, signer('somebody')))).toEqual(['MAPPING_UNSIGNED']);
    expect(codesOf(signedAs(statement, 'nexuscrm.app-release-attestation.v1'))).toEqual(['MAPPING_UNSIGNED']);
  });

  it('refused: cat:ID-12 without the App that is written down: absent, or another one', () => {
    const { app_id: left, ...rest } = MAPPING;
    expect(left).toBe(CRM_APP_ID);
    expect(codesOf(signedAs(Buffer.from(JSON.stringify(rest))))).toEqual(['MAPPING_SHAPE']);
    expect(codesOf(signedMapping({ app_id: 'io.nexuscrm.crm' }))).toEqual(['MAPPING_OTHER_APP']);
  });

  it('refused: a reader whose name no row could keep', () => {
    const [reader] = MAPPING.legacy_readers;
    const named = (name: string) => () =>
      signedMapping({ legacy_readers: [{ kind: 'known-pack', capability_id: 'a', ...reader, reader_id: name }] });
    expect(named('r'.repeat(128))).not.toThrow();
    for (const name of ['r'.repeat(129), 'a b', 'é', '']) expect(named(name)).toThrow('pattern');
  });

  it('refused: a capability with two owners, and a reader twice (cat:COEX-05)', () => {
    const [capability] = MAPPING.capabilities;
    const twice = [...MAPPING.capabilities, { capability_id: capability?.capability_id ?? '', owner: 'app' as const }];
    expect(() => signedMapping({ capabilities: twice })).toThrow('twice in one set');
    expect(() => signedMapping({ legacy_readers: [...MAPPING.legacy_readers, ...MAPPING.legacy_readers] })).toThrow('twice in one set');
  });

  it('constants: cat:GEN-04 byte for byte, each of its grammar', () => {
    expect(CRM_APP_ID).toBe('io.nexuscrm.sfcrm');
    expect(AppId.parse(CRM_APP_ID)).toBe(CRM_APP_ID);
    expect(PublisherId.parse('io.nexuscrm')).toBe('io.nexuscrm');
    expect(CapabilityId.parse('io.nexuscrm.sfcrm.ui.record-access.v1')).toContain(CRM_APP_ID);
    expect(HandlerRef.parse('io.nexuscrm.sfcrm.handler.ui.record-access.v1')).toContain(CRM_APP_ID);
    expect(CapabilityId.parse('runtime.records.evaluate-access.v1')).toBe('runtime.records.evaluate-access.v1');
  });

  it('same: a source is one whatever its revision, and another one by its kind or its address (cat:A-38)', () => {
    const { source } = MAPPING;
    expect(sourceIdentity({ ...source })).toBe(sourceIdentity(source));
    expect(sourceIdentity({ ...source, kind: 'svn' })).not.toBe(sourceIdentity(source));
    expect(sourceIdentity({ ...source, uri: `${source.uri}/` })).not.toBe(sourceIdentity(source));
  });
});
