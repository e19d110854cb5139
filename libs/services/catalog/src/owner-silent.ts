import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { RetryableFault } from '@connector/kernel/faults';
import { problemOf, type Reply } from '@connector/platform/host/problem';
import type { Telemetry } from '@connector/platform/telemetry/metrics';

export const TELEMETRY = Symbol('telemetry');

export type Owner = 'security' | 'artifacts' | 'schema' | 'deployment' | 'legacy';

/** One that the catalog has to ask does not answer (catalog.md B.3: OWNER_UNAVAILABLE). */
export class OwnerSilentFault extends RetryableFault {
  constructor(readonly owner: Owner) {
    super('HOUSE:catalog:OwnerUnavailable', `${owner} does not answer`);
  }
}

/**
 * The catalog's own word that nothing was written, and who is silent: `written` and `owner`, which no proxy says. Only for doors that ask before
 * they write; whoever asks after a commit has no such word to give.
 */
@Catch(OwnerSilentFault)
export class NothingWrittenFilter implements ExceptionFilter<OwnerSilentFault> {
  constructor(@Inject(TELEMETRY) private readonly telemetry: Telemetry) {}

  catch(fault: OwnerSilentFault, host: ArgumentsHost): void {
    this.telemetry.fault(fault);
    const { code, owner } = fault;
    const http = host.switchToHttp();
    const path = http.getRequest<{ readonly url: string }>().url.split('?')[0] ?? '/';
    const detail = `${owner} does not answer; nothing was written.`;
    const problem = problemOf({ status: 503, code, detail, nextSteps: ['send the same request again, under the same key'] }, path);
    const reply = http.getResponse<Reply>().status(503).header('retry-after', '1');
    reply.header('content-type', 'application/problem+json; charset=utf-8').send(JSON.stringify({ ...problem, written: 'nothing', owner }));
  }
}
