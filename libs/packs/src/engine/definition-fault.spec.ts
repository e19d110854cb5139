import { DEFINITION_FAULTS, definitionFault } from './definition-fault';

const WORDS = { expected: 'one', found: 'another', hint: 'try' };

describe('definitionFault', () => {
  it.each(DEFINITION_FAULTS)('rule: %s names the requirement that it breaks', (code) => {
    expect(definitionFault(code, '/a', WORDS)).toMatchObject({
      code,
      rule: expect.stringMatching(/^(con|cat):[A-Z]+-\w+$|^HOUSE:packs:\w+$/),
    });
  });

  it.each([
    ['shape-wrong', '/definitions/inbound-route/0/definition/ordering', 'con:ORD-08'],
    ['rule-contradicts', '/ordering/start', 'con:ORD-08'],
    ['rule-contradicts', '/classify/3/status', 'con:INV-24'],
    ['rule-contradicts', '/transport_key_header', 'con:ADM-P'],
    ['shape-wrong', '/definitions/inbound-route/0/definition/reordering', 'con:DEFN-F'],
    ['name-unknown', '/ordering/partition/0', 'HOUSE:packs:Expressions'],
  ] as const)('rule: %s at %s breaks %s', (code, pointer, rule) => {
    expect(definitionFault(code, pointer, WORDS).rule).toBe(rule);
  });

  it('short: a member or a value of any length is not repeated', () => {
    const fault = definitionFault('shape-wrong', `/fields/${'x'.repeat(100_000)}`, { ...WORDS, found: 'y'.repeat(100_000) });
    expect(fault).toMatchObject({ pointer: '/fields', found: 'a text of 100000 characters' });
  });
});
