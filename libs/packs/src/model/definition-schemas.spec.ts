import { BINDING_KINDS } from '@connector/kernel/document-binding';
import { EXPRESSION_CHARS_MAX, ITEMS_MAX } from '../engine/limits';
import { DEFINITION_SHAPES, INBOUND_ROUTE, PACK } from './definition-schemas';
import { CEL } from './definition-shapes';

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function* nodes(schema: unknown, at = ''): Generator<readonly [string, Node]> {
  if (!isNode(schema)) return;
  yield [at, schema];
  for (const [key, value] of Object.entries(schema)) yield* nodes(value, `${at}/${key}`);
}

describe('definition schemas', () => {
  it('closed: every object of every kind refuses members that it does not name (con:DEFN-F)', () => {
    expect(Object.keys(DEFINITION_SHAPES).sort()).toEqual([...BINDING_KINDS]);
    for (const [kind, { schema }] of Object.entries(DEFINITION_SHAPES)) {
      const open = [...nodes(schema)].filter(([, node]) => isNode(node['properties']) && node['additionalProperties'] !== false);
      expect({ kind, open: open.map(([at]) => at) }).toEqual({ kind, open: [] });
    }
  });

  it('documented: every member of a kind says what it is', () => {
    for (const [kind, { schema }] of [...Object.entries(DEFINITION_SHAPES), ['pack', PACK] as const]) {
      const members = Object.entries(isNode(schema['properties']) ? schema['properties'] : {});
      const silent = members.filter(([, member]) => isNode(member) && typeof member['description'] !== 'string').map(([name]) => name);
      expect({ kind, silent }).toEqual({ kind, silent: kind === 'pack' ? ['definitions'] : [] });
    }
  });

  it('limits: the schemas say the numbers that the engine keeps', () => {
    expect(CEL.schema).toMatchObject({ maxLength: EXPRESSION_CHARS_MAX });
    expect(INBOUND_ROUTE.schema).toMatchObject({ properties: { items_max: { maximum: ITEMS_MAX } } });
  });
});
