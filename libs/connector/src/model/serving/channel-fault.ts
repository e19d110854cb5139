import { parseStrict } from '@connector/kernel/strict-json';
import type { DefinitionAnswer } from './owner-answers';
import type { ConfigurationDocument, ViewDocument } from './owner-documents';

export type ChannelFault = 'channel-without-route' | 'channel-scheme-not-of-route';

/**
 * Why a channel of this configuration can admit nothing under this view: it feeds a route that its account does not serve, or checks
 * signatures in a way that the route's definition does not list. `definitions` stand in the order of the bindings.
 */
export function channelFault(
  view: ViewDocument,
  { accounts }: ConfigurationDocument,
  definitions: readonly Pick<DefinitionAnswer, 'definitionBytes'>[],
): ChannelFault | undefined {
  for (const { channels, routes } of accounts) {
    for (const { route, scheme } of channels) {
      if (!routes.includes(route)) return 'channel-without-route';
      const at = view.bindings.findIndex(({ kind, business_key: key }) => kind === 'inbound-route' && key === route);
      const listed = schemesOf(definitions[at]);
      if (listed !== undefined && !listed.includes(scheme)) return 'channel-scheme-not-of-route';
    }
  }
  return undefined;
}

/** What a definition is, the registry of packs checks; where it lists no schemes there is nothing to compare with. */
function schemesOf(definition: Pick<DefinitionAnswer, 'definitionBytes'> | undefined): readonly unknown[] | undefined {
  const parsed = parseStrict(definition?.definitionBytes ?? Buffer.alloc(0));
  const value = parsed.ok ? parsed.value : null;
  const listed: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'verification_schemes') : undefined;
  return Array.isArray(listed) ? listed : undefined;
}
