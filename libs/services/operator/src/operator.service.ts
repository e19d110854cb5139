import { Module, type DynamicModule } from '@nestjs/common';
import { openDb } from '@connector/platform/db/open-db';
import type { ServiceDefinition } from '@connector/platform/host/service';
import { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { Accounts } from './accounts';
import { ACCOUNTS, ActsController, PERMITS } from './acts.controller';
import { Claimant } from './claimant';
import { OperatorConfig } from './config';
import { Credentials } from './credentials';
import { CREDENTIALS, CredentialsController } from './credentials.controller';
import { FrozenPolicies } from './frozen-policies';
import { Lookups } from './lookups';
import { CONTROL, COORDINATOR, OwnerClient } from './owner-client';
import { Permits } from './permits';
import { CLAIMANT, LOOKUPS, ReadsController } from './reads.controller';

/** The acts first: `accounts` and `credentials/:id` must not be taken for a kind of row. All of them are held against the table of routes. */
export const CONTROLLERS = [ActsController, CredentialsController, ReadsController];

@Module({})
export class OperatorModule {}

/** What people see, and the plans that they confirm. Its database user has no door: it reads. */
export const operator: ServiceDefinition<OperatorConfig> = {
  name: 'operator',
  defaultPort: 4418,
  roles: ['operator'],
  Config: OperatorConfig,
  callers: ['cli', 'local'],
  async build(host) {
    const db = await openDb(host, 'operator');
    const policies = new FrozenPolicies(new EpochViews(db), host.telemetry);
    const lookups = new Lookups(db, policies);
    const coordinator = new OwnerClient(COORDINATOR, host.config.coordinatorUrl, () => host.tokenFor('cutover-coordinator'));
    const control = new OwnerClient(CONTROL, host.config.controlUrl, () => host.tokenFor('control'));
    const claimant = new Claimant(host.config.claimantUrl, () => host.tokenFor('execution-claimant'));
    host.onClose('claimant', () => claimant.close());
    host.onClose('coordinator', () => coordinator.close());
    host.onClose('control', () => control.close());
    const module: DynamicModule = {
      module: OperatorModule,
      controllers: CONTROLLERS,
      providers: [
        { provide: LOOKUPS, useValue: lookups },
        { provide: CLAIMANT, useValue: claimant },
        { provide: ACCOUNTS, useValue: new Accounts(lookups, policies, coordinator) },
        { provide: CREDENTIALS, useValue: new Credentials(lookups, control) },
        { provide: PERMITS, useValue: new Permits(lookups, coordinator) },
      ],
    };
    return { module };
  },
};
