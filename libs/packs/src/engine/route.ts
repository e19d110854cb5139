import { type CelValue, isCelList } from '@bufbuild/cel';
import { type Json, jcs } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import type { InboundRoute } from '../model/definition-schemas';
import { definitionRefused, type DefinitionRefused, readFieldMapping, readInboundRoute } from './definition';
import { type ExtractedItem, type ItemContext, readItem, type RefusedItem } from './item';
import { MESSAGE_BYTES_MAX } from './limits';
import { clipped, PartError, valueAt } from './parts';
import { bodyFaults, type MappingPlan, planMapping, planRoute, type RoutePlan } from './route-plan';
import { celOf } from './values';

/** Why a whole body is refused (decisions 13.4). */
export const BODY_REFUSALS = ['body-not-json', 'items-unreadable', 'too-many-items'] as const;
export type BodyRefusal = (typeof BODY_REFUSALS)[number];

export type Extraction =
  | { readonly kind: 'items'; readonly items: readonly (ExtractedItem | RefusedItem)[] }
  | { readonly kind: 'unreadable'; readonly code: BodyRefusal; readonly message: string };

/** What came beside a body: its transport key, and of the headers that the route names those that were sent, by lower-case name. */
export interface DeliveryFacts {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A route of one exact generation with the mapping that goes with it. */
export interface Route {
  readonly kind: 'route';
  /** Undefined: the scheme's own way to tell deliveries apart. */
  readonly transportKeyHeader: string | undefined;
  readonly verificationSchemes: readonly string[];
  readonly eventKind: string;
  /** Headers that belong to a delivery of this route: what `delivery.headers` may have. */
  readonly headers: readonly string[];
  readonly ordering: InboundRoute['ordering'];
  /** JCS of the ordering contract. */
  readonly orderingContract: Buffer;
  /**
   * The items of a body that was verified before, in order, ordinals from 0. The same bytes give the same answer in every process: no
   * clock, no randomness, bounded work. Never throws for what a body holds; two items with one source event key are both handed back.
   * The caller bounds the number of bytes. Without `delivery` an expression that asks for it refuses its item.
   */
  extract(account: string, body: Buffer, delivery?: DeliveryFacts): Extraction;
}
export type RouteRefused =
  | DefinitionRefused
  /** A valid contract that leaves open where its lanes begin: the route must not serve. */
  | { readonly kind: 'refused'; readonly code: 'ordering-not-executable'; readonly message: string };

/** `definition` is an inbound route, `mapping` the field mapping that it names. */
export function compileRoute(definition: Json, mapping: Json): Route | RouteRefused {
  const route = readInboundRoute(definition);
  if (route.kind === 'faulty') return definitionRefused(route.faults);
  const fields = readFieldMapping(mapping);
  if (fields.kind === 'faulty') return definitionRefused(fields.faults);
  const [routePlan, mappingPlan] = [planRoute(route.value), planMapping(fields.value)];
  const faults = [...routePlan.faults, ...mappingPlan.faults, ...bodyFaults(routePlan, mappingPlan)];
  if (faults.length > 0) return definitionRefused(faults);
  const { ordering } = route.value;
  if (hasBaseline(ordering)) return compiled(routePlan, mappingPlan, jcs(ordering));
  return { kind: 'refused', code: 'ordering-not-executable', message: `ordering ${ordering.kind} does not say where a lane begins` };
}

/** Without a predecessor a lane begins where its contract says so; a snapshot barrier has nobody to set it yet (decisions 13.5). */
function hasBaseline(ordering: InboundRoute['ordering']): boolean {
  return ordering.kind === 'order_independent' || (ordering.start !== undefined && ordering.start !== 'snapshot_barrier');
}

function compiled(route: RoutePlan, mapping: MappingPlan, orderingContract: Buffer): Route {
  const { transport_key_header, verification_schemes, event_kind, headers = [] } = route.definition;
  return {
    kind: 'route',
    transportKeyHeader: transport_key_header,
    verificationSchemes: verification_schemes,
    eventKind: event_kind,
    headers,
    ordering: route.definition.ordering,
    orderingContract,
    extract: (account, body, delivery) =>
      extract({ route, mapping, account, delivery: celOf(delivery === undefined ? {} : { ...delivery }), orderingContract }, body),
  };
}

function extract(context: ItemContext, body: Buffer): Extraction {
  const parsed = parseStrict(body);
  if (!parsed.ok) return unreadable('body-not-json', `${parsed.code} at byte ${parsed.at}: ${parsed.message}`);
  const found = itemsOf(context.route, parsed.value);
  if (!Array.isArray(found)) return found;
  return { kind: 'items', items: found.map((value, ordinal) => readItem(context, value, ordinal)) };
}

function unreadable(code: BodyRefusal, message: string): Extraction & { kind: 'unreadable' } {
  return { kind: 'unreadable', code, message: clipped(message, MESSAGE_BYTES_MAX) };
}

function itemsOf(route: RoutePlan, body: Json): CelValue[] | (Extraction & { kind: 'unreadable' }) {
  const { items_max } = route.definition;
  try {
    const value = valueAt('items', route.items, { body: celOf(body) });
    if (!route.manyItems) return [value];
    if (!isCelList(value)) return unreadable('items-unreadable', `items: not a list: ${route.items.source}`);
    if (value.size > items_max) return unreadable('too-many-items', `items: more than ${items_max}`);
    return [...value];
  } catch (error) {
    if (error instanceof PartError) return unreadable('items-unreadable', error.message);
    throw error;
  }
}
