import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsArray, IsObject, IsOptional, Length, ValidateNested } from 'class-validator';
import { BODY_BOUNDS, unboundedIn } from './body-bounds';
import { BodyFault, bodyValidation } from './problem';

class Inner {
  @Length(1, 8) name!: string;
}
class Body {
  @IsOptional() @IsArray() @ValidateNested({ each: true }) @Type(() => Inner) list?: Inner[];
  @IsOptional() @IsObject() @ValidateNested() @Type(() => Inner) one?: Inner;
  @IsOptional() @IsArray() @Length(1, 8, { each: true }) names?: string[];
}

const rules = bodyValidation();
const check = (body: unknown, metatype: new () => object = Body): Promise<unknown> => rules.transform(body, { type: 'body', metatype });
async function refusedFor(body: unknown): Promise<string> {
  const thrown: unknown = await check(body).catch((error: unknown) => error);
  return thrown instanceof BodyFault ? String(thrown.errors[0]?.detail) : `no fault of a body: ${String(thrown)}`;
}
const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0]));
const nested = (levels: number): unknown => JSON.parse('{"a":'.repeat(levels) + '0' + '}'.repeat(levels));
const text = (count: number, item: string): string => Array.from({ length: count }, () => item).join();

describe('bounds of a body', () => {
  it('refused: one container, member, item or level more than any body has', () => {
    const most = { list: Array.from({ length: BODY_BOUNDS.containers - 2 }, () => ({})) };
    expect(unboundedIn(most)).toBeUndefined();
    expect(unboundedIn({ ...most, one: {} })).toBe('a body has at most 10000 containers');
    expect(unboundedIn(members(BODY_BOUNDS.members))).toBeUndefined();
    expect(unboundedIn(members(BODY_BOUNDS.members + 1))).toBe('a body has at most 30000 members');
    expect(unboundedIn({ names: Array.from({ length: BODY_BOUNDS.items }, () => 0) })).toBeUndefined();
    expect(unboundedIn({ names: Array.from({ length: BODY_BOUNDS.items + 1 }, () => 0) })).toBe('a body has at most 250000 items');
    expect(unboundedIn(nested(BODY_BOUNDS.levels))).toBeUndefined();
    expect(unboundedIn(nested(BODY_BOUNDS.levels + 1))).toBe('a body has at most 16 levels');
  });

  it('refused: a body that is a list or a word; none at all is one without members', async () => {
    for (const body of [[], [{}], 'x', 1, true]) expect(await refusedFor(body)).toBe('a body is an object');
    for (const body of [undefined, null, {}]) expect(await check(body)).toEqual({});
  });

  it('refused: null for a member that may be left out, and for one that may not', async () => {
    expect(await refusedFor({ names: null })).toBe('names must not be null');
    const thrown: unknown = await check({ one: null, 'a/b~': null }).catch((error: unknown) => error);
    expect(thrown instanceof BodyFault && thrown.errors.map(({ pointer }) => pointer)).toEqual(['/one', '/a~1b~0']);
  });

  it.each([
    ['objects where a class stands', () => `{"one":[${text(2_700_000, '{}')}]}`, 'a body has at most 250000 items'],
    ['objects in its list', () => `{"list":[${text(200_000, '{}')}]}`, 'a body has at most 10000 containers'],
    ['lists in lists', () => `{"one":${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}}`, 'a body has at most 16 levels'],
    ['numbers', () => `{"names":[${text(4_000_000, '0')}]}`, 'a body has at most 250000 items'],
  ])('refused: 8 MiB of %s, within a second and without making one of them', async (_what, make, detail) => {
    const body: unknown = JSON.parse(make());
    const [began, peak] = [process.cpuUsage(), process.resourceUsage().maxRSS];
    expect(await refusedFor(body)).toBe(detail);
    expect(process.cpuUsage(began).user / 1e3).toBeLessThan(1_000);
    expect((process.resourceUsage().maxRSS - peak) / 1024).toBeLessThan(300);
  });

  it('a document is not counted: whose member is none of a class is checked by its owner', async () => {
    const document = nested(BODY_BOUNDS.levels + 1);
    expect(await check(document, Object)).toBe(document);
  });
});
