import { installBody, workbenchRelease } from '@connector/services/local/src/demo/workbench-app';
import { SCOPE } from '@connector/services/local/src/demo/world';
import type { SystemUnderTest } from '../system';
import { Attempts, type Chosen, type End, placeIn, seen } from './attempts';
import type { RegistryActs } from './registry-acts';
import { movedInputs } from './security-epochs';

/** First publications: that end as they should, and that somebody overtakes. */
export class InstallationActs {
  readonly #system: SystemUnderTest;
  readonly #registry: RegistryActs;
  readonly #attempts: Attempts;
  #second: Promise<Chosen> | undefined;

  constructor(system: SystemUnderTest, registry: RegistryActs) {
    this.#system = system;
    this.#registry = registry;
    this.#attempts = new Attempts(registry);
  }

  /** Two Apps into one organization: the first begins its history there, the second finds it and claims a namespace of its own. */
  async two(organization: string): Promise<void> {
    for (const body of [installBody(workbenchRelease()), await this.#claiming()]) await this.#attempts.active(organization, body);
  }

  /** One whose security epoch somebody moves while it is published; it fails, and with a membership it is resumed when the epoch rests. */
  async overtaken(organization: string): Promise<void> {
    const end = await this.#overtaken(organization, installBody(workbenchRelease()));
    if (end.kind !== 'failed') return;
    const place = `${placeIn(organization)}/${end.installation}`;
    const wanted = { workload: SCOPE.workload, expected_catalog_revision: '0', bindings: [] };
    await this.#registry.asked('PUT', `${place}/integration-bindings`, wanted, 'set');
    await this.#attempts.must('published', `resume/${organization}/attempt`, `${place}/resume`, FAILED);
  }

  /** One that failed so, and whose release is blocked before it is resumed: it is refused and stays as it was. */
  async overtakenAndBlocked(organization: string): Promise<void> {
    const by = await this.#registry.publisher();
    const { appId, releaseDigest } = await this.#registry.release(by, { appId: `${by.id}.desk` });
    const end = await this.#overtaken(organization, chosen(appId, releaseDigest));
    if (end.kind !== 'failed') return;
    await this.#registry.blocked(appId, releaseDigest, 'blocked');
    await this.#registry.asked('POST', `${placeIn(organization)}/${end.installation}/resume`, FAILED, 'problem');
  }

  async #overtaken(organization: string, body: Chosen): Promise<End> {
    let over = false;
    const moved = movedInputs(this.#system, organization, () => over);
    try {
      return await this.#attempts.install(organization, body);
    } finally {
      over = true;
      await moved;
    }
  }

  /** The App that owns a namespace, registered once. */
  #claiming(): Promise<Chosen> {
    this.#second ??= this.#register();
    return this.#second;
  }

  async #register(): Promise<Chosen> {
    const by = await this.#registry.publisher();
    const { appId, releaseDigest } = await this.#registry.release(by, { appId: `${by.id}.claims` });
    return chosen(appId, releaseDigest);
  }
}

const FAILED = seen('FAILED', 0);
const chosen = (app_id: string, app_release_digest: string): Chosen => ({
  ...{ app_id, app_release_digest, dependencies: [], grants: [], handler_bindings: [] },
});
