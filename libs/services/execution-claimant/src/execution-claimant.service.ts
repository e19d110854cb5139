import { Module, type DynamicModule } from '@nestjs/common';
import { standingClaims } from '@connector/connector/reads/execution/awaiting';
import { readyExecutions } from '@connector/connector/reads/execution/ready-executions';
import { openDb } from '@connector/platform/db/open-db';
import type { Host, ServiceDefinition } from '@connector/platform/host/service';
import { Signal } from '@connector/platform/host/signal';
import { serviceClient } from '@connector/platform/http/service-client';
import { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { ClaimDelays } from './claim-delays';
import { ClaimLoop } from './claim-loop';
import { CollectLoop } from './collect-loop';
import { ClaimantConfig } from './config';
import { InHand } from './in-hand';
import { RuntimeClient } from './runtime-client';
import { WAKES, WakesController, type WakesSeen } from './wakes.controller';

/** Executions that this process has claimed and that have no result yet, at most. */
const IN_HAND_MAX = 256;
const CALL_MS_MAX = 5_000;

@Module({})
export class ExecutionClaimantModule {}

/** Claims executions, hands them to Runtime and records their results; it has no handler and no provider of its own (con:MAP-02). */
export const executionClaimant: ServiceDefinition<ClaimantConfig> = {
  name: 'execution-claimant',
  defaultPort: 4411,
  roles: ['claimant'],
  Config: ClaimantConfig,
  callers: ['operator'],
  async build(host) {
    const { log, wake, config } = host;
    const db = await openDb(host, 'claimant');
    host.telemetry.collectReady(() => readyExecutions(db));
    const runtime = await runtimeOf(host);
    const inHand = new InHand(IN_HAND_MAX, (executions) => standingClaims(db, executions));
    const [claimWake, collectWake] = [new Signal(), new Signal()];
    wake.subscribe(['execution'], () => claimWake.notify());
    wake.subscribe(['result'], () => collectWake.notify());
    const claimant = `execution-claimant ${config.generation}`;
    const delays = new ClaimDelays(host.telemetry);
    const claims = new ClaimLoop({ db, views: new EpochViews(db), runtime, inHand, claimant, delays, log });
    const recorded = (executions: Parameters<InHand['done']>[0]): void => {
      inHand.done(executions);
      claimWake.poke();
    };
    const results = new CollectLoop({ db, runtime, recorded, log });
    const seen = (): WakesSeen => ({ adapter: config.wake, state: wake.state, ...delays.summary() });
    const { pollMs } = config;
    const module: DynamicModule = {
      module: ExecutionClaimantModule,
      controllers: [WakesController],
      providers: [{ provide: WAKES, useValue: seen }],
    };
    return {
      module,
      loops: [
        { name: 'claim', pollMs, wake: claimWake, once: (signal, led) => claims.once(signal, led) },
        { name: 'collect', pollMs, wake: collectWake, once: (signal) => results.once(signal) },
      ],
    };
  },
};

async function runtimeOf(host: Host<ClaimantConfig>): Promise<RuntimeClient> {
  const token = await host.tokenFor('runtime');
  const client = serviceClient({ baseUrl: host.config.runtimeUrl, token, timeoutMs: CALL_MS_MAX });
  host.onClose('runtime-client', () => client.close());
  return new RuntimeClient(client);
}
