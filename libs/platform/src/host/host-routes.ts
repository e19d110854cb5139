import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Telemetry } from '../telemetry/metrics';
import type { Health } from './health';
import type { InFlight } from './in-flight';
import { sendProblem } from './problem';

const PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz', '/startupz', '/metrics']);
const pathOf = (url: string): string => url.split('?')[0] ?? url;

/** The four paths of every service. They stand beside Nest: no guard, no pipe and no filter can fail them. */
export function addHostRoutes(app: NestFastifyApplication, health: Health, telemetry: Telemetry): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get('/livez', (_, reply) => reply.send({ status: 'alive' }));
  fastify.get('/startupz', (_, reply) => reply.status(health.started ? 200 : 503).send({ started: health.started }));
  fastify.get('/readyz', async (request, reply) => {
    const { checks, ...summary } = await health.readiness();
    const verbose = /[?&]verbose\b/.test(request.url);
    return reply.status(summary.ready ? 200 : 503).send(verbose ? { ...summary, checks } : summary);
  });
  fastify.get('/metrics', async (_, reply) => reply.header('content-type', telemetry.contentType).send(await telemetry.expose()));
}

/** Counts requests in hand, and turns new ones away once the service drains: closing the server would cut them in the middle. */
export function addDrainGate(app: NestFastifyApplication, health: Health, inFlight: InFlight): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (PATHS.has(pathOf(request.url))) return done();
    if (health.draining) {
      const headers = { 'retry-after': '1', connection: 'close' };
      const detail = 'The service is stopping; nothing was written.';
      return sendProblem(reply, { status: 503, code: 'HOUSE:http:Draining', detail, headers }, request.url);
    }
    inFlight.enter();
    // `close` comes in every case, also when the client went away; `finish` does not.
    reply.raw.once('close', () => inFlight.leave());
    return done();
  });
}
