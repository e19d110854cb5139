import 'reflect-metadata';
import { Length, MinLength } from 'class-validator';
import { schemasOf } from '@connector/testing/openapi-contract';
import { CONTROLLERS } from '../operator.service';
import { openApi, type OpenApi } from './openapi';
import { ROUTE, type Route } from './operation';
import { ROUTES, SCHEMAS } from './routes';
import { bodySchema } from './rules';

const document = openApi(ROUTES, SCHEMAS);
const handlers = CONTROLLERS.flatMap(({ prototype }: { readonly prototype: object }) =>
  Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .map((name) => ({ prototype, name, handler: prototype[name as keyof typeof prototype] as object })),
);
const bound = handlers.filter(({ handler }) => Reflect.hasMetadata('path', handler));
const routeOf = (handler: object) => Reflect.getMetadata(ROUTE, handler) as Route<unknown> | undefined;

const schemasIn = ({ paths }: OpenApi) =>
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.values(responses).flatMap(({ content }) => Object.values(content).map(({ schema }) => schema)));

describe('openapi', () => {
  it('one table: every path of a controller is a route of the document, and every route has its handler', () => {
    expect(bound.map(({ name, handler }) => [name, routeOf(handler)?.path])).toEqual(
      bound.map(({ name, handler }) => [name, Reflect.getMetadata('path', handler)]),
    );
    expect(new Set(bound.map(({ handler }) => routeOf(handler)))).toEqual(new Set(ROUTES));
  });

  it('one class: a handler checks the body and the query that its route documents', () => {
    const checked = bound.map(({ prototype, name, handler }) => {
      const types = Reflect.getMetadata('design:paramtypes', prototype, name) as readonly unknown[];
      const { query, body } = routeOf(handler)?.operations[0] ?? {};
      return [name, [query, body].filter((type) => type !== undefined).every((type) => types.includes(type))];
    });
    expect(checked).toEqual(bound.map(({ name }) => [name, true]));
  });

  it('valid: every schema compiles under 2020-12, and every reference leads somewhere', () => {
    const compile = schemasOf(document);
    for (const schema of [...Object.values(document.components.schemas), ...schemasIn(document)]) compile(schema);
    const named = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(named.filter((name) => document.components.schemas[name as string] === undefined)).toEqual([]);
  });

  it('one place and one name an operation: none hides another, and ids are unique', () => {
    const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(ids).toHaveLength(ROUTES.flatMap(({ operations }) => operations).length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('closed: a body says its members, bounds and which of them must be there', () => {
    class Body {
      @Length(1, 5) by!: string;
    }
    expect(bodySchema(Body)).toEqual({
      ...{ type: 'object', additionalProperties: false, required: ['by'] },
      properties: { by: { type: 'string', minLength: 1, maxLength: 5 } },
    });
  });

  it('refused: a rule that has no schema', () => {
    class Body {
      @MinLength(3) by!: string;
    }
    expect(() => bodySchema(Body)).toThrow('Body has the rule minLength');
  });
});
