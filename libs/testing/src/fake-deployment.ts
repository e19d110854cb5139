import type { DeploymentResolver } from '@connector/catalog/contract/deployment-resolver';
import type { Platform } from '@connector/catalog/contract/platform';
import type { SchemaReadiness } from '@connector/catalog/contract/schema-readiness';
import { configuredDeployment, configuredSchema } from '@connector/services/catalog/src/installations/configured-platform';

/** How an owner behaves from now on. `lies`: it attests what nobody runs. `held`: answers wait for `release`. */
export type OwnerMood = 'well' | 'unavailable' | 'lies' | 'held';

/** A deployment and a schema in memory that can be told to fail, be slow or lie. */
export class FakeDeployment implements DeploymentResolver, SchemaReadiness {
  mood: OwnerMood = 'well';
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly platform: Platform) {}

  release(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  async workload(id: string): ReturnType<DeploymentResolver['workload']> {
    if (await this.#silent()) return { kind: 'unavailable' };
    return this.mood === 'lies' ? { kind: 'known' } : configuredDeployment(this.platform).workload(id);
  }

  async serviceRelease(...asked: Parameters<DeploymentResolver['serviceRelease']>): ReturnType<DeploymentResolver['serviceRelease']> {
    if (await this.#silent()) return { kind: 'unavailable' };
    return this.mood === 'lies' ? { kind: 'attested', handlers: [] } : configuredDeployment(this.platform).serviceRelease(...asked);
  }

  async frontendRelease(...asked: Parameters<DeploymentResolver['frontendRelease']>): ReturnType<DeploymentResolver['frontendRelease']> {
    return (await this.#silent()) ? { kind: 'unavailable' } : configuredDeployment(this.platform).frontendRelease(...asked);
  }

  async ready(question: Parameters<SchemaReadiness['ready']>[0]): ReturnType<SchemaReadiness['ready']> {
    if (await this.#silent()) return { kind: 'unavailable' };
    return this.mood === 'lies' ? { kind: 'ready', schemaGeneration: 'lie' } : configuredSchema(this.platform).ready(question);
  }

  async #silent(): Promise<boolean> {
    if (this.mood === 'held') await new Promise<void>((go) => this.#waiting.push(go));
    return this.mood === 'unavailable';
  }
}
