import type { ArtifactRegistry } from '@connector/catalog/contract/artifact-registry';
import { readOpenPublications, readRemovals } from '@connector/catalog/reads/publication';
import type { Db } from '@connector/platform/db/db';
import type { LoopSpec } from '@connector/platform/host/loop';
import type { Host } from '@connector/platform/host/service';
import { serviceClient } from '@connector/platform/http/service-client';
import type { CatalogConfig } from '../config';
import { securityOverHttp } from '../security-over-http';
import { configuredDeployment, configuredSchema, offersOf, readPlatform } from './configured-platform';
import { continuePublication } from './continue-publication';
import type { PreparationParts } from './gather';
import { passGates } from './remove';

const CALL_MS_MAX = 5_000;

/** Runtime security over HTTP; schema and deployment as they are configured (decisions 12.4). */
export async function preparationParts(host: Host<CatalogConfig>, db: Db, artifacts: ArtifactRegistry): Promise<PreparationParts> {
  const platform = await readPlatform(host.config.platformFile);
  const runtime = serviceClient({ baseUrl: host.config.runtimeUrl, token: await host.tokenFor('runtime'), timeoutMs: CALL_MS_MAX });
  host.onClose('runtime-client', () => runtime.close());
  const ports = { deployment: configuredDeployment(platform), schema: configuredSchema(platform), offers: offersOf(platform) };
  return { db, security: securityOverHttp(runtime), artifacts, log: host.log, ...ports };
}

/**
 * Goes on with every publication that somebody left: whoever asked for it died, or an owner did not answer; and with removals that wait for gates. The first look is at the start of the
 * process. One that waits for an owner is looked at again after `pollMs`.
 */
export function publicationLoop(parts: PreparationParts, pollMs: number): LoopSpec {
  const once = async (signal: AbortSignal): Promise<'worked' | 'idle'> => {
    let worked = false;
    for (const attempt of await readOpenPublications(parts.db)) {
      if (signal.aborted) break;
      const { kind } = await continuePublication(parts, attempt);
      worked ||= kind !== 'waiting';
    }
    for (const removal of await readRemovals(parts.db)) {
      if (signal.aborted) break;
      worked = (await passGates(parts, removal)).kind === 'removed' || worked;
    }
    return worked ? 'worked' : 'idle';
  };
  return { name: 'publications', pollMs, once };
}
