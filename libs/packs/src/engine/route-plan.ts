import type { FieldMapping, InboundRoute } from '../model/definition-schemas';
import { costFaults, costOf, type DefinitionFault, ExpressionSet, type NamedExpression } from './definition';
import type { Expression } from './expression';

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
  const sourceEventKey = set.compileAll('/source_event_key', definition.source_event_key, ['item']);
  const occurredAt = definition.occurred_at === undefined ? undefined : set.compile('/occurred_at', definition.occurred_at, ['item']);
  const partition = set.compileAll('/ordering/partition', ordering.partition, ['account', 'item']);
  const order = 'position' in ordering ? [set.compile('/ordering/position/value', ordering.position.value, ['item'])] : [];
  if ('tie_breaker' in ordering) order.push(set.compile('/ordering/tie_breaker/value', ordering.tie_breaker.value, ['item']));
  const perItem = [...refuse.map((rule) => rule.when), ...sourceEventKey, ...(occurredAt ? [occurredAt] : []), ...partition, ...order];
  const costs = { bodyCost: items.cost, itemCost: costOf(perItem) };
  const manyItems = definition.items !== undefined;
  return { definition, items, manyItems, refuse, sourceEventKey, occurredAt, partition, ...costs, faults: set.faults };
}

export function planMapping(definition: FieldMapping): MappingPlan {
  const set = new ExpressionSet();
  const fields = set.compileByName('/fields', definition.fields, ['item', 'account', 'event']);
  return { fields, faults: set.faults, itemCost: costOf(fields.map((field) => field.expression)) };
}

/** What the longest body may cost. */
export function bodyFaults(route: RoutePlan, mapping: MappingPlan | undefined): readonly DefinitionFault[] {
  return costFaults('/items_max', route.bodyCost + route.definition.items_max * (route.itemCost + (mapping?.itemCost ?? 0)));
}
