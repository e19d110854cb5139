import { Digest } from '@connector/kernel/digest';
import { jcs, type Json } from '@connector/kernel/jcs';
import { companionFault } from './companion-fault';
import type { ViewBinding } from './owner-documents';

const bindingOf = (kind: ViewBinding['kind'], owner_pack: string, business_key: string): ViewBinding => ({
  ...{ kind, owner_pack, business_key, pack_installation_id: 'i', definition_version: '1', credential_refs: [] },
  pack_payload_digest: Digest.sha256(Buffer.from(owner_pack)),
});
type Defined = readonly [ViewBinding, Json];
const faultOf = (...all: readonly Defined[]) =>
  companionFault(
    all.map(([binding]) => binding),
    all.map(([, definition]) => ({ definitionBytes: jcs(definition) })),
  );

const route: Defined = [bindingOf('inbound-route', 'a', 'changed'), { mapping: 'record' }];
const push: Defined = [bindingOf('push-contract', 'a', 'open'), { callout_profile: 'record' }];
const mapping = (pack = 'a', key = 'record'): Defined => [bindingOf('field-mapping', pack, key), {}];
const profile = (pack = 'a', key = 'record'): Defined => [bindingOf('callout-profile', pack, key), {}];

describe('companion of a definition', () => {
  it('none: each names one of its own pack that is in the view, wherever it stands (con:INV-06)', () => {
    expect(faultOf(route, push, mapping(), profile())).toBeUndefined();
    expect(faultOf(profile(), mapping(), push, route)).toBeUndefined();
  });

  it.each<[string, string, readonly Defined[]]>([
    ['route-without-mapping', 'there is none', [route, push, profile()]],
    ['route-without-mapping', 'it is of another pack', [route, mapping('b')]],
    ['route-without-mapping', 'it has another key', [route, mapping('a', 'records')]],
    ['route-without-mapping', 'what has its key is of another kind', [route, profile()]],
    ['push-without-profile', 'there is none', [push]],
    ['push-without-profile', 'it is of another pack', [push, profile('b')]],
    ['push-without-profile', 'it has another key', [push, profile('a', 'records')]],
    ['push-without-profile', 'what has its key is of another kind', [push, mapping()]],
    [
      'push-without-profile',
      'only the other push has one',
      [[bindingOf('push-contract', 'b', 'open'), { callout_profile: 'record' }], push, profile()],
    ],
  ])('%s: %s (con:INV-06, cat:INT-21)', (fault, _why, all) => {
    expect(faultOf(...all)).toBe(fault);
  });

  it('none: a definition that names none has nothing to compare with', () => {
    expect(faultOf([route[0], {}], [push[0], 'x'], [push[0], { callout_profile: 1 }])).toBeUndefined();
  });
});
