import { Module, type DynamicModule } from '@nestjs/common';
import { type Caller, readToken } from '@connector/platform/host/auth';
import { openDb } from '@connector/platform/db/open-db';
import type { ServiceDefinition } from '@connector/platform/host/service';
import { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { Admissions } from './admissions';
import { Accounts } from './accounts';
import { Apps } from './apps';
import { ACCOUNTS, ActsController, PERMITS } from './acts.controller';
import { Audit } from './audit';
import { Barriers } from './barriers';
import { BARRIERS, BarriersController } from './barriers.controller';
import { Bindings } from './bindings';
import { BINDINGS, BindingsController } from './bindings.controller';
import { Claimant } from './claimant';
import { OperatorConfig } from './config';
import { Credentials } from './credentials';
import { CREDENTIALS, CredentialsController } from './credentials.controller';
import { FrozenPolicies } from './frozen-policies';
import { Installs } from './installs';
import { INSTALLS, InstallsController, MOVES, VIEWS } from './installs.controller';
import { Lookups } from './lookups';
import { Moves } from './moves';
import { CATALOG, CONTROL, COORDINATOR, OwnerClient } from './owner-client';
import { Packs } from './packs';
import { PACKS, PacksController } from './packs.controller';
import { Permits } from './permits';
import { Publishers } from './publishers';
import { CLAIMANT, LOOKUPS, ReadsController } from './reads.controller';
import { REGISTRY_BODY_BYTES_MAX } from './registry-bodies';
import { APPS, AUDIT, PUBLISHERS, RegistryController, RELEASES } from './registry.controller';
import { Releases } from './releases';
import { Told } from './told';
import { Views } from './views';

/** The acts first: `accounts`, `apps`, `barriers`, `packs` and `credentials/:id` must not be taken for a kind of row. All of them are held against the table of routes. */
export const CONTROLLERS = [
  ActsController,
  CredentialsController,
  BarriersController,
  RegistryController,
  InstallsController,
  BindingsController,
  PacksController,
  ReadsController,
];

@Module({})
export class OperatorModule {}

/** What people see, and the plans that they confirm. Its database user has no door: it reads. */
export const operator: ServiceDefinition<OperatorConfig> = {
  name: 'operator',
  defaultPort: 4418,
  roles: ['operator'],
  Config: OperatorConfig,
  callers: ['cli', 'local', 'publisher', 'pack-owner', 'reader'],
  bodyBytesMax: REGISTRY_BODY_BYTES_MAX,
  async build(host) {
    const db = await openDb(host, 'operator');
    const policies = new FrozenPolicies(new EpochViews(db), host.telemetry);
    const lookups = new Lookups(db, policies);
    const coordinator = new OwnerClient(COORDINATOR, host.config.coordinatorUrl, () => host.tokenFor('cutover-coordinator'));
    const control = new OwnerClient(CONTROL, host.config.controlUrl, () => host.tokenFor('control'));
    // What a route asks of its caller is all that it may ask of the catalog, which checks the role again (catalog.md B.3).
    const catalogAs = (role: Caller): OwnerClient =>
      new OwnerClient(CATALOG, host.config.catalogUrl, () => readToken(host.secrets, role, 'catalog', host.config.tokensVersion));
    const [catalog, asPublisher, asPackOwner] = [catalogAs('operator'), catalogAs('publisher'), catalogAs('pack-owner')];
    const claimant = new Told('the claimant', host.config.claimantUrl, () => host.tokenFor('execution-claimant'));
    const runtime = new Told('Runtime security', host.config.runtimeUrl, () => host.tokenFor('runtime'));
    host.onClose('claimant', () => claimant.close());
    host.onClose('runtime', () => runtime.close());
    host.onClose('coordinator', () => coordinator.close());
    host.onClose('control', () => control.close());
    for (const client of [catalog, asPublisher, asPackOwner]) host.onClose('catalog', () => client.close());
    const module: DynamicModule = {
      module: OperatorModule,
      controllers: CONTROLLERS,
      providers: [
        { provide: LOOKUPS, useValue: lookups },
        { provide: CLAIMANT, useValue: new Claimant(claimant) },
        { provide: ACCOUNTS, useValue: new Accounts(lookups, policies, coordinator) },
        { provide: CREDENTIALS, useValue: new Credentials(lookups, control) },
        { provide: BARRIERS, useValue: new Barriers(db, coordinator) },
        { provide: PUBLISHERS, useValue: new Publishers(db, catalog) },
        { provide: APPS, useValue: new Apps(db, catalog, asPublisher) },
        { provide: RELEASES, useValue: new Releases(db, asPublisher) },
        { provide: AUDIT, useValue: new Audit(db) },
        { provide: INSTALLS, useValue: new Installs(db, catalog, new Admissions(runtime)) },
        { provide: MOVES, useValue: new Moves(db, catalog) },
        { provide: BINDINGS, useValue: new Bindings(db, catalog) },
        { provide: VIEWS, useValue: new Views(db, catalog) },
        { provide: PACKS, useValue: new Packs(db, asPackOwner) },
        { provide: PERMITS, useValue: new Permits(lookups, coordinator) },
      ],
    };
    return { module };
  },
};
