import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { NestFactory } from '@nestjs/core';
import { CallerTokens, callerGuard } from '@connector/platform/host/auth';
import { bodyValidation, ProblemFilter } from '@connector/platform/host/problem';
import { Log } from '@connector/platform/telemetry/log';
import { Telemetry } from '@connector/platform/telemetry/metrics';
import { PRODUCT_VERSION } from '@connector/platform/host/version';
import { ProviderSimulatorModule } from './provider-simulator.module';
import { Simulator, type SimulatorOptions } from './simulator';

export interface StartSimulator extends SimulatorOptions {
  /** 0 takes a free one. Always on loopback. */
  readonly port: number;
  /** For `/_control`. */
  readonly controlToken: string;
}
export interface RunningSimulator {
  readonly url: string;
  close(): Promise<void>;
}

/** The simulator inside a test's own process. */
export async function startSimulator(config: StartSimulator): Promise<RunningSimulator> {
  const simulator = new Simulator(config);
  const adapter = new FastifyAdapter({ forceCloseConnections: true });
  const module = ProviderSimulatorModule.register(simulator);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: false, abortOnError: false });
  const tokens = new CallerTokens();
  tokens.add('local', Buffer.from(config.controlToken));
  app.useGlobalGuards(callerGuard(tokens));
  app.useGlobalPipes(bodyValidation());
  const service = 'provider-simulator';
  app.useGlobalFilters(
    new ProblemFilter(new Log({ service, generation: 'test', level: 'error' }), new Telemetry({ service, version: PRODUCT_VERSION })),
  );
  await app.listen(config.port, '127.0.0.1');
  return {
    url: await app.getUrl(),
    close: async () => {
      simulator.stopWaiting();
      await app.close();
      simulator.close();
    },
  };
}
