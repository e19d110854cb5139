import { contentOfOrganization } from '../installation-rows';
import { differences, type Dump } from '../same-rows';
import type { SystemUnderTest } from '../system';

/** What is done in an organization of its own, the same each time. */
export type ActIn = (organization: string) => Promise<void>;

/** Acts of which each organization is left with the same rows, whoever died on the way (decisions 13.14). */
export class Organizations {
  readonly #system: SystemUnderTest;
  readonly #models = new Map<string, Dump>();
  /** Where somebody may have died on the way, not yet compared. */
  readonly #disturbed: { readonly what: string; readonly organization: string }[] = [];
  #count = 0;

  constructor(system: SystemUnderTest) {
    this.#system = system;
  }

  /** One that nobody has. */
  next(what: string): string {
    this.#count += 1;
    return `${what}-${this.#count}`;
  }

  /** What every other one of these is compared with; nobody dies meanwhile. */
  async undisturbed(what: string, act: ActIn): Promise<void> {
    const organization = `${what}-undisturbed`;
    await act(organization);
    this.#models.set(what, await contentOfOrganization(this.#system, organization));
  }

  async disturbed(what: string, act: ActIn): Promise<void> {
    const organization = this.next(what);
    this.#disturbed.push({ what, organization });
    await act(organization);
  }

  /** Every one since the last look that has other rows than the undisturbed one. Everything must be at rest. */
  async differing(): Promise<{ readonly compared: number; readonly findings: readonly string[] }> {
    const disturbed = this.#disturbed.splice(0);
    const findings: string[] = [];
    for (const { what, organization } of disturbed) {
      const apart = differences(this.#models.get(what) ?? {}, await contentOfOrganization(this.#system, organization));
      findings.push(...apart.map((sentence) => `${organization} is not the undisturbed one: ${sentence}`));
    }
    return { compared: disturbed.length, findings };
  }
}
