import type { FieldMapping, InboundRoute } from '../model/definition-schemas';
import { SCHEME_HEADERS } from '../model/verification-schemes';
import { costFaults, costOf, ExpressionSet, type NamedExpression } from './definition';
import { definitionFault, type DefinitionFault } from './definition-fault';
import type { Expression } from './expression';
import { orderFaults, planOrder, type OrderPlan } from './order-plan';
import { reservedHeader } from './reserved-headers';

/** A route with its expressions compiled. */
export interface RoutePlan {
  readonly definition: InboundRoute;
  /** Over `body`: the list of items, or the one item. */
  readonly items: Expression;
  readonly manyItems: boolean;
  readonly refuse: readonly { readonly when: Expression; readonly message: string }[];
  readonly sourceEventKey: readonly Expression[];
  readonly occurredAt: Expression | undefined;
  readonly partition: readonly Expression[];
  /** Null where order does not matter. */
  readonly order: OrderPlan | null;
  readonly faults: readonly DefinitionFault[];
  readonly bodyCost: number;
  readonly itemCost: number;
}
export interface MappingPlan {
  readonly fields: readonly NamedExpression[];
  readonly faults: readonly DefinitionFault[];
  readonly itemCost: number;
}

export function planRoute(definition: InboundRoute): RoutePlan {
  const set = new ExpressionSet();
  const { ordering } = definition;
  const items = set.compile('/items', definition.items ?? 'body', ['body']);
  const refuse = (definition.refuse ?? []).map(({ when, message }, at) => ({
    when: set.compile(`/refuse/${at}/when`, when, ['item']),
    message,
  }));
  const sourceEventKey = set.compileAll('/source_event_key', definition.source_event_key, ['item', 'delivery']);
  const occurredAt = definition.occurred_at === undefined ? undefined : set.compile('/occurred_at', definition.occurred_at, ['item']);
  const partition = set.compileAll('/ordering/partition', ordering.partition, ['account', 'item']);
  const order = planOrder(set, ordering);
  const placed = order === null ? [] : [order.position, order.tieBreaker].flatMap((part) => (part === null ? [] : [part.expression]));
  const perItem = [...refuse.map((rule) => rule.when), ...sourceEventKey, ...(occurredAt ? [occurredAt] : []), ...partition, ...placed];
  const costs = { bodyCost: items.cost, itemCost: costOf(perItem) };
  const manyItems = definition.items !== undefined;
  const faults = [...set.faults, ...orderFaults(ordering), ...headersFaults(definition), ...transportKeyFaults(definition)];
  return { definition, items, manyItems, refuse, sourceEventKey, occurredAt, partition, order, ...costs, faults };
}

/** What a route names is stored with the Receipt and shown: nothing that carries a credential may be among it. */
function headersFaults({ headers = [] }: InboundRoute): readonly DefinitionFault[] {
  return headers.flatMap((name, at) => {
    const found = reservedHeader(name, []);
    const hint = 'headers that carry credentials or steer the connection are not kept';
    return found === undefined ? [] : [definitionFault('header-reserved', `/headers/${at}`, { expected: 'another header', found, hint })];
  });
}

/** A delivery that comes again must come under its first key, or one webhook is admitted twice. */
function transportKeyFaults({ transport_key_header: found, verification_schemes }: InboundRoute): readonly DefinitionFault[] {
  if (found === undefined) return [];
  return verification_schemes.flatMap((scheme) => {
    const { signature, time, signedId } = SCHEME_HEADERS[scheme];
    const fault = (expected: string, hint: string) => [
      definitionFault('rule-contradicts', '/transport_key_header', { expected, found, hint }),
    ];
    if (signedId !== null && found !== signedId) return fault(signedId, `${scheme} signs this header, so the transport key is in it`);
    if (found !== signature && found !== time) return [];
    return fault('a header with the id of the delivery', `${scheme} signs a retry anew, so this names no delivery`);
  });
}

export function planMapping(definition: FieldMapping): MappingPlan {
  const set = new ExpressionSet();
  const fields = set.compileByName('/fields', definition.fields, ['item', 'account', 'event', 'delivery']);
  return { fields, faults: set.faults, itemCost: costOf(fields.map((field) => field.expression)) };
}

/** What the longest body may cost. */
export function bodyFaults(route: RoutePlan, mapping: MappingPlan | undefined): readonly DefinitionFault[] {
  return costFaults('/items_max', route.bodyCost + route.definition.items_max * (route.itemCost + (mapping?.itemCost ?? 0)));
}
