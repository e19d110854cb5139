import { installBody, workbenchRelease } from '@connector/services/local/src/demo/workbench-app';
import { SCOPE } from '@connector/services/local/src/demo/world';
import { contentOfOrganization } from '../installation-rows';
import { differences, type Dump } from '../same-rows';
import type { SystemUnderTest } from '../system';
import { until } from '../until';
import type { RegistryActs } from './registry-acts';
import { movedInputs } from './security-epochs';

const UNDISTURBED = 'undisturbed';
/** An owner that it waits for may die on the way. */
const ENDS_MS_MAX = 60_000;

interface Chosen {
  readonly app_id: string;
  readonly [choice: string]: unknown;
}

/** Two Apps into one organization: the first begins its history there, the second finds it and claims a namespace of its own. */
export class InstallationActs {
  readonly #system: SystemUnderTest;
  readonly #registry: RegistryActs;
  #organizations = 0;
  #second: Promise<Chosen> | undefined;
  #model: Dump | undefined;
  /** Where somebody may have died on the way, not yet compared. */
  readonly #disturbed: string[] = [];

  constructor(system: SystemUnderTest, registry: RegistryActs) {
    this.#system = system;
    this.#registry = registry;
  }

  /** What every other installation is compared with; nobody dies meanwhile. */
  async undisturbed(): Promise<void> {
    await this.#installed(UNDISTURBED);
    this.#model = await contentOfOrganization(this.#system, UNDISTURBED);
  }

  /** The same in another organization. */
  async installation(): Promise<void> {
    const organization = this.#organization();
    this.#disturbed.push(organization);
    await this.#installed(organization);
  }

  /** Every installation since the last look that has other rows than the undisturbed one (decisions 13.14). Everything must be at rest. */
  async differing(): Promise<{ readonly compared: number; readonly findings: readonly string[] }> {
    const organizations = this.#disturbed.splice(0);
    const findings: string[] = [];
    for (const organization of organizations) {
      const content = await contentOfOrganization(this.#system, organization);
      const apart = differences(this.#model ?? {}, content);
      findings.push(...apart.map((sentence) => `the installation in ${organization} is not the undisturbed one: ${sentence}`));
    }
    return { compared: organizations.length, findings };
  }

  /** One whose security epoch somebody moves while it is published; it fails, and with a membership it is resumed when the epoch rests. */
  async overtaken(): Promise<void> {
    const organization = this.#organization();
    const end = await this.#overtaken(organization, installBody(workbenchRelease()));
    if (end.kind !== 'failed') return;
    const place = `${placeIn(organization)}/${end.installation}`;
    const wanted = { workload: SCOPE.workload, expected_catalog_revision: '0', bindings: [] };
    await this.#registry.asked('PUT', `${place}/integration-bindings`, wanted, 'set');
    const { kind } = await this.#ended(`resume/${organization}`, `${place}/resume`, FAILED);
    if (kind !== 'published') throw new Error(`the resumed installation in ${organization} ended ${kind}`);
  }

  /** One that failed so, and whose release is blocked before it is resumed: it is refused and stays as it was. */
  async overtakenAndBlocked(): Promise<void> {
    const organization = this.#organization();
    const by = await this.#registry.publisher();
    const { appId, releaseDigest } = await this.#registry.release(by, { appId: `${by.id}.desk` });
    const end = await this.#overtaken(organization, chosen(appId, releaseDigest));
    if (end.kind !== 'failed') return;
    await this.#registry.blocked(appId, releaseDigest, 'blocked');
    await this.#registry.asked('POST', `${placeIn(organization)}/${end.installation}/resume`, FAILED, 'problem');
  }

  #organization(): string {
    this.#organizations += 1;
    return `installs-${this.#organizations}`;
  }

  async #overtaken(organization: string, body: Chosen): Promise<End> {
    let over = false;
    const moved = movedInputs(this.#system, organization, () => over);
    try {
      return await this.#end(organization, body);
    } finally {
      over = true;
      await moved;
    }
  }

  async #installed(organization: string): Promise<void> {
    for (const body of [installBody(workbenchRelease()), await this.#claiming()]) {
      const { kind } = await this.#end(organization, body);
      if (kind !== 'published') throw new Error(`the installation of ${body.app_id} in ${organization} ended ${kind}`);
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

  /** How the attempt ends, asked for under one key until it has. */
  #end(organization: string, body: Chosen): Promise<End> {
    return this.#ended(`install/${organization}/${body.app_id}`, placeIn(organization), body);
  }

  async #ended(key: string, path: string, body: object): Promise<End> {
    const answer = await until(`${key} ends`, ENDS_MS_MAX, async () => {
      const answered = await this.#registry.under(key, 'POST', path, body);
      return endOf(answered.body).kind === 'waiting' ? undefined : answered;
    });
    if (answer.kind === 'opened') return endOf(answer.body);
    throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
}

interface End {
  readonly kind: string;
  readonly installation: string;
}

const FAILED = { expected_state: 'FAILED', expected_activation_epoch: '0' };
const placeIn = (organization: string): string => `/v1/orgs/${organization}/app-installations`;
const chosen = (app_id: string, app_release_digest: string): Chosen => ({
  ...{ app_id, app_release_digest, dependencies: [], grants: [], handler_bindings: [] },
});

function endOf(body: object): End {
  const end: unknown = Reflect.get(body, 'end');
  const kind: unknown = typeof end === 'object' && end !== null ? Reflect.get(end, 'kind') : undefined;
  return { kind: String(kind), installation: String(Reflect.get(body, 'installation')) };
}
