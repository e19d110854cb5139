import { jcs, type Json } from '@connector/kernel/jcs';
import { channelFault } from './channel-fault';
import type { ConfigurationDocument, ViewDocument } from './owner-documents';

const view = {
  bindings: [
    { kind: 'field-mapping', business_key: 'thing/changed' },
    { kind: 'inbound-route', business_key: 'thing/changed' },
  ],
} as unknown as ViewDocument;
const serving = (scheme: string, route = 'thing/changed', routes = ['thing/changed']): ConfigurationDocument =>
  ({ accounts: [{ channels: [{ channel: 'hook', scheme, route }], routes }] }) as unknown as ConfigurationDocument;
const definitions = (route: Json) =>
  [jcs({ verification_schemes: ['never-read'] }), jcs(route)].map((definitionBytes) => ({ definitionBytes }));
const LISTED = definitions({ verification_schemes: ['one', 'two'] });

describe('channels of a configuration', () => {
  it('none: each feeds a route that its account serves, by a scheme that the route lists; what lists none is judged elsewhere', () => {
    expect([serving('one'), serving('two')].map((configuration) => channelFault(view, configuration, LISTED))).toEqual([
      undefined,
      undefined,
    ]);
    expect(channelFault(view, serving('three'), definitions({}))).toBeUndefined();
  });

  it('channel-scheme-not-of-route: its deliveries would be proved in a way that the pack does not allow', () => {
    expect(channelFault(view, serving('three'), LISTED)).toBe('channel-scheme-not-of-route');
    expect(channelFault(view, serving('never-read'), LISTED)).toBe('channel-scheme-not-of-route');
  });

  it('channel-without-route: nobody would take what it admits', () => {
    expect(channelFault(view, serving('one', 'thing/other'), LISTED)).toBe('channel-without-route');
    expect(channelFault(view, serving('one', 'thing/changed', []), LISTED)).toBe('channel-without-route');
  });
});
