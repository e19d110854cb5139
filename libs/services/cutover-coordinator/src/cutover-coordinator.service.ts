import { Module, type DynamicModule } from '@nestjs/common';
import type { Owners } from '@connector/connector/contract/owners';
import { haltingGates } from '@connector/connector/reads/serving/halting-gates';
import { openDb, openJournal } from '@connector/platform/db/open-db';
import type { Host, ServiceDefinition } from '@connector/platform/host/service';
import { Signal } from '@connector/platform/host/signal';
import { serviceClient } from '@connector/platform/http/service-client';
import { Abandonment } from './abandonment';
import { ABANDONMENT, AccountsController, COORDINATOR_DB, COORDINATOR_WAKE } from './accounts.controller';
import { ConcludeHalts } from './conclude-halts';
import { BarriersController, OWNERS } from './barriers.controller';
import { CutoverCoordinatorConfig } from './config';
import { Epochs } from './epochs';
import { BEGIN, type BeginGenesis, EPOCHS, EpochsController } from './epochs.controller';
import { openFresh } from './fresh-db';
import { beginGenesis } from './genesis';
import { ownersOverHttp } from './owners-over-http';
import { HALTS, RECEIPTS, WakesController } from './wakes.controller';

/** Of one question to another owner; an epoch asks a few dozen. */
const OWNER_MS_MAX = 5_000;

@Module({})
export class CutoverCoordinatorModule {}

async function openOwners(host: Host<CutoverCoordinatorConfig>): Promise<Owners> {
  const { catalogUrl, controlUrl } = host.config;
  const timeoutMs = OWNER_MS_MAX;
  const catalog = serviceClient({ baseUrl: catalogUrl, token: await host.tokenFor('catalog'), timeoutMs });
  const control = serviceClient({ baseUrl: controlUrl, token: await host.tokenFor('control'), timeoutMs });
  host.onClose('catalog', () => catalog.close());
  host.onClose('control', () => control.close());
  return ownersOverHttp(catalog, control);
}

/** Prepares and verifies epochs, begins the service, halts and resumes accounts, abandons permits (con:MAP-05, con:MAP-06). */
export const cutoverCoordinator: ServiceDefinition<CutoverCoordinatorConfig> = {
  name: 'cutover-coordinator',
  defaultPort: 4415,
  roles: ['coordinator', 'verifier'],
  Config: CutoverCoordinatorConfig,
  callers: ['operator', 'local'],
  async build(host) {
    const owners = await openOwners(host);
    const main = await openDb(host, 'coordinator');
    host.telemetry.collectReady(() => haltingGates(main));
    const journal = await openJournal(host, 'coordinator');
    const epochs = new Epochs(await openDb(host, 'verifier'), owners);
    const [halts, receipts] = [new Signal(), new Signal()];
    const abandonment = new Abandonment(main, host.wake, halts);
    const concluding = new ConcludeHalts(main);
    const parts = { main, journal, owners, fresh: () => openFresh(host.config, 'coordinator') };
    const begin: BeginGenesis = (request) => beginGenesis(parts, request);
    const module: DynamicModule = {
      module: CutoverCoordinatorModule,
      controllers: [EpochsController, BarriersController, AccountsController, WakesController],
      providers: [
        { provide: EPOCHS, useValue: epochs },
        { provide: BEGIN, useValue: begin },
        { provide: OWNERS, useValue: owners },
        { provide: COORDINATOR_DB, useValue: main },
        { provide: COORDINATOR_WAKE, useValue: host.wake },
        { provide: ABANDONMENT, useValue: abandonment },
        { provide: HALTS, useValue: halts },
        { provide: RECEIPTS, useValue: receipts },
      ],
    };
    const { pollMs } = host.config;
    const loops = [
      { name: 'conclude-halts', pollMs, wake: halts, once: (signal: AbortSignal) => concluding.once(signal) },
      { name: 'abandon', pollMs, wake: receipts, once: (signal: AbortSignal) => abandonment.once(signal) },
    ];
    return { module, loops };
  },
};
