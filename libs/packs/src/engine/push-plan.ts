import type { CalloutProfile, PushContract } from '../model/definition-schemas';
import { costFaults, costOf, ExpressionSet, type NamedExpression } from './definition';
import { definitionFault, type DefinitionFault } from './definition-fault';
import type { Expression } from './expression';
import { reservedHeader } from './reserved-headers';

/** A push contract with its expressions compiled. */
export interface PushPlan {
  readonly definition: PushContract;
  readonly path: readonly Expression[];
  readonly query: readonly NamedExpression[];
  readonly headers: readonly NamedExpression[];
  readonly body: readonly NamedExpression[] | undefined;
  readonly faults: readonly DefinitionFault[];
}

export function planPush(definition: PushContract): PushPlan {
  const set = new ExpressionSet();
  const { request } = definition;
  const named = (pointer: string, sources: Readonly<Record<string, string>> | undefined): readonly NamedExpression[] =>
    set.compileByName(pointer, sources, ['input']);
  const path = set.compileAll('/request/path', request.path, ['input']);
  const [query, headers] = [named('/request/query', request.query), named('/request/headers', request.headers)];
  const body = request.body === undefined ? undefined : named('/request/body', request.body);
  const all = [...path, ...[...query, ...headers, ...(body ?? [])].map((part) => part.expression)];
  return {
    definition,
    path,
    query,
    headers,
    body,
    faults: [...set.faults, ...costFaults('/request', costOf(all)), ...inputFaults(definition)],
  };
}

function inputFaults({ input }: PushContract): readonly DefinitionFault[] {
  const names = [...input.required, ...input.optional];
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  const wrong = { expected: 'each member once', hint: 'a member is required or optional' };
  return twice.map((found) => definitionFault('rule-contradicts', '/input', { ...wrong, found }));
}

/** What only shows with the profile: headers that it sets itself. */
export function headerFaults(push: PushContract, profile: CalloutProfile): readonly DefinitionFault[] {
  const taken = [profile.auth.header, ...(profile.idempotency === undefined ? [] : [profile.idempotency.header])];
  return Object.keys(push.request.headers ?? {}).flatMap((name) => {
    const found = reservedHeader(name, taken);
    const hint = 'credentials, the key and what describes the body are put in when it is sent';
    const wrong = { expected: 'another header', hint };
    return found === undefined ? [] : [definitionFault('header-reserved', `/request/headers/${name}`, { ...wrong, found })];
  });
}
