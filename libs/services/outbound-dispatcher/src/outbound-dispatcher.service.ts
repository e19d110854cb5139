import { Controller, Inject, Module, type DynamicModule } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { readyEffects } from '@connector/connector/reads/outbound/ready-effects';
import { openDb } from '@connector/platform/db/open-db';
import type { ServiceDefinition } from '@connector/platform/host/service';
import { Signal } from '@connector/platform/host/signal';
import { OutboundDispatcherConfig } from './config';
import { EffectCreator } from './effect-creator';
import { Finalizer } from './finalizer';
import { Granter } from './granter';
import { GRANTER, GrantsController } from './grants.controller';

const CREATE = Symbol('create-signal');
const FINALIZE = Symbol('finalize-signal');

/** A wake sets a flag and nothing else; the loop looks for itself. */
@Controller()
export class DispatcherWakes {
  constructor(
    @Inject(CREATE) private readonly create: Signal,
    @Inject(FINALIZE) private readonly finish: Signal,
  ) {}

  @EventPattern('effect')
  effect(): void {
    this.create.notify();
  }

  @EventPattern('finalize')
  finalize(): void {
    this.finish.notify();
  }
}

@Module({})
export class OutboundDispatcherModule {}

/** Creates effects, grants permits to adapters that ask, and finishes what was confirmed; it has no way to a provider (con:MAP-03). */
export const outboundDispatcher: ServiceDefinition<OutboundDispatcherConfig> = {
  name: 'outbound-dispatcher',
  defaultPort: 4413,
  roles: ['dispatcher'],
  Config: OutboundDispatcherConfig,
  callers: ['egress-adapter'],
  async build(host) {
    const db = await openDb(host, 'dispatcher');
    host.telemetry.collectReady(() => readyEffects(db));
    const creator = new EffectCreator(db, host.wake);
    const finalizer = new Finalizer(db, host.log);
    const [create, finish] = [new Signal(), new Signal()];
    const module: DynamicModule = {
      module: OutboundDispatcherModule,
      controllers: [GrantsController, DispatcherWakes],
      providers: [
        { provide: GRANTER, useValue: new Granter(db) },
        { provide: CREATE, useValue: create },
        { provide: FINALIZE, useValue: finish },
      ],
    };
    const { pollMs } = host.config;
    return {
      module,
      loops: [
        { name: 'create-effects', pollMs, wake: create, once: (signal) => creator.once(signal) },
        { name: 'finalize', pollMs, wake: finish, once: (signal) => finalizer.once(signal) },
      ],
    };
  },
};
