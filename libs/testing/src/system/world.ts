import type { Json } from '@connector/kernel/jcs';
import type { Policies } from '@connector/control/model/policies';
import { DEMO_WORLD, type World } from '@connector/services/local/src/demo/begin';
import { CONFIGURATION } from '@connector/services/local/src/demo/world';

/** Items that one body may hold in these worlds: more than are made in the admission, so that the sweep has something to do. */
const ITEMS_MAX = 500;
/** How long a latest lane waits for a greater position. */
const SETTLE_MS = 100;

/** What makes a killed claim, or a call that never began, come again within a second or two. */
const QUICK: Partial<Policies> = {
  attempts_max: 100,
  backoff: { first_ms: 100, factor: 2, cap_ms: 1_000 },
  lease_ms: 1_500,
};

/** The demo's world with short waits and wide bodies. Nothing else differs, and nothing is reached in another way. */
export function quickWorld(policies: Partial<Policies> = {}): World {
  const accounts = CONFIGURATION.accounts.map((account) => ({ ...account, policies: { ...account.policies, ...QUICK, ...policies } }));
  const packOf: World['packOf'] = (name) => withMember(withMember(DEMO_WORLD.packOf(name), 'items_max', ITEMS_MAX), 'settle_ms', SETTLE_MS);
  return { ...DEMO_WORLD, configuration: { ...CONFIGURATION, accounts }, packOf };
}

/** The same document with another value wherever a member has this name. */
export function withMember(value: Json, name: string, replacement: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withMember(item, name, replacement));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key, key === name ? replacement : withMember(held as Json, name, replacement)]),
  );
}
