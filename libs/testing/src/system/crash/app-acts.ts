import type { SystemUnderTest } from '../system';
import { BindingActs } from './binding-acts';
import { InstallationActs } from './installation-acts';
import { LifeActs } from './life-acts';
import { type ActIn, Organizations } from './organizations';
import { RegistryActs } from './registry-acts';

/** Acts that leave the same rows each time, whoever dies on the way. */
export type Same = 'installation' | 'life' | 'bindings';
/** Acts whose end depends on who came first. */
export type Alone = 'overtaken' | 'overtakenAndBlocked' | 'abandonedUpgrade' | 'abandonedAtOnce' | 'abandonedPreparation';

/** What is done to Apps: in the registries, and to installations, each time in an organization of its own. */
export class AppActs {
  readonly registry: RegistryActs;
  readonly #organizations: Organizations;
  readonly #same: Readonly<Record<Same, ActIn>>;
  readonly #alone: Readonly<Record<Alone, ActIn>>;

  constructor(system: SystemUnderTest) {
    this.registry = new RegistryActs(system);
    this.#organizations = new Organizations(system);
    const installations = new InstallationActs(system, this.registry);
    const life = new LifeActs(system, this.registry);
    const bindings = new BindingActs(system, this.registry);
    this.#same = {
      installation: (organization) => installations.two(organization),
      life: (organization) => life.whole(organization),
      bindings: (organization) => bindings.whole(organization),
    };
    this.#alone = {
      overtaken: (organization) => installations.overtaken(organization),
      overtakenAndBlocked: (organization) => installations.overtakenAndBlocked(organization),
      abandonedUpgrade: (organization) => life.abandonedUpgrade(organization),
      abandonedAtOnce: (organization) => life.abandonedAtOnce(organization),
      abandonedPreparation: (organization) => life.abandonedPreparation(organization),
    };
  }

  /** What all others of their kind are compared with; nobody dies meanwhile. */
  async undisturbed(): Promise<void> {
    for (const [what, act] of Object.entries(this.#same)) await this.#organizations.undisturbed(what, act);
  }

  same(what: Same): Promise<void> {
    return this.#organizations.disturbed(what, this.#same[what]);
  }

  alone(what: Alone): Promise<void> {
    return this.#alone[what](this.#organizations.next(what.toLowerCase()));
  }

  /** Organizations since the last look whose rows are not those of the undisturbed one. Everything must be at rest. */
  differing(): ReturnType<Organizations['differing']> {
    return this.#organizations.differing();
  }
}
