import { type ArgumentMetadata, type ArgumentsHost, Catch, type ExceptionFilter, HttpException, ValidationPipe } from '@nestjs/common';
import type { ValidationError, ValidatorOptions } from 'class-validator';
import { type DocumentFault, faultsListed } from '@connector/kernel/document-fault';
import { DefectFault, Fault, InputFault, RetryableFault, UndeterminedFault } from '@connector/kernel/faults';
import type { Log } from '../telemetry/log';
import type { Telemetry } from '../telemetry/metrics';
import { nullsIn, pointerTo, unboundedIn } from './body-bounds';

/** One wrong member of a body; `pointer` is an RFC 6901 JSON pointer. Of a document that somebody wrote, what is wrong is said member by member too. */
export interface FieldFault extends Partial<DocumentFault> {
  readonly pointer: string;
  readonly detail: string;
}

/** RFC 9457, with our members. Every answer that is not 2xx has this shape. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly errors?: readonly FieldFault[];
  /** How many there are beyond those that are listed. */
  readonly errors_more?: number;
  readonly next_steps: readonly string[];
}

/** What a handler says of a problem; the rest follows from it. `code` is `HOUSE:<scope>:<Name>` and never reused. */
export interface ProblemParts {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly FieldFault[];
  /** Beyond `errors`, where the handler counted them. */
  readonly errorsMore?: number;
  readonly nextSteps?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The part of a Fastify reply that is used here. */
export interface Reply {
  status(code: number): Reply;
  header(name: string, value: string): Reply;
  send(body: string): unknown;
}

/** Thrown at the rim only, where an outcome must become a refusal; no transition knows HTTP. */
export class HttpProblem extends Error {
  constructor(readonly parts: ProblemParts) {
    super(parts.code);
    this.name = 'HttpProblem';
  }
}

/** A body that breaks the rules of its class. */
export class BodyFault extends InputFault {
  constructor(readonly errors: readonly FieldFault[]) {
    super('HOUSE:http:BodyInvalid', 'The body breaks the rules that errors[] lists; nothing was written.');
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'The request cannot be read',
  401: 'The caller is not known',
  403: 'The caller may not do this',
  404: 'There is nothing here',
  405: 'This path does not take this method',
  409: 'The present state does not allow this',
  413: 'The body is too large',
  415: 'The content type is not taken here',
  429: 'Too many requests',
  500: 'The service made a mistake',
  503: 'The service cannot take this now',
};

export function problemOf(parts: ProblemParts, instance: string): Problem {
  const { status, code, detail, errors, errorsMore = 0, nextSteps } = parts;
  const type = `/problems/${(code.split(':').at(-1) ?? code).replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()}`;
  const body = { type, title: TITLES[status] ?? 'The request was refused', status, detail, instance, code, next_steps: nextSteps ?? [] };
  if (errors === undefined) return body;
  const { faults, more } = faultsListed(errors);
  return { ...body, errors: faults, errors_more: more + errorsMore };
}

/** Answers with a problem document. `instance` is the path alone: a query may hold what must not be repeated. */
export function sendProblem(reply: Reply, parts: ProblemParts, url: string): void {
  for (const [name, value] of Object.entries(parts.headers ?? {})) reply.header(name, value);
  const body = JSON.stringify(problemOf(parts, url.split('?')[0] ?? '/'));
  reply.status(parts.status).header('content-type', 'application/problem+json; charset=utf-8').send(body);
}

const AGAIN = { 'retry-after': '1' };
const MISTAKE: ProblemParts = {
  status: 500,
  code: 'HOUSE:http:Internal',
  detail: 'Something here is wrong; it was logged and counted.',
  nextSteps: ['connector status'],
};

/** What a thrown value means at the rim. Only our own words leave: a foreign message may quote a header, a query or a row. */
export function partsOf(thrown: unknown): ProblemParts {
  if (thrown instanceof HttpProblem) return thrown.parts;
  if (thrown instanceof BodyFault) return { status: 400, code: thrown.code, detail: thrown.message, errors: thrown.errors };
  if (thrown instanceof InputFault) return { status: 400, code: thrown.code, detail: thrown.message };
  if (thrown instanceof RetryableFault) {
    return { status: 503, code: thrown.code, detail: 'Nothing was committed.', headers: AGAIN, nextSteps: ['send the same request again'] };
  }
  if (thrown instanceof UndeterminedFault) {
    const nextSteps = ['send the same request again, under the same key'];
    return { status: 503, code: thrown.code, detail: 'Whether it was committed is not known.', headers: AGAIN, nextSteps };
  }
  if (thrown instanceof HttpException && thrown.getStatus() < 500) return fromFramework(thrown.getStatus());
  return MISTAKE;
}

function fromFramework(status: number): ProblemParts {
  const title = TITLES[status] ?? 'The request was refused';
  const name = { 400: 'Malformed', 404: 'NotFound', 413: 'TooLarge', 415: 'ContentType' }[status] ?? `Status${status}`;
  return { status, code: `HOUSE:http:${name}`, detail: `${title}; nothing was written.` };
}

@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log: Log;
  readonly #telemetry: Telemetry;

  constructor(log: Log, telemetry: Telemetry) {
    this.#log = log;
    this.#telemetry = telemetry;
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const url = http.getRequest<{ readonly url: string }>().url;
    const parts = partsOf(thrown);
    if (thrown instanceof Fault || parts === MISTAKE) this.#telemetry.fault(thrown);
    if (parts === MISTAKE) this.#mistake(thrown, url);
    sendProblem(http.getResponse<Reply>(), parts, url);
  }

  #mistake(thrown: unknown, url: string): void {
    const stack = thrown instanceof Error ? thrown.stack : typeof thrown;
    const code = thrown instanceof DefectFault ? thrown.code : 'none';
    this.#log.error('request-defect', { route: url.split('?')[0], code, stack });
  }
}

/**
 * What is too much to be checked is refused before anything is made of it. So is a member or an item that is null: the rules for what may be left
 * out, and for what is inside, would let it through unchecked.
 */
class BodyValidation extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const unbounded = metadata.type === 'body' && this.toValidate(metadata) ? unboundedIn(value) : undefined;
    if (unbounded !== undefined) throw new BodyFault([{ pointer: '', detail: unbounded }]);
    return super.transform(value, metadata);
  }

  protected override validate(made: object, options?: ValidatorOptions): Promise<ValidationError[]> | ValidationError[] {
    const nulls = nullsIn(made, '').map((pointer) => ({ pointer, detail: `${pointer.slice(1)} must not be null` }));
    if (nulls.length > 0) throw new BodyFault(nulls);
    return super.validate(made, options);
  }
}

/** Checks bodies against their class; unknown members are faults too. */
export function bodyValidation(): ValidationPipe {
  return new BodyValidation({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    exceptionFactory: (errors) => new BodyFault(fieldFaults(errors, '')),
  });
}

function fieldFaults(errors: readonly ValidationError[], at: string): readonly FieldFault[] {
  return errors.flatMap(({ property, constraints, children }) => {
    const pointer = pointerTo(at, property);
    const own = Object.values(constraints ?? {}).map((detail) => ({ pointer, detail }));
    return [...own, ...fieldFaults(children ?? [], pointer)];
  });
}
