import { getMetadataStorage } from 'class-validator';
import type { Json } from '@connector/kernel/jcs';
import { DefectFault } from '@connector/kernel/faults';

type Members = { readonly [member: string]: Json };
export interface RuledMember {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Members;
}

/** What each rule of class-validator says as JSON Schema. A rule without a row here cannot be documented, so it stops the service's boot. */
const AS_SCHEMA: Readonly<Record<string, (...constraints: readonly Json[]) => Members>> = {
  isLength: (minLength = 0, maxLength = 0) => ({ type: 'string', minLength, maxLength }),
  // A RegExp stands between slashes as text.
  matches: (pattern = '') => ({ type: 'string', pattern: String(pattern).slice(1, -1) }),
  isIn: (words = []) => ({ enum: words }),
  isArray: () => ({ type: 'array' }),
  arrayMaxSize: (maxItems = 0) => ({ maxItems }),
  isObject: () => ({ type: 'object' }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  min: (minimum = 0) => ({ minimum }),
  max: (maximum = 0) => ({ maximum }),
  isOptional: () => ({}),
};

/** The members of a body or a query as its class checks them; a value that the class sets itself need not be sent. */
export function membersOf(Body: new () => object): readonly RuledMember[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Body, '', false, false);
  const preset = new Map<string, Json>(Object.entries(new Body()));
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  return names.map((name) => {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    const fallback = preset.get(name);
    const schema = Object.assign(
      {},
      ...own.map(({ name: rule = '', constraints, each }) => ofItems(each, schemaOfRule(Body, rule, constraints))),
    );
    const optional = fallback !== undefined || own.some(({ name: rule }) => rule === 'isOptional');
    return { name, required: !optional, schema: fallback === undefined ? schema : { ...schema, default: fallback } };
  });
}

const ofItems = (each: boolean, schema: Members): Members => (each ? { type: 'array', items: schema } : schema);

function schemaOfRule(Body: new () => object, rule: string, constraints: readonly Json[] = []): Members {
  const said = AS_SCHEMA[rule];
  if (said === undefined) throw new DefectFault('HOUSE:operator:RuleWithoutSchema', `${Body.name} has the rule ${rule}`);
  return said(...(rule === 'isOptional' ? [] : constraints));
}

/** A body as one closed schema: the host refuses members that have no rule. */
export function bodySchema(Body: new () => object): Members {
  const members = membersOf(Body);
  const properties = Object.fromEntries(members.map(({ name, schema }) => [name, schema]));
  const required = members.filter((member) => member.required).map(({ name }) => name);
  return { type: 'object', additionalProperties: false, required, properties };
}
