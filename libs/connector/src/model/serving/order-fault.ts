import { parseStrict } from '@connector/kernel/strict-json';
import type { DefinitionAnswer } from './owner-answers';

export type OrderFault = 'ordering-missing' | 'ordering-unproven' | 'ordering-incomplete' | 'ordering-without-baseline';

/**
 * Why a route's definition has no source order that an epoch may freeze (con:ORD-02, con:ORD-08); undefined where it has. The generic shape
 * alone is looked at: what a position is and how it is read is the pack's (con:ORD-07). A registry checks all of it at publication; this
 * holds for a definition that came another way.
 */
export function orderFault({ definitionBytes }: Pick<DefinitionAnswer, 'definitionBytes'>): OrderFault | undefined {
  const parsed = parseStrict(definitionBytes);
  const contract = parsed.ok ? memberOf(parsed.value, 'ordering') : undefined;
  const has = (name: string): boolean => (memberOf(contract, name) ?? undefined) !== undefined;
  const start = memberOf(contract, 'start');
  switch (memberOf(contract, 'kind')) {
    case 'order_independent':
      return typeof memberOf(contract, 'commutativity_proof') === 'string' ? undefined : 'ordering-unproven';
    case 'latest_source_position':
      if (!['partition', 'position', 'tie_breaker', 'settle_ms'].every(has)) return 'ordering-incomplete';
      return start === 'first_observed' ? undefined : 'ordering-without-baseline';
    case 'strict_source_sequence':
      if (!['partition', 'position', 'gap'].every(has)) return 'ordering-incomplete';
      return typeof start === 'string' && /^(0|[1-9][0-9]{0,19})$/.test(start) ? undefined : 'ordering-without-baseline';
    default:
      return 'ordering-missing';
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
