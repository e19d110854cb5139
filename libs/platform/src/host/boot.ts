import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { FileSecrets } from '../secrets/file-secrets';
import { Log } from '../telemetry/log';
import { Telemetry } from '../telemetry/metrics';
import { NestLog } from './nest-log';
import { WakeStrategy } from '../wake/wake-strategy';
import { callerGuard, readCallerTokens, readToken } from './auth';
import { loadConfig, type ServiceConfig } from './config';
import { Health } from './health';
import { addDrainGate, addHostRoutes } from './host-routes';
import { InFlight } from './in-flight';
import { Loop } from './loop';
import { openWake } from './open-wake';
import { bodyValidation, ProblemFilter } from './problem';
import { type HostProcess, realProcess } from './process';
import type { Host, RunningService, ServiceDefinition, ServiceParts } from './service';
import { Shutdown, type Step } from './shutdown';
import { PRODUCT_VERSION } from './version';

const BODY_BYTES_MAX = 64 * 1024;
const REQUEST_MS_MAX = 30_000;
/** The longest name in a path: an account of 127 bytes, percent-encoded. */
const PARAM_CHARS_MAX = 400;

/** A host with the steps that the service registered on it. */
interface Assembly<C extends ServiceConfig> extends Host<C> {
  readonly drains: Step[];
  readonly closes: Step[];
  /** The server, once there is one: it closes before everything that its handlers use, whenever that was registered. */
  readonly servers: Step[];
}

const closesOf = ({ servers, closes }: Pick<Assembly<ServiceConfig>, 'servers' | 'closes'>): readonly Step[] => [
  ...servers,
  ...closes.toReversed(),
];

/**
 * Starts one service: configuration, log, what the service opens, Nest on Fastify, `init`, wakes, `listen`, loops, ready. The order is
 * stack 4.2's: no handler and no loop runs before `onModuleInit`, and a port that is taken leaves no loop behind. When a step fails, what was
 * opened is closed and the fault is thrown.
 */
export async function bootService<C extends ServiceConfig>(
  definition: ServiceDefinition<C>,
  proc: HostProcess = realProcess(),
): Promise<RunningService> {
  const host = await assemble(definition, proc);
  try {
    const parts = await definition.build(host);
    const app = await createApp(definition, parts, host);
    host.servers.push({ name: 'server', run: () => app.close() });
    return await run(definition, parts, host, app, proc);
  } catch (thrown) {
    for (const { run: close } of closesOf(host)) await close().catch((more: unknown) => host.telemetry.fault(more));
    host.log.flush();
    throw thrown;
  }
}

async function assemble<C extends ServiceConfig>(definition: ServiceDefinition<C>, proc: HostProcess): Promise<Assembly<C>> {
  const { name } = definition;
  const config = loadConfig(definition.Config, proc.env);
  const log = new Log({ service: name, generation: config.generation, level: config.logLevel, destination: proc.out });
  const telemetry = new Telemetry({ service: name, version: PRODUCT_VERSION });
  const secrets = new FileSecrets(config.secretsDir);
  const health = new Health();
  const wake = await openWake({ service: name, config, channel: proc.channel, log, telemetry, health });
  const drains: Step[] = [];
  const closes: Step[] = [{ name: 'wake', run: () => wake.close() }];
  return {
    ...{ config, log, telemetry, secrets, wake, drains, closes, servers: [], health },
    tokenFor: (callee) => readToken(secrets, name, callee, config.tokensVersion),
    onDrain: (step, act) => void drains.push({ name: step, run: act }),
    onClose: (step, act) => void closes.push({ name: step, run: act }),
  };
}

async function createApp<C extends ServiceConfig>(
  definition: ServiceDefinition<C>,
  parts: ServiceParts,
  host: Assembly<C>,
): Promise<NestFastifyApplication> {
  const { bodyBytesMax: bodyLimit = BODY_BYTES_MAX, rawBody = false, streamBody = false } = definition;
  const { tokens, absent } = await readCallerTokens(host.secrets, definition.name, definition.callers, host.config.tokensVersion);
  for (const caller of absent) host.log.warn('caller-without-token', { caller });
  // forceCloseConnections: a keep-alive client would hold the close back; requests in hand were awaited before.
  const adapter = new FastifyAdapter({
    bodyLimit,
    forceCloseConnections: true,
    requestTimeout: REQUEST_MS_MAX,
    routerOptions: { maxParamLength: PARAM_CHARS_MAX },
  });
  const logger = new NestLog(host.log);
  const app = await NestFactory.create<NestFastifyApplication>(parts.module, adapter, {
    logger,
    abortOnError: false,
    bodyParser: !rawBody && !streamBody,
  });
  if (rawBody) takeRawBodies(app);
  if (streamBody) leaveBodies(app);
  app.useGlobalGuards(callerGuard(tokens));
  app.useGlobalPipes(bodyValidation());
  app.useGlobalFilters(new ProblemFilter(host.log, host.telemetry));
  app.connectMicroservice({ strategy: new WakeStrategy(host.wake, host.telemetry) });
  return app;
}

/** The handler reads the body itself from the socket. */
function leaveBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, _body, done) => done(null));
}

/** The limit is kept while the body arrives: 413 comes before it is buffered whole. */
function takeRawBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

async function run<C extends ServiceConfig>(
  definition: ServiceDefinition<C>,
  parts: ServiceParts,
  host: Assembly<C>,
  app: NestFastifyApplication,
  proc: HostProcess,
): Promise<RunningService> {
  const { health, telemetry, log, config } = host;
  const inFlight = new InFlight();
  addDrainGate(app, health, inFlight);
  addHostRoutes(app, health, telemetry);
  await app.init();
  await app.startAllMicroservices();
  const loops = (parts.loops ?? []).map((spec) => new Loop(spec, { log, telemetry, onDefect: () => void shutdown.begin('defect') }));
  const requests: Step = { name: 'requests', run: () => inFlight.none() };
  const shutdown = new Shutdown({
    ...{ health, log, proc, drainMs: config.drainMs },
    quiesce: () => [requests, ...loops.map((loop) => ({ name: `loop ${loop.name}`, run: () => loop.stop() }))],
    drains: () => host.drains,
    closes: () => closesOf(host),
  });
  await app.listen(config.port ?? definition.defaultPort, config.host);
  const url = await app.getUrl();
  startLoops(loops, health);
  health.markStarted();
  shutdown.attach();
  const port = Number(new URL(url).port);
  log.info('ready', { host: config.host, port });
  return { name: definition.name, url, port, telemetry, health, stop: () => shutdown.begin('asked') };
}

function startLoops(loops: readonly Loop[], health: Health): void {
  for (const loop of loops) {
    health.addLoop(loop);
    loop.start();
  }
}
