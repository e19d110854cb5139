import { run } from '@bufbuild/cel';
import * as fc from 'fast-check';
import type { Json } from '@connector/kernel/jcs';
import { compileExpression, type Evaluated, type Expression } from './expression';
import { EXPRESSION_COST_MAX } from './limits';
import { celOf } from './values';

function compiled(source: string): Expression {
  const expression = compileExpression(source, ['item']);
  if (expression.kind === 'refused') throw expression.fault;
  return expression;
}
function evaluated(source: string, item: Json): Evaluated {
  return compiled(source).evaluate({ item: celOf(item) });
}
function faultOf(source: string): { code: string; found: string } {
  const expression = compileExpression(source, ['item']);
  return expression.kind === 'refused' ? expression.fault : { code: 'none', found: '' };
}
/** Processor time, so that a busy machine changes nothing. */
const millis = (work: () => unknown): number => {
  const from = process.cpuUsage();
  work();
  return process.cpuUsage(from).user / 1e3;
};
const LIST = 'item.list';
const nested = (depth: number): string =>
  Array.from({ length: depth }).reduceRight<string>((inner, _, at) => `${LIST}.all(v${at}, ${inner})`, 'true');

describe('compileExpression', () => {
  it.each([
    ['expression-too-long', `item.a == '${'x'.repeat(2_048)}'`],
    ['expression-unreadable', 'item.'],
    ['expression-unreadable', '('.repeat(1_000)],
    ['expression-unreadable', '{a:('.repeat(250)],
    ['expression-unreadable', `${'['.repeat(33)}1${']'.repeat(33)}`],
    ['name-unknown', 'iten.a'],
    ['name-unknown', 'int'],
    ['name-unknown', 'process.env'],
    ['name-unknown', 'item.list.all(x, y)'],
    ['function-refused', 'now()'],
    ['function-refused', "timestamp('2026-01-01T00:00:00Z')"],
    ['function-refused', "duration('1s')"],
    ['function-refused', 'item.at.getFullYear()'],
    ['function-refused', 'double(item.a)'],
    ['function-refused', "bytes('a')"],
    ['function-refused', 'type(item)'],
    ['function-refused', 'cel.bind(x, item, x)'],
    ['literal-refused', "b'abc'"],
    ['literal-refused', '1u'],
    ['literal-refused', '9223372036854775808'],
    ['literal-refused', 'google.protobuf.Duration{seconds: 1}'],
    ['literal-refused', `'${'x'.repeat(1_025)}'`],
    ['literal-refused', `[${'1,'.repeat(100)}1]`],
    ['loops-too-deep', nested(3)],
    ['pattern-refused', 'item.a.matches(item.b)'],
    ['pattern-refused', "item.a.matches('(a')"],
    ['pattern-refused', "item.a.matches('(a){900}{3}')"],
    ['pattern-refused', String.raw`item.a.matches('(a)\\1')`],
    ['cost-over-ceiling', 'item.list.all(a, item.list.all(b, a == b || a == b || a == b))'],
  ])('%s: %s', (code, source) => {
    expect(faultOf(source).code).toBe(code);
  });

  it('cost-over-ceiling: is refused with its estimate', () => {
    const { code, found } = faultOf('item.list.all(a, item.list.all(b, a == b || a == b || a == b))');
    expect(code).toBe('cost-over-ceiling');
    expect(Number(found)).toBeGreaterThan(EXPRESSION_COST_MAX);
  });

  it('expression: two loops in each other are the most, and a literal list counts with its own length', () => {
    expect(faultOf(nested(2)).code).toBe('none');
    expect(compiled("['a', 'b'].exists(x, x == item.a)").cost).toBeLessThan(50);
    expect(compiled('item.list.exists(x, x == item.a)').cost).toBeGreaterThan(5_000);
  });
});

describe('evaluate', () => {
  it.each<[string, Json]>([
    ['item.a == 1 && item.b', true],
    ["has(item.none) ? item.none : 'no'", 'no'],
    ['item.list.filter(x, x > 1).map(x, x * 10)[1]', 30n as unknown as Json],
    ["int('-12') + item.a", -11n as unknown as Json],
    ["string(item.a) + ':' + item.text", '1:text'],
    ['2 in item.list', true],
    ["item.text.matches('^te.t$')", true],
    ['size(item.text)', 4n as unknown as Json],
    ['item.half', 0.5],
    ['item.text == null', false],
  ])('value: %s', (source, value) => {
    expect(evaluated(source, { a: 1, b: true, list: [1, 2, 3], text: 'text', half: 0.5 })).toEqual({ kind: 'value', value });
  });

  it.each([
    ['member-missing', 'item.none'],
    ['member-missing', 'item.none.deeper'],
    ['member-missing', 'item.__proto__'],
    ['member-missing', 'item.constructor'],
    ['wrong-type', 'item.text + 1'],
    ['wrong-type', 'item.list == item.list'],
    ['wrong-type', '[item.list] in item.list'],
    ['wrong-type', "int(' 1')"],
    ['wrong-type', "int('0x10')"],
    ['wrong-type', "int('')"],
    ['wrong-type', 'string(0.5)'],
    ['wrong-type', 'item.text ? 1 : 2'],
    ['out-of-range', '9223372036854775807 + item.a'],
    ['out-of-range', "int('9223372036854775808')"],
    ['too-large', 'size(item.long)'],
    ['too-large', "item.long.contains('x')"],
    ['too-large', "'x'.contains(item.needle)"],
    ['too-large', "item.needle.matches('n+') && item.long.matches('x')"],
    ['too-large', 'item.long + item.long'],
    ['too-large', 'item.many.exists(x, x == 0)'],
    ['too-large', 'item.pair.exists(x, item.hundred.exists(y, y == 0))'],
    ['too-large', 'item.many + item.pair'],
    ['too-large', '0 in item.many'],
    ['not-computable', '1 / 0'],
  ])('%s: %s', (failure, source) => {
    const many = Array.from({ length: 1_001 }, () => 1);
    const item = {
      a: 1,
      text: 'text',
      list: [1],
      long: 'x'.repeat(65_537),
      needle: 'n'.repeat(257),
      many,
      pair: [1, 2],
      hundred: many.slice(0, 100),
    };
    expect(evaluated(source, item)).toEqual({ kind: 'failed', failure });
  });

  it('value: `(a+)+` over a hostile text takes linear time, where a backtracking engine takes ages', () => {
    const source = "item.matches('^(a+)+$')";
    expect(evaluated(source, `${'a'.repeat(500)}!`)).toEqual({ kind: 'value', value: false });
    const hostile = (length: number) => (): unknown => run("text.matches('^(a+)+$')", { text: `${'a'.repeat(length)}!` });
    hostile(20_000)();
    const [short, long] = [millis(hostile(20_000)), millis(hostile(200_000))];
    // Ten times the text: far below the hundredfold of a quadratic engine, and no hang.
    expect(long).toBeLessThan(Math.max(short, 2) * 40);
    expect(long).toBeLessThan(5_000);
  });

  it('value: a loop over the most members that it may meet neither overflows the stack nor takes long', () => {
    const list = Array.from({ length: 1_000 }, (_, at) => at);
    let result: Evaluated | undefined;
    const took = millis(() => (result = evaluated('size(item.map(x, x + 1).filter(x, x > 500))', list)));
    expect(result).toEqual({ kind: 'value', value: 500n });
    expect(took).toBeLessThan(2_000);
  });

  it('value: the dearest expressions stay within a second', () => {
    const list = Array.from({ length: 1_000 }, () => 'same');
    const source = 'item.all(a, item.all(b, a == b))';
    const inner = Array.from({ length: 50 }, () => 'same');
    const dearest = compileExpression('item.outer.all(a, item.inner.all(b, a == b))', ['item']);
    if (dearest.kind === 'refused') throw dearest.fault;
    expect(dearest.cost).toBeLessThanOrEqual(EXPRESSION_COST_MAX);
    expect(millis(() => dearest.evaluate({ item: celOf({ outer: list, inner }) }))).toBeLessThan(1_000);
    expect(evaluated(source, list)).toEqual({ kind: 'failed', failure: 'too-large' });
  });

  it('value or failed: never throws, whatever the text and the item are', () => {
    const words = [
      'item',
      '.a',
      '[0]',
      '(',
      ')',
      '+',
      '==',
      "'x'",
      '1',
      '.map(x, ',
      'x',
      ' && ',
      '!',
      '{',
      '}',
      ':',
      'in',
      'size(',
      '?',
      ',',
      'matches',
    ];
    const seed = 20261130;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 12 }), fc.jsonValue({ maxDepth: 3 }), (parts, item) => {
        const expression = compileExpression(parts.join(''), ['item']);
        if (expression.kind === 'expression') expression.evaluate({ item: celOf(JSON.parse(JSON.stringify(item))) });
      }),
      { seed, numRuns: 1_500 },
    );
  });
});
