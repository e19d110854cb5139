import type { Settings } from '@connector/services/local/src/environment';
import type { SeenEnd } from '@connector/services/local/src/supervisor';
import type { Service } from '@connector/kernel/roles';
import type { SystemUnderTest } from '../system';
import { until, when } from '../until';
import type { CrashPoint } from './points';

const UP_MS_MAX = 60_000;
const FIRST_REGISTRATION = 'register-holder/insert con_egress_holder';
const SPENT_GENERATION = 'register-holder/read con_egress_holder_generation';

export type Fate = { readonly kind: 'reached' } | { readonly kind: 'not-reached' } | { readonly kind: 'wrong-end'; readonly end: SeenEnd };
export interface Met {
  readonly point: CrashPoint;
  readonly fate: Fate;
}

/**
 * One service that is to die at one point after the other. The start after an end is armed with the next point, and the one after the last
 * with none, which is decided before the supervisor makes it; so an end of an armed start by SIGKILL is the point's own doing.
 */
export class Lane {
  readonly service: Service;
  readonly #system: SystemUnderTest;
  readonly #points: CrashPoint[];
  readonly met: Met[] = [];
  #armed: CrashPoint | undefined;

  constructor(system: SystemUnderTest, points: readonly CrashPoint[]) {
    this.#system = system;
    this.#points = [...points];
    this.service = (points[0] as CrashPoint).service;
  }

  /** Told of every end of every service. */
  readonly sawEnd = (end: SeenEnd): void => {
    if (end.name !== this.service) return;
    if (this.#armed !== undefined) this.#conclude(end.signal === 'SIGKILL' ? { kind: 'reached' } : { kind: 'wrong-end', end });
    this.#armNext();
  };

  get armed(): CrashPoint | undefined {
    return this.#armed;
  }

  /** Ends what runs; returns when that is over, and what starts in its place is armed. */
  begin(): Promise<void> {
    return this.#system.kill(this.service);
  }

  /** The armed process is up, or has met its point already on its way there. */
  async isUp(point: CrashPoint): Promise<void> {
    const ready = (): boolean =>
      this.#system.local.supervisor.services.some(({ name, state }) => name === this.service && state === 'ready');
    await until(`${this.service} armed at ${point.name}`, UP_MS_MAX, () => when(this.#armed !== point || ready()));
  }

  /** Nothing led there: the armed process is ended before it can meet its point in somebody else's time. */
  async giveUp(point: CrashPoint): Promise<void> {
    if (this.#armed !== point) return;
    this.#conclude({ kind: 'not-reached' });
    await this.begin();
  }

  #conclude(fate: Fate): void {
    if (this.#armed !== undefined) this.met.push({ point: this.#armed, fate });
    this.#armed = undefined;
  }

  #armNext(): void {
    this.#armed = this.#points.shift();
    if (this.#armed !== undefined) this.#system.local.supervisor.arm(this.service, settingsOf(this.#armed, this.#system.ends));
  }
}

/** What leads to a point that no act does: a name that no adapter ever had, or the first generation that had it once more. */
function settingsOf({ name, service }: CrashPoint, ends: readonly SeenEnd[]): Settings {
  if (name === FIRST_REGISTRATION) return { CRASH: name, EGRESS_HOLDER: `egress-first-${process.pid}` };
  const spent = name === SPENT_GENERATION ? ends.find((end) => end.name === service) : undefined;
  return { CRASH: name, ...(spent === undefined ? {} : { GENERATION: spent.generation }) };
}
