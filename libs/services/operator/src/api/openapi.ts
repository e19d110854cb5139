import { closed, COUNT, oneOf, type Shape } from '@connector/kernel/document-shape';
import { PRODUCT_VERSION } from '@connector/platform/host/version';
import type { Operation, Route } from './operation';
import { codeOf, PROBLEMS, type ProblemName, type RowDetails } from './problems';
import { bodySchema, membersOf } from './rules';
import { named, PLAIN_ROW, some, STRING } from './shapes';

type Schema = Shape<unknown>['schema'];
export interface OpenApi {
  readonly openapi: '3.1.1';
  readonly info: object;
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly securitySchemes: object };
}
export interface OpenApiOperation {
  readonly operationId: string;
  /** The role that the token of the caller needs. */
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>>;
}

/** Of a document that somebody wrote, what is wrong is said member by member too. */
const ERROR = closed({ pointer: STRING, detail: STRING }, { code: STRING, rule: STRING, expected: STRING, found: STRING, hint: STRING });

/** The members of every problem document; what a row adds stands in the catalogue. */
const problem = (status: number, code: Schema, more: Readonly<Record<string, Shape<unknown>>> = {}): Schema =>
  closed(
    {
      ...{ type: STRING, title: STRING, status: { schema: { const: status } }, detail: STRING, instance: STRING },
      ...{ code: { schema: code }, next_steps: some(STRING), ...more },
    },
    { errors: some(ERROR), errors_more: COUNT },
  ).schema;

const DETAILS: Readonly<Record<keyof RowDetails, Shape<unknown>>> = {
  explanation: named('Explanation'),
  expected: PLAIN_ROW,
  actual: PLAIN_ROW,
  candidates: some(STRING),
};

/** Any caller of any path may meet these: the host's own, and faults of values, which carry the code of who found them. */
const HOST = { 400: 'HostProblem400', 401: 'HostProblem401', 403: 'HostProblem403', 500: 'HostProblem500', 503: 'HostProblem503' };
const hostProblem = (status: number): Schema =>
  problem(status, { type: 'string', pattern: '^(HOUSE:(?!operator:)[a-z]+:[A-Za-z0-9]+|CATALOG:[A-Z_]+)$' });

function problemSchemas(): Readonly<Record<string, Schema>> {
  const host = Object.entries(HOST).map(([status, name]) => [name, hostProblem(Number(status))] as const);
  const own = Object.entries(PROBLEMS).map(([name, { status, written, carries, when }]) => {
    const more = Object.fromEntries(carries.map((detail: keyof RowDetails) => [detail, DETAILS[detail]]));
    const schema = problem(status, { const: `HOUSE:operator:${name}` }, { written: oneOf(written), ...more });
    return [name, { ...schema, description: when }] as const;
  });
  return Object.fromEntries([...host, ...own]);
}

function problemsOf({ refuses }: Operation): OpenApiOperation['responses'] {
  const names = new Map<number, string[]>(Object.entries(HOST).map(([status, name]) => [Number(status), [name]]));
  for (const name of refuses) names.set(PROBLEMS[name].status, [...(names.get(PROBLEMS[name].status) ?? []), name]);
  return Object.fromEntries(
    [...names].map(([status, of]) => {
      const schema = { anyOf: of.map((name) => named(name).schema) };
      return [status, { description: of.map(meaningOf).join('; '), content: { 'application/problem+json': { schema } } }];
    }),
  );
}

const isOwn = (name: string): name is ProblemName => Object.hasOwn(PROBLEMS, name);
const meaningOf = (name: string): string => (isOwn(name) ? `${codeOf(name)}: ${PROBLEMS[name].when}` : 'refused by the host');

function operationOf(operation: Operation): Omit<OpenApiOperation, 'security'> {
  const { id, summary, answer, path, query, states, body } = operation;
  const inPath = [...path.matchAll(/:([a-z]+)/g)].map(([, name]) => ({ in: 'path', name, required: true, schema: STRING.schema }));
  const asked = query === undefined ? [] : membersOf(query);
  const inQuery = asked.map(({ name, required, schema }) => ({
    ...{ in: 'query', name, required },
    schema: name === 'state' && states !== undefined ? { type: 'string', enum: states } : schema,
  }));
  const sent = body === undefined ? {} : { requestBody: { required: true, content: { 'application/json': { schema: bodySchema(body) } } } };
  return {
    operationId: id,
    ...{ summary, parameters: [...inPath, ...inQuery], ...sent },
    responses: {
      200: { ...{ description: summary }, content: { 'application/json': { schema: answer.schema } } },
      ...problemsOf(operation),
    },
  };
}

/** The API as one OpenAPI 3.1 document, made of the routes that handlers are bound to and the shapes that they answer with. */
export function openApi(routes: readonly Route<unknown>[], schemas: Readonly<Record<string, Shape<unknown>>>): OpenApi {
  const listed = routes.flatMap(({ method, role, operations }) => operations.map((operation) => ({ method, role, operation })));
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const { method, role, operation } of listed) {
    const path = `/v1/${operation.path.replace(/:([a-z]+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [method]: { ...operationOf(operation), security: [{ caller: [role] }] } };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Connector operator API', version: PRODUCT_VERSION },
    security: [{ caller: [] }],
    paths,
    components: {
      schemas: { ...Object.fromEntries(Object.entries(schemas).map(([name, { schema }]) => [name, schema])), ...problemSchemas() },
      securitySchemes: { caller: { type: 'http', scheme: 'bearer' } },
    },
  };
}
