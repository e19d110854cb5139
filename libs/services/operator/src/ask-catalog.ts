import { type Faulty, refusalOf } from './catalog-refusals';
import type { OwnerClient } from './owner-client';

export interface CatalogWrite {
  readonly method: 'POST' | 'PUT';
  readonly at: string;
  readonly body: object;
  /** By it the catalog knows the same asking again (decisions 12.7). */
  readonly key: string;
}

/** Success is shown as documented; every other answer becomes a problem of ours. */
export async function askCatalog<T>(
  catalog: OwnerClient,
  { method, at, body, key }: CatalogWrite,
  shown: (answer: object) => T,
  faulty?: Faulty,
): Promise<T> {
  const answer = await catalog.keyed(method, at, body, key);
  if (answer.status < 300) return shown(Object.fromEntries(answer.body));
  throw refusalOf(answer, faulty);
}
