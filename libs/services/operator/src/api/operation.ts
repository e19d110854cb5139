import { applyDecorators, HttpCode, RequestMapping, RequestMethod, SetMetadata, UseGuards } from '@nestjs/common';
import { onlyFor } from '@connector/platform/host/only-for';
import type { Caller } from '@connector/platform/host/auth';
import type { Shape } from '@connector/kernel/document-shape';
import type { ProblemName } from './problems';

/** What a token allows (catalog.md B.3): whoever operates may do everything, and whoever writes anything may read. The catalog checks it again. */
const CALLERS = {
  operator: ['cli', 'local'],
  publisher: ['cli', 'local', 'publisher'],
  packOwner: ['cli', 'local', 'pack-owner'],
  reader: ['cli', 'local', 'publisher', 'pack-owner', 'reader'],
} as const satisfies Readonly<Record<string, readonly Caller[]>>;
export type Role = keyof typeof CALLERS;

/** One question or act, as the document lists it. */
export interface Operation {
  /** The command that asks it: `accounts.halt` is `connector accounts halt`. */
  readonly id: string;
  readonly summary: string;
  /** As the router writes it: `accounts/:provider/:tenant`. */
  readonly path: string;
  readonly query?: new () => object;
  /** The words that the member `state` of the query takes. */
  readonly states?: readonly string[];
  readonly body?: new () => object;
  /** What 200 has. */
  readonly answer: Shape<unknown>;
  readonly refuses: readonly ProblemName[];
}

/** One path of the router with what its handler returns; `:kind` stands for an operation of every kind of row. */
export interface Route<T> {
  readonly method: 'get' | 'post';
  readonly path: string;
  /** The least that a caller's token must allow. */
  readonly role: Role;
  readonly operations: readonly Operation[];
  /** Never set: it carries the type. */
  readonly answer?: T;
}

type Extra = Partial<Pick<Operation, 'query' | 'body' | 'refuses'>> & { readonly role?: Role };
const route =
  (method: 'get' | 'post', usual: Role) =>
  <T>(id: string, path: string, summary: string, answer: Shape<T>, { role = usual, ...extra }: Extra = {}): Route<T> => ({
    ...{ method, path, role },
    operations: [{ id, path, summary, answer, refuses: [], ...extra }],
  });
export const reads = route('get', 'reader');
export const acts = route('post', 'operator');

export const ROUTE = Symbol('route');

/** Binds a handler to a route of the table: the one way to a path, so that none is served which the document does not have. */
export function Serves<T>(of: Route<T>) {
  const bind = applyDecorators(
    RequestMapping({ path: of.path, method: of.method === 'get' ? RequestMethod.GET : RequestMethod.POST }),
    HttpCode(200),
    SetMetadata(ROUTE, of),
    UseGuards(onlyFor(...CALLERS[of.role])),
  );
  return <F extends (...given: never[]) => Promise<T>>(target: object, name: string, handler: TypedPropertyDescriptor<F>): void =>
    bind(target, name, handler);
}
