import { Module, type DynamicModule } from '@nestjs/common';
import { openDb } from '@connector/platform/db/open-db';
import { DatabaseServiceConfig } from '@connector/platform/host/config';
import type { ServiceDefinition } from '@connector/platform/host/service';
import { PACKS_DB, PacksController } from './packs.controller';
import { CATALOG_DB, ViewsController } from './views.controller';

const PACK_BYTES_MAX = 4 * 1024 * 1024;

@Module({})
export class CatalogModule {}

/** Two owners in one process, each under its own database user: the pack registry, and the interim binding view (con:MAP-07, con:MAP-08). */
export const catalog: ServiceDefinition<DatabaseServiceConfig> = {
  name: 'catalog',
  defaultPort: 4417,
  roles: ['catalog', 'packs'],
  Config: DatabaseServiceConfig,
  callers: ['local', 'operator', 'cutover-coordinator'],
  bodyBytesMax: PACK_BYTES_MAX,
  async build(host) {
    const views = await openDb(host, 'catalog');
    const packs = await openDb(host, 'packs');
    // Nothing can fail here: the name is what whoever looks at readiness shall see.
    host.health.addCheck('binding-view-is-interim', () => Promise.resolve());
    const module: DynamicModule = {
      module: CatalogModule,
      controllers: [PacksController, ViewsController],
      providers: [
        { provide: CATALOG_DB, useValue: views },
        { provide: PACKS_DB, useValue: packs },
      ],
    };
    return { module };
  },
};
