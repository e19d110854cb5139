import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { problemOf, type ProblemParts, type Reply } from '@connector/platform/host/problem';
import { codeOf, PROBLEMS, type ProblemDetails, type ProblemName } from './api/problems';

/** What the thrower knows; status, code and which details there must be are the catalogue's. */
type Said<N extends ProblemName> = Pick<ProblemParts, 'detail' | 'errors' | 'errorsMore' | 'nextSteps' | 'headers'> & ProblemDetails<N>;

export class RowProblem<N extends ProblemName = ProblemName> extends Error {
  readonly parts: ProblemParts;
  readonly details: object;

  constructor(
    readonly problem: N,
    { detail, errors, errorsMore, nextSteps, headers, ...details }: Said<N>,
  ) {
    super(codeOf(problem));
    this.name = 'RowProblem';
    const { status, written } = PROBLEMS[problem];
    const found = errors && { errors, ...(errorsMore === undefined ? {} : { errorsMore }) };
    this.parts = { status, code: codeOf(problem), detail, ...found, ...(nextSteps && { nextSteps }), ...(headers && { headers }) };
    this.details = { written, ...details };
  }
}

/** The problem document of the host with the details as further members (RFC 9457 section 3.2). */
@Catch(RowProblem)
export class RowProblemFilter implements ExceptionFilter<RowProblem> {
  catch({ parts, details }: RowProblem, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<Reply>();
    const path = http.getRequest<{ readonly url: string }>().url.split('?')[0] ?? '/';
    for (const [name, value] of Object.entries(parts.headers ?? {})) reply.header(name, value);
    const body = JSON.stringify({ ...problemOf(parts, path), ...details });
    reply.status(parts.status).header('content-type', 'application/problem+json; charset=utf-8').send(body);
  }
}
