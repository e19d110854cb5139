import { Digest } from '@connector/kernel/digest';
import type { ViewBinding } from './documents';
import { faultsOf, membershipFaults } from './membership-faults';

const GENERATION = Digest.sha256(Buffer.from('generation'));
const binding = (over: Partial<ViewBinding> = {}): ViewBinding => ({
  kind: 'callout-profile',
  owner_pack: 'dev.example.one',
  pack_installation_id: 'pi-1',
  pack_payload_digest: GENERATION,
  business_key: 'thing/api',
  definition_version: '1',
  credential_refs: ['desk/api-token', 'primary'],
  ...over,
});
const found = (...bindings: readonly ViewBinding[]) =>
  membershipFaults(bindings).map(({ pointer, code, rule }) => `${pointer} ${code} ${rule}`);

describe('membership faults', () => {
  it('none: bindings in any order, each once, references in order', () => {
    expect(found(binding({ business_key: 'z' }), binding({ business_key: 'a', credential_refs: [] }), binding())).toEqual([]);
  });

  it('DUPLICATE: cat:INT-05 a binding is what names it, whatever it says beside', () => {
    expect(found(binding(), binding({ credential_refs: [] }))).toEqual(['/1 DUPLICATE cat:INT-05']);
    for (const over of [
      { kind: 'push-contract' },
      { business_key: 'other' },
      { definition_version: '2' },
      { owner_pack: 'dev.example.two' },
    ])
      expect(found(binding(), binding(over as Partial<ViewBinding>))).toEqual([]);
  });

  it('BINDING_DRIFT: two generations of one pack in one membership (cat:INT-01)', () => {
    const other = binding({ business_key: 'thing/other', pack_payload_digest: Digest.sha256(Buffer.from('other')) });
    expect(found(binding(), other)).toEqual(['/1/pack_payload_digest BINDING_DRIFT cat:INT-01']);
  });

  it.each<[string, string, readonly string[]]>([
    ['DUPLICATE', 'a reference twice', ['a', 'a']],
    ['SET_NOT_CANONICAL', 'references out of order', ['b', 'a']],
    ['ID_NOT_CANONICAL', 'upper case', ['a', 'Token']],
    ['ID_NOT_CANONICAL', 'a space at its end', ['a', 'b ']],
    ['ID_NOT_CANONICAL', 'longer than 128 bytes', ['a', 'b'.repeat(129)]],
    ['ID_NOT_CANONICAL', 'an empty part', ['a', 'b//c']],
  ])('%s: cat:INT-15 %s', (code, _, refs) => {
    expect(found(binding({ credential_refs: refs }))).toEqual([`/0/credential_refs/1 ${code} cat:INT-15`]);
  });

  it('unrepeated: what looks like a secret is not in the answer (cat:INT-15)', () => {
    const secret = ['whsec', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'].join('_');
    expect(JSON.stringify(membershipFaults([binding({ credential_refs: [secret] })]))).not.toContain('MfKQ9');
  });

  it('together: every fault of the membership, the first hundred shown and the rest counted', () => {
    expect(found(binding({ credential_refs: ['A'] }), binding({ credential_refs: ['b', 'a'] }))).toHaveLength(3);
    const many = membershipFaults(Array.from({ length: 130 }, () => binding()));
    expect([faultsOf(many).faults.length, faultsOf(many).more]).toEqual([100, 29]);
  });
});
