import { Ajv2020, type SchemaObject, type ValidateFunction } from 'ajv/dist/2020';
import type { RunningService } from '@connector/platform/host/service';
import { callsTo, type SeenAnswer } from './calls';

interface DocumentedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, { readonly schema: SchemaObject }>> }>>;
}
export interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, SchemaObject>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

/** Real answers against a document: a status, a content type or a member that it does not list is an error at the call that met it. */
export interface OpenApiContract {
  accept(seen: SeenAnswer): void;
  /** Of these operations, those that never answered 200. */
  unanswered(operationIds: readonly string[]): readonly string[];
}

/** The document as this service serves it to `caller`, to hold its answers against. */
export async function servedContract(service: RunningService, caller: string): Promise<OpenApiContract> {
  const { body } = await callsTo(service, caller).get('/v1/openapi.json');
  return openApiContract(body as unknown as OpenApiDocument);
}

interface Routed {
  readonly operations: readonly { readonly id: string }[];
}
export const operationIds = (routes: Readonly<Record<string, Routed>>): readonly string[] =>
  Object.values(routes).flatMap(({ operations }) => operations.map(({ id }) => id));

/** A path that the document does not have may only say so. */
const NOTHING_HERE = 404;

export function openApiContract(document: OpenApiDocument): OpenApiContract {
  const admitsBy = schemasOf(document);
  const listed = Object.entries(document.paths).map(([path, methods]) => ({ path, methods, form: formOf(path) }));
  const answered = new Set<string>();
  const accept = ({ method, path, status, contentType, body }: SeenAnswer): void => {
    const asked = `${method} ${path} ${status}`;
    const plain = path.split('?')[0] ?? path;
    const place = listed.find(({ path: exact }) => exact === plain) ?? listed.find(({ form }) => form.test(plain));
    const operation = place?.methods[method.toLowerCase()];
    if (place === undefined || operation === undefined) {
      if (status === NOTHING_HERE) return;
      throw new Error(`${asked}: the document has no such path`);
    }
    const type = contentType.split(';')[0] ?? '';
    const schema = operation.responses[status]?.content[type]?.schema;
    if (schema === undefined) throw new Error(`${asked}: ${operation.operationId} lists no ${type} for it`);
    const admits = admitsBy(schema);
    if (admits(body) !== true) throw new Error(`${asked}: ${JSON.stringify(admits.errors)} in ${JSON.stringify(body)}`);
    if (status === 200) answered.add(operation.operationId);
  };
  return { accept, unanswered: (ids) => ids.filter((id) => !answered.has(id)) };
}

/** Compiles a schema of the document under 2020-12; its references lead into the document's components, which are added once. */
export function schemasOf({ components }: Pick<OpenApiDocument, 'components'>): (schema: SchemaObject) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, ownProperties: true, inlineRefs: false });
  ajv.addKeyword('components');
  ajv.addSchema({ $id: 'document', components });
  const made = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const known = made.get(text) ?? ajv.compile(JSON.parse(text) as SchemaObject);
    made.set(text, known);
    return known;
  };
}

function formOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.$]/g, '\\$&').replace(/\{[a-z]+\}/g, '[^/]+')}$`);
}
