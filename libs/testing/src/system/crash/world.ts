import type { Json, JsonObject } from '@connector/kernel/jcs';
import type { World } from '@connector/services/local/src/demo/begin';
import { channelOf } from '@connector/services/local/src/demo/world';
import { quickWorld, withMember } from '../world';

const HOOK = channelOf('hook');
const ROUTE = 'contact/skip';
/** A second channel of the contacts, by whose route a lane goes on behind a gap. No pack that ships says so. */
export const SKIPS = 'skips';

/** The quick world with that channel: registered, frozen and begun with everything else. */
export function crashWorld(): World {
  const world = quickWorld();
  const secret = { ...HOOK.secret, path: `${HOOK.secret.path}-${SKIPS}` };
  const accounts = world.configuration.accounts.map((account) =>
    account.account === HOOK.account
      ? {
          ...account,
          channels: [...account.channels, { channel: SKIPS, scheme: HOOK.scheme, route: ROUTE }],
          routes: [...account.routes, ROUTE],
        }
      : account,
  );
  return {
    configuration: { ...world.configuration, accounts },
    packOf: (name) => (name === HOOK.pack ? withSkips(world.packOf(name)) : world.packOf(name)),
    channels: [...world.channels, { ...HOOK, channel: SKIPS, route: ROUTE, secret }],
  };
}

/** The same pack with its route once more, under another name and with the other disposition. */
function withSkips(pack: Json): Json {
  const { definitions, ...rest } = pack as JsonObject & { readonly definitions: Readonly<Record<string, readonly Json[]>> };
  const routes = definitions['inbound-route'] ?? [];
  const skips = routes.map((route) => withMember(withMember(route, 'then', 'skip'), 'business_key', ROUTE));
  return { ...rest, definitions: { ...definitions, 'inbound-route': [...routes, ...skips] } };
}
