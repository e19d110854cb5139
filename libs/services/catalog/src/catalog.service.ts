import { Module, type DynamicModule } from '@nestjs/common';
import { openDb } from '@connector/platform/db/open-db';
import type { ServiceDefinition } from '@connector/platform/host/service';
import { AppsController } from './apps.controller';
import { artifactsInDatabase } from './artifacts-in-database';
import { BarriersController } from './barriers.controller';
import { CatalogConfig } from './config';
import { CONVERSION, ConversionsController } from './conversion/conversions.controller';
import { CATALOG_DB, PACKS_DB } from './databases';
import { BindingsController } from './installations/bindings.controller';
import { preparationParts, publicationLoop } from './installations/installation-parts';
import { InstallationsController, PREPARATION } from './installations/installations.controller';
import { LifecycleController } from './installations/lifecycle.controller';
import { TELEMETRY } from './owner-silent';
import { PacksController } from './packs.controller';
import { PublishersController } from './publishers.controller';
import { ARTIFACTS, ReleasesController } from './releases.controller';
import { ViewsController } from './views.controller';

/** A release is the largest body: a manifest of 256 KiB and a bundle of 5 MiB, as base64 (decisions 12.10). */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

@Module({})
export class CatalogModule {}

/** Three owners in one process, each under its own database user: the App authority, the pack registry and the artifact registry (con:MAP-07, con:MAP-08). */
export const catalog: ServiceDefinition<CatalogConfig> = {
  name: 'catalog',
  defaultPort: 4417,
  roles: ['catalog', 'packs', 'artifacts'],
  Config: CatalogConfig,
  callers: ['local', 'operator', 'cutover-coordinator', 'publisher', 'pack-owner', 'reader'],
  bodyBytesMax: BODY_BYTES_MAX,
  async build(host) {
    const catalogDb = await openDb(host, 'catalog');
    const packs = await openDb(host, 'packs');
    const artifacts = artifactsInDatabase(await openDb(host, 'artifacts'));
    const preparation = await preparationParts(host, catalogDb, artifacts);
    const module: DynamicModule = {
      module: CatalogModule,
      controllers: [
        AppsController,
        BarriersController,
        BindingsController,
        ConversionsController,
        InstallationsController,
        LifecycleController,
        PacksController,
        PublishersController,
        ReleasesController,
        ViewsController,
      ],
      providers: [
        { provide: CATALOG_DB, useValue: catalogDb },
        { provide: PACKS_DB, useValue: packs },
        { provide: ARTIFACTS, useValue: artifacts },
        { provide: PREPARATION, useValue: preparation },
        { provide: TELEMETRY, useValue: host.telemetry },
        // No deployment of this release has a legacy world; where one is, its adapter stands here.
        { provide: CONVERSION, useValue: { preparation, legacy: undefined } },
      ],
    };
    return { module, loops: [publicationLoop(preparation, host.config.pollMs)] };
  },
};
