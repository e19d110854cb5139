import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Explanation } from '@connector/connector/model/explain/explanation';
import { problemOf, type ProblemParts, type Reply } from '@connector/platform/host/problem';

/** What a refusal about a row also says: why it waits, what was expected and found, which ids were meant. */
export interface RowDetails {
  readonly explanation?: Explanation;
  readonly expected?: object;
  readonly actual?: object;
  readonly candidates?: readonly string[];
  /** Whether anything was written: never, unless it cannot be known. */
  readonly written?: 'nothing' | 'unknown';
}

export class RowProblem extends Error {
  constructor(
    readonly parts: ProblemParts,
    readonly details: RowDetails = {},
  ) {
    super(parts.code);
    this.name = 'RowProblem';
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
    const body = JSON.stringify({ ...problemOf(parts, path), written: 'nothing', ...details });
    reply.status(parts.status).header('content-type', 'application/problem+json; charset=utf-8').send(body);
  }
}
