import type { Asked } from '@connector/services/local/src/demo/ask';
import type { installBody } from '@connector/services/local/src/demo/workbench-app';
import { until } from '../until';
import type { RegistryActs } from './registry-acts';

/** An owner that it waits for may die on the way. */
const ENDS_MS_MAX = 60_000;
/** Answers after which the same is asked again: somebody goes on with it, or with what is open before it. */
const NOT_YET: ReadonlySet<string> = new Set(['waiting', 'gates-open', 'publication-open', 'taking-back']);

/** How an attempt ended, or how it was answered that there is none. */
export interface End {
  readonly kind: string;
  readonly installation: string;
}
export interface Seen {
  readonly expected_state: string;
  readonly expected_activation_epoch: string;
}
/** What is chosen of an App wherever it is installed. */
export type Chosen = Omit<ReturnType<typeof installBody>, 'app_release_digest'> & { readonly app_release_digest: string };

export const placeIn = (organization: string): string => `/v1/orgs/${organization}/app-installations`;
export const seen = (state: string, activationEpoch: number): Seen => ({
  expected_state: state,
  expected_activation_epoch: String(activationEpoch),
});

/** Attempts of installations, each asked for under one key until it has ended. */
export class Attempts {
  readonly #registry: RegistryActs;

  constructor(registry: RegistryActs) {
    this.#registry = registry;
  }

  install(organization: string, body: Chosen): Promise<End> {
    return this.ended(`install/${organization}/${body.app_id}`, placeIn(organization), body);
  }

  /** The place of an installation that is ACTIVE with this. */
  async active(organization: string, body: Chosen): Promise<string> {
    const { kind, installation } = await this.install(organization, body);
    if (kind !== 'published') throw new Error(`the installation of ${body.app_id} in ${organization} ended ${kind}`);
    return `${placeIn(organization)}/${installation}`;
  }

  /** It ends so, and no other way. */
  async must(end: string, key: string, path: string, body: object): Promise<void> {
    const { kind } = await this.ended(key, path, body);
    if (kind !== end) throw new Error(`${key} ended ${kind}`);
  }

  /** How it ends, or the answer that there is no attempt. */
  async ended(key: string, path: string, body: object): Promise<End> {
    const answer = await until(`${key} ends`, ENDS_MS_MAX, async () => {
      const answered = await this.#registry.under(key, 'POST', path, body);
      return NOT_YET.has(endOf(answered).kind) ? undefined : answered;
    });
    if (answer.kind !== 'problem') return endOf(answer);
    throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
}

function endOf({ kind, body }: Asked): End {
  if (kind !== 'opened') return { kind, installation: '' };
  const end: unknown = Reflect.get(body, 'end');
  const ended: unknown = typeof end === 'object' && end !== null ? Reflect.get(end, 'kind') : undefined;
  return { kind: String(ended), installation: String(Reflect.get(body, 'installation')) };
}
