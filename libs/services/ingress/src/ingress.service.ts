import { Module, type DynamicModule } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { Controller, Inject } from '@nestjs/common';
import { readyReceipts } from '@connector/connector/reads/inbound/ready-receipts';
import { openDb } from '@connector/platform/db/open-db';
import type { ServiceDefinition } from '@connector/platform/host/service';
import { Signal } from '@connector/platform/host/signal';
import { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { Admitter } from './admitter';
import { IngressConfig } from './config';
import { ADMITTER, IngressController, REFUSALS, WAKE } from './ingress.controller';
import { MaterializeSweep } from './sweep';

const SWEEP = Symbol('sweep-signal');

/** A wake sets a flag and nothing else; the sweep looks for itself. */
@Controller()
export class SweepWakes {
  constructor(@Inject(SWEEP) private readonly signal: Signal) {}

  @EventPattern('materialize')
  materialize(): void {
    this.signal.notify();
  }
}

@Module({})
export class IngressModule {}

/** Admits transport input as Receipts and makes their children (con:MAP-01). */
export const ingress: ServiceDefinition<IngressConfig> = {
  name: 'ingress',
  defaultPort: 4410,
  roles: ['ingress'],
  Config: IngressConfig,
  callers: [],
  streamBody: true,
  async build(host) {
    const db = await openDb(host, 'ingress');
    host.telemetry.collectReady(() => readyReceipts(db));
    const admitter = new Admitter(db, host.secrets);
    const sweep = new MaterializeSweep(db, new EpochViews(db), host.wake);
    const wake = new Signal();
    host.onDrain('admissions', () => admitter.drained());
    const module: DynamicModule = {
      module: IngressModule,
      controllers: [IngressController, SweepWakes],
      providers: [
        { provide: ADMITTER, useValue: admitter },
        { provide: WAKE, useValue: host.wake },
        { provide: REFUSALS, useValue: host.telemetry },
        { provide: SWEEP, useValue: wake },
      ],
    };
    const { pollMs } = host.config;
    return { module, loops: [{ name: 'materialize', pollMs, wake, once: (signal) => sweep.once(signal) }] };
  },
};
