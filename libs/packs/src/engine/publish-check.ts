import { BINDING_KINDS, type BindingKind } from '@connector/kernel/document-binding';
import { jcs, type Json, type JsonObject } from '@connector/kernel/jcs';
import type { CalloutProfile } from '../model/definition-schemas';
import { type CalloutPlan, planCallout } from './callout-plan';
import { definitionFault, type DefinitionFault } from './definition-fault';
import { type Read, readCalloutProfile, readFieldMapping, readInboundRoute, readPackDocument, readPushContract } from './definition';
import { DEFINITION_BYTES_MAX, DEFINITIONS_MAX, PACK_TEXT_MAX, PACK_VALUES_MAX } from './limits';
import { headerFaults, planPush, type PushPlan } from './push-plan';
import { bodyFaults, type MappingPlan, planMapping, planRoute, type RoutePlan } from './route-plan';

export interface CheckedDefinition {
  readonly kind: BindingKind;
  readonly businessKey: string;
  readonly definitionVersion: string;
  readonly definition: JsonObject;
}
export type PackCheck =
  | {
      readonly ok: true;
      readonly ownerPack: string;
      readonly packVersion: string;
      /** In bytewise order of kind, business key, version, as the manifest lists them. */
      readonly definitions: readonly CheckedDefinition[];
    }
  /** All faults together, each with its pointer into `pack.json`. */
  | { readonly ok: false; readonly faults: readonly DefinitionFault[] };

interface Entry<Plan> {
  readonly pointer: string;
  readonly businessKey: string;
  readonly plan: Plan | undefined;
  readonly faults: readonly DefinitionFault[];
}
interface Planned {
  readonly faults: readonly DefinitionFault[];
}
type Document = Extract<ReturnType<typeof readPackDocument>, { kind: 'read' }>['value'];

/** What publication asks of a pack: closed shapes, bounded expressions, references that lead somewhere, names used once. */
export function checkPack(source: { readonly pack: Json }): PackCheck {
  const heavy = weightFaults(source.pack);
  if (heavy.length > 0) return { ok: false, faults: heavy };
  const read = readPackDocument(source.pack);
  if (read.kind === 'faulty') return { ok: false, faults: read.faults };
  const document = read.value;
  const routes = entriesOf(document, 'inbound-route', readInboundRoute, planRoute);
  const mappings = entriesOf(document, 'field-mapping', readFieldMapping, planMapping);
  const pushes = entriesOf(document, 'push-contract', readPushContract, planPush);
  const profiles = entriesOf(document, 'callout-profile', readCalloutProfile, planCallout);
  const faults = [
    ...[...routes, ...mappings, ...pushes, ...profiles].flatMap((entry) => entry.faults),
    ...duplicates(document),
    ...countFaults(document),
    ...routes.flatMap((route) => routeFaults(route, mappings)),
    ...pushes.flatMap((push) => pushFaults(push, profiles)),
  ];
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, ownerPack: document.owner_pack, packVersion: document.pack_version, definitions: definitionsOf(document) };
}

function entriesOf<T, Plan extends Planned>(
  document: Document,
  kind: BindingKind,
  read: (definition: Json) => Read<T>,
  plan: (definition: T) => Plan,
): readonly Entry<Plan>[] {
  return (document.definitions[kind] ?? []).map((entry, at) => {
    const pointer = `/definitions/${kind}/${at}`;
    const found = read(entry.definition);
    const planned = found.kind === 'read' ? plan(found.value) : undefined;
    const faults = found.kind === 'faulty' ? found.faults : [...(planned?.faults ?? []), ...sizeFaults(entry.definition)];
    return { pointer, businessKey: entry.business_key, plan: planned, faults: under(`${pointer}/definition`, faults) };
  });
}

function under(pointer: string, faults: readonly DefinitionFault[]): readonly DefinitionFault[] {
  return faults.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` }));
}

function definitionsOf(document: Document): readonly CheckedDefinition[] {
  const all = BINDING_KINDS.flatMap((kind) =>
    (document.definitions[kind] ?? []).map(({ business_key, definition_version, definition }) => ({
      kind,
      businessKey: business_key,
      definitionVersion: definition_version,
      definition,
    })),
  );
  return all.toSorted((left, right) => Buffer.compare(identity(left), identity(right)));
}

function identity(definition: Omit<CheckedDefinition, 'definition'>): Buffer {
  return Buffer.from([definition.kind, definition.businessKey, definition.definitionVersion].join('\0'), 'utf8');
}

function duplicates(document: Document): readonly DefinitionFault[] {
  return BINDING_KINDS.flatMap((kind) => {
    const names = (document.definitions[kind] ?? []).map((entry) => `${entry.business_key} ${entry.definition_version}`);
    return names.flatMap((found, at): DefinitionFault[] => {
      if (names.indexOf(found) === at) return [];
      const pointer = `/definitions/${kind}/${at}`;
      const wrong = { expected: 'a name and version once', found, hint: 'give it another version' };
      return [definitionFault('duplicate-definition', pointer, wrong)];
    });
  });
}

function routeFaults(route: Entry<RoutePlan>, mappings: readonly Entry<MappingPlan>[]): readonly DefinitionFault[] {
  const { plan } = route;
  if (plan === undefined) return [];
  const pointer = `${route.pointer}/definition`;
  const { mapping: wanted } = plan.definition;
  const named = mappings.filter((mapping) => mapping.businessKey === wanted);
  if (named.length === 0) return [unknown(`${pointer}/mapping`, 'field-mapping', wanted, mappings)];
  // Configuration selects a version later, so that the dearest must fit.
  return under(pointer, named.flatMap((mapping) => bodyFaults(plan, mapping.plan)).slice(0, 1));
}

function pushFaults(push: Entry<PushPlan>, profiles: readonly Entry<CalloutPlan>[]): readonly DefinitionFault[] {
  if (push.plan === undefined) return [];
  const { definition } = push.plan;
  const named = profiles.filter((profile) => profile.businessKey === definition.callout_profile);
  if (named.length === 0)
    return [unknown(`${push.pointer}/definition/callout_profile`, 'callout-profile', definition.callout_profile, profiles)];
  const usable = named.flatMap((profile): CalloutProfile[] => (profile.plan === undefined ? [] : [profile.plan.definition]));
  return under(`${push.pointer}/definition`, usable.flatMap((profile) => headerFaults(definition, profile)).slice(0, 16));
}

function unknown(pointer: string, kind: BindingKind, found: string, known: readonly Entry<Planned>[]): DefinitionFault {
  const names = known.map((entry) => entry.businessKey).slice(0, 16);
  const expected = `a ${kind} of this pack: ${names.join(', ') || 'none'}`;
  return definitionFault('reference-unknown', pointer, { expected, found, hint: 'packs refer to their own definitions' });
}

function tooLarge(pointer: string, expected: string, found: string): DefinitionFault {
  return definitionFault('too-large', pointer, { expected, found, hint: 'split it' });
}

function countFaults(document: Document): readonly DefinitionFault[] {
  const count = BINDING_KINDS.reduce((sum, kind) => sum + (document.definitions[kind]?.length ?? 0), 0);
  return count <= DEFINITIONS_MAX ? [] : [tooLarge('/definitions', `at most ${DEFINITIONS_MAX} definitions`, `${count}`)];
}

function sizeFaults(definition: JsonObject): readonly DefinitionFault[] {
  const { length } = jcs(definition);
  return length <= DEFINITION_BYTES_MAX ? [] : [tooLarge('', `at most ${DEFINITION_BYTES_MAX} canonical bytes`, `${length}`)];
}

/** Before the schemas, which find something wrong with every value, and before the parser. */
function weightFaults(whole: Json): readonly DefinitionFault[] {
  const open: Json[] = [whole];
  let [values, text] = [0, 0];
  for (let value = open.pop(); value !== undefined && values <= PACK_VALUES_MAX; value = open.pop()) {
    if (typeof value === 'string') text += value.length;
    if (typeof value !== 'object' || value === null) continue;
    const inside = Object.values(value);
    values += inside.length;
    for (const held of inside.slice(0, PACK_VALUES_MAX)) open.push(held);
  }
  if (values > PACK_VALUES_MAX) return [tooLarge('', `at most ${PACK_VALUES_MAX} members and items`, 'more')];
  return text > PACK_TEXT_MAX ? [tooLarge('', `at most ${PACK_TEXT_MAX} characters in its texts`, `${text}`)] : [];
}
