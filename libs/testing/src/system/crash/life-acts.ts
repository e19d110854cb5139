import type { Cut } from '../../commits/commit-proxy';
import type { SystemUnderTest } from '../system';
import { until, when } from '../until';
import { Attempts, type End, placeIn, seen, type Seen } from './attempts';
import type { RegistryActs } from './registry-acts';
import { registeredVersions, type Versions } from './workbench-versions';

/** How long Runtime takes to answer a command that it has. */
const HELD_MS = 1_500;
/** Longer than anybody needs to come so far, where nobody else met what was planned. */
const HELD_MS_MAX = 5_000;
/** A catalog that died on the way starts meanwhile. */
const OPENED_MS_MAX = 30_000;
/** As often as one caller runs a write path again. */
const CUTS = 8;
const HELD_BY_RUNTIME = { door: 'advance-app-grants', cuts: [{ kind: 'late', ms: HELD_MS }] } as const satisfies Partial<Giving>;

/** An attempt that somebody gives up when the first of these COMMITs of a door is met on its way. */
interface Giving {
  readonly organization: string;
  readonly door: string;
  readonly cuts: readonly Cut[];
  readonly attempt: () => Promise<End>;
  readonly place: () => Promise<string>;
  readonly seen: Seen;
}

/** What becomes of an installation after its first publication. */
export class LifeActs {
  readonly #system: SystemUnderTest;
  readonly #registry: RegistryActs;
  readonly #attempts: Attempts;
  #versions: Promise<Versions> | undefined;

  constructor(system: SystemUnderTest, registry: RegistryActs) {
    this.#system = system;
    this.#registry = registry;
    this.#attempts = new Attempts(registry);
  }

  /** Installed, upgraded to what claims less, rolled back and removed. */
  async whole(organization: string): Promise<void> {
    const { claiming, plain } = await this.#both();
    const place = await this.#attempts.active(organization, claiming);
    const { app_id, ...choices } = plain;
    await this.#attempts.must('published', `upgrade/${organization}/${app_id}`, `${place}/upgrade`, { ...choices, ...seen('ACTIVE', 1) });
    const back = { app_release_digest: claiming.app_release_digest, ...seen('ACTIVE', 2) };
    await this.#attempts.must('published', `rollback/${organization}/${app_id}`, `${place}/rollback`, back);
    await this.#attempts.must('removed', `remove/${organization}/${app_id}`, `${place}/remove`, seen('ACTIVE', 3));
  }

  /** An upgrade that is given up when Runtime has its command and has not said so: what takes it back is stale, and another follows it. */
  abandonedUpgrade(organization: string): Promise<void> {
    return this.#abandonedUpgrade(organization, HELD_BY_RUNTIME);
  }

  /** One that is given up before anything of it was compiled. */
  abandonedAtOnce(organization: string): Promise<void> {
    const cuts = Array.from({ length: CUTS }, (): Cut => ({ kind: 'before', statement: 1 }));
    return this.#abandonedUpgrade(organization, { door: 'record-compiled', cuts });
  }

  /** A preparation that is given up when Runtime has its command; it never was ACTIVE, and is removed. */
  async abandonedPreparation(organization: string): Promise<void> {
    const { claiming } = await this.#both();
    const place = async (): Promise<string> => {
      const id = await until('its row', OPENED_MS_MAX, async () => (await this.#standing(organization))?.['app_installation_id']);
      return `${placeIn(organization)}/${String(id)}`;
    };
    const attempt = (): Promise<End> => this.#attempts.install(organization, claiming);
    const end = await this.#givenUp({ organization, place, attempt, ...HELD_BY_RUNTIME, seen: seen('PREPARING', 0) });
    const last = end === 'failed' ? seen('FAILED', 0) : seen('ACTIVE', 1);
    await this.#attempts.must('removed', `remove/${organization}/${claiming.app_id}`, `${await place()}/remove`, last);
  }

  /** What was ACTIVE stays; or the upgrade was over before anybody came. */
  async #abandonedUpgrade(organization: string, held: Pick<Giving, 'door' | 'cuts'>): Promise<void> {
    const { claiming, plain } = await this.#both();
    const place = await this.#attempts.active(organization, plain);
    const { app_id, ...choices } = claiming;
    const attempt = (): Promise<End> =>
      this.#attempts.ended(`upgrade/${organization}/${app_id}`, `${place}/upgrade`, { ...choices, ...seen('ACTIVE', 1) });
    const end = await this.#givenUp({ organization, place: () => Promise.resolve(place), attempt, ...held, seen: seen('UPGRADING', 1) });
    const { state, activation_epoch: epoch } = (await this.#standing(organization)) ?? {};
    const stands = String(state) === 'ACTIVE' && Number(epoch) === (end === 'failed' ? 1 : 2);
    if (!stands) throw new Error(`the upgrade in ${organization} ended ${end} and left ${String(state)} at ${String(epoch)}`);
  }

  /** How the attempt ends. Another organization's may have met what was planned for it; then it may end as if nobody had come. */
  async #givenUp({ organization, door, cuts, attempt, place, seen: expected }: Giving): Promise<string> {
    const { commits } = this.#system;
    const before = commits?.cuts ?? 0;
    for (const cut of cuts) void commits?.plan(door, cut);
    const attempted = attempt();
    attempted.catch(() => undefined);
    await until(`${door} is held`, HELD_MS_MAX, () => when((commits?.cuts ?? 0) > before)).catch(() => undefined);
    const { kind } = await this.#attempts.ended(`abandon/${organization}/attempt`, `${await place()}/abandon`, expected);
    const { kind: end } = await attempted;
    const agreed = kind === 'abandoned' ? end === 'failed' : end === 'published' || expected.expected_state === 'PREPARING';
    if (!agreed) throw new Error(`giving up in ${organization} was answered ${kind}, and the attempt ended ${end}`);
    return end;
  }

  async #standing(organization: string): Promise<Record<string, unknown> | undefined> {
    const columns = 'app_installation_id, state, activation_epoch';
    const [row] = await this.#system.sql(`SELECT ${columns} FROM cat_installation WHERE organization_id = ?`, [organization]);
    return row;
  }

  #both(): Promise<Versions> {
    this.#versions ??= registeredVersions(this.#system, this.#registry);
    return this.#versions;
  }
}
