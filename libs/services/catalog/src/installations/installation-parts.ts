import type { ArtifactRegistry } from '@connector/catalog/contract/artifact-registry';
import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import { readOpenPublications, readRemovals } from '@connector/catalog/reads/publication';
import type { FinishRemoval } from '@connector/catalog/transitions/installation/finish-removal.tx';
import { type Fault, RetryableFault, UndeterminedFault } from '@connector/kernel/faults';
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
 * Goes on with every publication that somebody left: whoever asked for it died, or an owner did not answer; and with removals that wait for gates.
 * The first look is at the start of the process. One that waits for an owner is looked at again after `pollMs`.
 */
export function publicationLoop(parts: PreparationParts, pollMs: number): LoopSpec {
  const once = async (signal: AbortSignal): Promise<'worked' | 'idle'> => {
    const look = new Look(signal);
    await look.atEach(
      (after?: OpenAttempt) => readOpenPublications(parts.db, after),
      async (attempt) => (await continuePublication(parts, attempt)).kind !== 'waiting',
    );
    await look.atEach(
      (after?: FinishRemoval) => readRemovals(parts.db, after),
      async (removal) => (await passGates(parts, removal)).kind === 'removed',
    );
    return look.end();
  };
  return { name: 'publications', pollMs, once };
}

/** One look at all that was left. Whoever has to be tried again holds up nobody: it is told when all the others have had their turn. */
class Look {
  #worked = false;
  #fault: Fault | undefined;

  constructor(private readonly signal: AbortSignal) {}

  async atEach<Left>(read: (after: Left | undefined) => Promise<readonly Left[]>, act: (one: Left) => Promise<boolean>): Promise<void> {
    for (let page = await read(undefined); page.length > 0; page = await read(page.at(-1))) {
      for (const one of page) {
        if (this.signal.aborted) return;
        await this.#try(() => act(one));
      }
    }
  }

  end(): 'worked' | 'idle' {
    if (this.#fault !== undefined) throw this.#fault;
    return this.#worked ? 'worked' : 'idle';
  }

  async #try(act: () => Promise<boolean>): Promise<void> {
    try {
      if (await act()) this.#worked = true;
    } catch (thrown) {
      if (!(thrown instanceof RetryableFault || thrown instanceof UndeterminedFault)) throw thrown;
      this.#fault ??= thrown;
    }
  }
}
