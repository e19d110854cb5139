import { jcs, type Json, type JsonObject } from '@connector/kernel/jcs';
import { orderFault } from './order-fault';

const faultOf = (definition: Json) => orderFault({ definitionBytes: jcs(definition) });
const position = { type: 'u64', value: 'item.seq', comparator: 'u64/v1' };
const INDEPENDENT = { kind: 'order_independent', partition: ['item.id'], commutativity_proof: 'the greatest wins' };
const LATEST = {
  kind: 'latest_source_position',
  partition: ['item.id'],
  position,
  tie_breaker: position,
  settle_ms: 0,
  start: 'first_observed',
};
const STRICT = { kind: 'strict_source_sequence', partition: ['item.id'], position, gap: { after_ms: 1, then: 'skip' }, start: '1' };
const without = (contract: JsonObject, member: string): JsonObject =>
  Object.fromEntries(Object.entries(contract).filter(([name]) => name !== member));

describe('order of a route that an epoch may freeze', () => {
  it.each<[string, JsonObject]>([
    ['independent, with its proof', INDEPENDENT],
    ['latest', LATEST],
    ['strict', STRICT],
  ])('none: con:ORD-02 %s', (_what, ordering) => {
    expect(faultOf({ ordering })).toBeUndefined();
  });

  it.each<[string, Json, string]>([
    ['con:ORD-02 con:ORD-08 no contract at all', {}, 'ordering-missing'],
    ['con:ORD-02 a contract of another kind', { ordering: { kind: 'first_come' } }, 'ordering-missing'],
    [
      'con:ORD-03 order does not matter, and nothing says why',
      { ordering: without(INDEPENDENT, 'commutativity_proof') },
      'ordering-unproven',
    ],
    ...['partition', 'position', 'tie_breaker', 'settle_ms'].map((member): [string, Json, string] => [
      `con:ORD-04 PUB-ORD-04 latest without ${member}`,
      { ordering: without(LATEST, member) },
      'ordering-incomplete',
    ]),
    ...['position', 'tie_breaker', 'settle_ms'].map((member): [string, Json, string] => [
      `con:ORD-04 latest whose ${member} is null`,
      { ordering: { ...LATEST, [member]: null } },
      'ordering-incomplete',
    ]),
    ...['partition', 'position', 'gap'].map((member): [string, Json, string] => [
      `con:ORD-05 strict without ${member}`,
      { ordering: without(STRICT, member) },
      'ordering-incomplete',
    ]),
    ['decisions 13.5 a strict lane that begins nowhere', { ordering: without(STRICT, 'start') }, 'ordering-without-baseline'],
    [
      'decisions 13.5 a strict lane that begins where it is first observed',
      { ordering: { ...STRICT, start: 'first_observed' } },
      'ordering-without-baseline',
    ],
    ['decisions 13.5 a latest lane that begins nowhere', { ordering: without(LATEST, 'start') }, 'ordering-without-baseline'],
    [
      'decisions 13.5 a lane that waits for a snapshot',
      { ordering: { ...LATEST, start: 'snapshot_barrier' } },
      'ordering-without-baseline',
    ],
  ])('%s: it is refused by name', (_what, definition, fault) => {
    expect(faultOf(definition)).toBe(fault);
  });

  it('ordering-missing: bytes that are no document', () => {
    expect(orderFault({ definitionBytes: Buffer.from('{') })).toBe('ordering-missing');
  });
});
