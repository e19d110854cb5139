import { Module, type DynamicModule } from '@nestjs/common';
import { GenerationId } from '@connector/kernel/ids';
import { openDb } from '@connector/platform/db/open-db';
import { DatabaseServiceConfig } from '@connector/platform/host/config';
import type { ServiceDefinition } from '@connector/platform/host/service';
import type { Handler } from '@connector/runtime/model/application';
import { EpochViews } from '@connector/services/epoch-view/src/epoch-views';
import { CommandRun } from './command-run';
import { CommandsController, INTAKE } from './commands.controller';
import { HANDLERS } from './handlers/registry';
import { Intake } from './intake';
import { ResultsController } from './results.controller';
import { RunQueue } from './run-queue';
import { SECURITY_DB, SecurityController } from './security.controller';
import { runAndTell } from './tell-run';

/** An input of one MiB as base64, or App grants of the same size, with the names around it. */
const BODY_BYTES_MAX = 1_572_864;

@Module({})
export class RuntimeModule {}

/**
 * Takes commands into the durable inbox, runs handlers, commits what they answered in one door (con:MAP-12). Runtime security is hosted here as an
 * owner of its own, under its own database user (decisions 12.4).
 */
export function runtimeWith(handlers: readonly Handler[]): ServiceDefinition<DatabaseServiceConfig> {
  return {
    name: 'runtime',
    defaultPort: 4412,
    roles: ['runtime', 'security'],
    Config: DatabaseServiceConfig,
    callers: ['execution-claimant', 'catalog', 'operator'],
    bodyBytesMax: BODY_BYTES_MAX,
    async build(host) {
      const db = await openDb(host, 'runtime');
      const security = await openDb(host, 'security');
      // Its own and never a configured one: a process that is started again under an old name is another, and counts as one.
      const by = GenerationId.mint();
      const run = new CommandRun({ db, by, views: new EpochViews(db), handlers, log: host.log });
      const queue = new RunQueue((handed) => runAndTell(run, host, handed));
      host.onDrain('runs', () => queue.idle());
      const module: DynamicModule = {
        module: RuntimeModule,
        controllers: [CommandsController, ResultsController, SecurityController],
        providers: [
          { provide: INTAKE, useValue: new Intake(db, queue, by) },
          { provide: SECURITY_DB, useValue: security },
        ],
      };
      return { module };
    },
  };
}

export const runtime = runtimeWith(HANDLERS);
