import { Controller, Inject, Module, type DynamicModule } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { GenerationId } from '@connector/kernel/ids';
import { openDb } from '@connector/platform/db/open-db';
import type { Host, ServiceDefinition } from '@connector/platform/host/service';
import { Signal } from '@connector/platform/host/signal';
import { serviceClient } from '@connector/platform/http/service-client';
import { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { Calls } from './calls';
import { EgressAdapterConfig } from './config';
import { DispatcherClient } from './dispatcher-client';
import { HolderName } from './holder-name';
import { CallPreparer } from './prepare-call';
import { ProxyDoor } from './proxy-door';
import { Settler } from './settler';

const LOOK = Symbol('look-signal');
const ASK_MS_MAX = 10_000;
/** A permit that cannot be sent is looked at once in so many polls. */
const POLLS_OF_REST = 5;
/** What `generation` is when nobody supervises the process. */
const ALONE = 'unsupervised';

/** A wake sets a flag and nothing else; the loop asks and looks for itself. */
@Controller()
export class EgressWakes {
  constructor(@Inject(LOOK) private readonly look: Signal) {}

  @EventPattern('effect')
  effect(): void {
    this.look.notify();
  }
}

@Module({})
export class EgressAdapterModule {}

/** The only process that reaches a provider, through the egress proxy alone; it settles what it did itself (con:MAP-04). */
export const egressAdapter: ServiceDefinition<EgressAdapterConfig> = {
  name: 'egress-adapter',
  defaultPort: 4414,
  roles: ['egress'],
  Config: EgressAdapterConfig,
  callers: [],
  async build(host) {
    const look = new Signal();
    const calls = await assemble(host, look);
    host.onDrain('calls', () => calls.drained());
    const module: DynamicModule = {
      module: EgressAdapterModule,
      controllers: [EgressWakes],
      providers: [{ provide: LOOK, useValue: look }],
    };
    return { module, loops: [{ name: 'calls', pollMs: host.config.pollMs, wake: look, once: (signal) => calls.once(signal) }] };
  },
};

async function assemble(host: Host<EgressAdapterConfig>, free: Signal): Promise<Calls> {
  const { config, secrets, health, log, wake } = host;
  const generationId = config.generation === ALONE ? GenerationId.mint() : GenerationId.parse(config.generation);
  const token = await host.tokenFor('outbound-dispatcher');
  const db = await openDb(host, 'egress');
  const client = serviceClient({ baseUrl: config.dispatcherUrl, token, timeoutMs: ASK_MS_MAX });
  host.onClose('dispatcher-client', () => client.close());
  const name = new HolderName(db, config.holderId, generationId);
  const door = new ProxyDoor(secrets, { url: config.egressProxyUrl, generationId, tokenVersion: config.egressTokenVersion });
  health.addCheck('holder', () => name.check());
  health.addCheck('egress-proxy', () => door.check());
  const preparer = new CallPreparer(db, new EpochViews(db), secrets);
  const dispatcher = new DispatcherClient(client);
  const settler = new Settler(db);
  const restMs = POLLS_OF_REST * config.pollMs;
  return new Calls({ db, log, wake, slots: config.callSlots, name, door, dispatcher, preparer, settler, restMs, free });
}
