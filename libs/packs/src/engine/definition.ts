import { Ajv, type ErrorObject } from 'ajv';
import { wordOf } from '@connector/kernel/document-fault';
import { admitting, type Shape } from '@connector/kernel/document-shape';
import type { Json } from '@connector/kernel/jcs';
import { CALLOUT_PROFILE, FIELD_MAPPING, INBOUND_ROUTE, PACK, PUSH_CONTRACT } from '../model/definition-schemas';
import { definitionFault, type DefinitionFault } from './definition-fault';
import { compileExpression, type Expression } from './expression';
import { DEFINITION_COST_MAX } from './limits';

/** A definition that cannot be used. A published one never is: its faults were found at publication. */
export interface DefinitionRefused {
  readonly kind: 'refused';
  readonly code: 'definition-faulty';
  readonly message: string;
  readonly faults: readonly DefinitionFault[];
}
export type Read<T> =
  { readonly kind: 'read'; readonly value: T } | { readonly kind: 'faulty'; readonly faults: readonly DefinitionFault[] };

const ajv = new Ajv({ strict: true, allErrors: true, ownProperties: true, discriminator: true, verbose: true });

function reader<T>(shape: Shape<T>): (definition: Json) => Read<T> {
  const admits = admitting(ajv, shape);
  return (definition) =>
    admits(definition) ? { kind: 'read', value: definition } : { kind: 'faulty', faults: admits.errors.map(faultOfShape) };
}

function faultOfShape(error: ErrorObject): DefinitionFault {
  const { allowedValues, additionalProperty, propertyName, tag, tagValue } = error.params;
  const found =
    additionalProperty ?? propertyName ?? (error.keyword === 'required' ? 'nothing' : wordOf(tag === undefined ? error.data : tagValue));
  const words = Array.isArray(allowedValues) ? allowedValues : wordsOfTag(error);
  const expected = words.length > 0 ? `one of: ${words.join(', ')}` : (error.message ?? error.keyword);
  const hint = 'the schema of this kind says what each member is';
  return definitionFault('shape-wrong', error.instancePath, { expected, found: String(found), hint });
}

/** Which shape it is to have, a tag says: these are the words that it may be. */
function wordsOfTag({ keyword, params: { tag }, parentSchema }: ErrorObject): readonly unknown[] {
  const shapes: readonly unknown[] = keyword === 'discriminator' && Array.isArray(parentSchema?.['oneOf']) ? parentSchema['oneOf'] : [];
  return shapes.flatMap((shape) => enumAt(shape, ['properties', String(tag), 'enum']));
}

function enumAt(node: unknown, [name, ...more]: readonly string[]): readonly unknown[] {
  if (name === undefined) return Array.isArray(node) ? node : [];
  return typeof node === 'object' && node !== null ? enumAt(Reflect.get(node, name), more) : [];
}

export const readInboundRoute = reader(INBOUND_ROUTE);
export const readFieldMapping = reader(FIELD_MAPPING);
export const readPushContract = reader(PUSH_CONTRACT);
export const readCalloutProfile = reader(CALLOUT_PROFILE);
export const readPackDocument = reader(PACK);

/** Stands where an expression was refused, so that the rest is looked at too; what holds it is never used, because there are faults. */
const REFUSED: Expression = { kind: 'expression', source: '', cost: 0, evaluate: () => ({ kind: 'failed', failure: 'not-computable' }) };

/** Compiles all expressions of a definition and keeps every fault, so that an author sees them together. */
export class ExpressionSet {
  readonly faults: DefinitionFault[] = [];

  compile(pointer: string, source: string, names: readonly string[]): Expression {
    const compiled = compileExpression(source, names);
    if (compiled.kind === 'expression') return compiled;
    this.faults.push(definitionFault(compiled.fault.code, pointer, compiled.fault));
    return REFUSED;
  }

  compileAll(pointer: string, sources: readonly string[], names: readonly string[]): readonly Expression[] {
    return sources.map((source, index) => this.compile(`${pointer}/${index}`, source, names));
  }

  compileByName(
    pointer: string,
    sources: Readonly<Record<string, string>> | undefined,
    names: readonly string[],
  ): readonly NamedExpression[] {
    return Object.entries(sources ?? {}).map(([name, source]) => ({ name, expression: this.compile(`${pointer}/${name}`, source, names) }));
  }
}
export interface NamedExpression {
  readonly name: string;
  readonly expression: Expression;
}

export function costOf(expressions: readonly Expression[]): number {
  return expressions.reduce((sum, expression) => sum + expression.cost, 0);
}

/** A fault with the estimate where expressions that are evaluated together cost more than the ceiling. */
export function costFaults(pointer: string, cost: number): readonly DefinitionFault[] {
  if (cost <= DEFINITION_COST_MAX) return [];
  const expected = `at most ${DEFINITION_COST_MAX} nodes together`;
  return [definitionFault('cost-over-ceiling', pointer, { expected, found: `${cost}`, hint: 'fewer loops, or fewer items for each body' })];
}

export function definitionRefused(faults: readonly DefinitionFault[]): DefinitionRefused {
  const [first] = faults;
  const message = first === undefined ? 'faulty' : `${first.pointer}: ${first.code}: expected ${first.expected}, found ${first.found}`;
  return { kind: 'refused', code: 'definition-faulty', message, faults };
}
