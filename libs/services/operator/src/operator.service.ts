import { Module, type DynamicModule } from '@nestjs/common';
import { openDb } from '@connector/platform/db/open-db';
import type { ServiceDefinition } from '@connector/platform/host/service';
import { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { Accounts } from './accounts';
import { ACCOUNTS, ActsController, PERMITS } from './acts.controller';
import { OperatorConfig } from './config';
import { Coordinator } from './coordinator';
import { FrozenPolicies } from './frozen-policies';
import { Lookups } from './lookups';
import { Permits } from './permits';
import { LOOKUPS, ReadsController } from './reads.controller';

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
    const coordinator = new Coordinator(host.config.coordinatorUrl, () => host.tokenFor('cutover-coordinator'));
    host.onClose('coordinator', () => coordinator.close());
    const module: DynamicModule = {
      module: OperatorModule,
      // The acts first: `accounts` must not be taken for a kind of row.
      controllers: [ActsController, ReadsController],
      providers: [
        { provide: LOOKUPS, useValue: lookups },
        { provide: ACCOUNTS, useValue: new Accounts(lookups, policies, coordinator) },
        { provide: PERMITS, useValue: new Permits(lookups, coordinator) },
      ],
    };
    return { module };
  },
};
