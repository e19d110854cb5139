import { parseStrict } from '@connector/kernel/strict-json';
import type { DefinitionAnswer } from './owner-answers';
import type { ViewBinding } from './owner-documents';

export type CompanionFault = 'route-without-mapping' | 'push-without-profile';

const COMPANIONS = {
  'inbound-route': { member: 'mapping', kind: 'field-mapping', fault: 'route-without-mapping' },
  'push-contract': { member: 'callout_profile', kind: 'callout-profile', fault: 'push-without-profile' },
} as const;

/**
 * Why an epoch of this view could not be executed: a definition names another one of its own pack that is not in the view, and nothing else is
 * taken for it (con:INV-06, cat:INT-21). `definitions` stand in the order of the bindings; one that names none has nothing to compare with.
 */
export function companionFault(
  bindings: readonly ViewBinding[],
  definitions: readonly Pick<DefinitionAnswer, 'definitionBytes'>[],
): CompanionFault | undefined {
  for (const [at, { kind: by, owner_pack: pack }] of bindings.entries()) {
    if (by !== 'inbound-route' && by !== 'push-contract') continue;
    const { member, kind, fault } = COMPANIONS[by];
    const named = memberOf(definitions[at], member);
    if (typeof named !== 'string') continue;
    if (!bindings.some((one) => one.kind === kind && one.owner_pack === pack && one.business_key === named)) return fault;
  }
  return undefined;
}

function memberOf(definition: Pick<DefinitionAnswer, 'definitionBytes'> | undefined, name: string): unknown {
  const parsed = parseStrict(definition?.definitionBytes ?? Buffer.alloc(0));
  const value = parsed.ok ? parsed.value : null;
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
