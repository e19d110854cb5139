import 'reflect-metadata';
import { Type } from 'class-transformer';
import { IsArray, IsObject, IsOptional, Length, ValidateNested } from 'class-validator';
import { BODY_BOUNDS, unboundedIn } from './body-bounds';
import { BodyFault, bodyValidation, partsOf, problemOf } from './problem';

class Inner {
  @Length(1, 8) name!: string;
  @IsOptional() @Length(1, 8) also?: string;
}
class Body {
  @IsOptional() @IsArray() @ValidateNested({ each: true }) @Type(() => Inner) list?: Inner[];
  @IsOptional() @IsObject() @ValidateNested() @Type(() => Inner) one?: Inner;
  @IsOptional() @IsArray() @Length(1, 8, { each: true }) names?: string[];
  /** A document of its own: what is inside is none of the class's. */
  @IsOptional() @IsObject() free?: object;
}

const rules = bodyValidation();
const check = (body: unknown, metatype: new () => object = Body): Promise<unknown> => rules.transform(body, { type: 'body', metatype });
const thrownFor = (body: unknown): Promise<unknown> => check(body).catch((error: unknown) => error);
async function refusedFor(body: unknown): Promise<string> {
  const thrown = await thrownFor(body);
  return thrown instanceof BodyFault ? String(thrown.errors[0]?.detail) : `no fault of a body: ${String(thrown)}`;
}
async function pointersFor(body: unknown): Promise<unknown> {
  const thrown = await thrownFor(body);
  return thrown instanceof BodyFault ? thrown.errors.map(({ pointer }) => pointer) : thrown;
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
    expect(await pointersFor({ one: null, 'a/b~': null })).toEqual(['/one', '/a~1b~0']);
  });

  it('refused: null at any depth of what a class describes, by its pointer; in a document it is its owner’s to judge', async () => {
    expect(await refusedFor({ one: { name: 'x', also: null } })).toBe('one/also must not be null');
    expect(await pointersFor({ one: { name: 'x', also: null }, list: [{ name: 'x' }, { name: 'y', also: null }] })).toEqual([
      '/one/also',
      '/list/1/also',
    ]);
    expect(await pointersFor({ list: [null, { name: 'x' }, null] })).toEqual(['/list/0', '/list/2']);
    expect(await pointersFor({ names: ['x', null] })).toEqual(['/names/1']);
    expect(await check({ free: { any: null, list: [null] } })).toEqual({ free: { any: null, list: [null] } });
  });

  it.each([
    ['members that are null', () => Object.fromEntries(Array.from({ length: BODY_BOUNDS.members }, (_, at) => [`m${at}`, null])), 29_900],
    ['items that are null', () => ({ names: Array.from({ length: BODY_BOUNDS.items }, () => null) }), 249_900],
    ['members that nobody knows', () => members(BODY_BOUNDS.members), 29_900],
    ['wrong items', () => ({ list: Array.from({ length: 9_000 }, () => ({ name: '' })) }), 8_900],
  ])('refused: %s, as many as a body may hold: 100 are told and the others counted', async (_what, make, more) => {
    const { errors, errors_more: beyond } = problemOf(partsOf(await thrownFor(make())), '/');
    expect([errors?.length, beyond]).toEqual([100, more]);
  });

  it('refused: a name that is longer than any member’s, without repeating it', async () => {
    expect(await refusedFor({ one: { name: 'x', ['n'.repeat(BODY_BOUNDS.name)]: 1 } })).toMatch(/should not exist$/);
    expect(await refusedFor({ one: { name: 'x', ['n'.repeat(BODY_BOUNDS.name + 1)]: 1 } })).toBe(
      'a member of a body has a name of at most 128 characters',
    );
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
