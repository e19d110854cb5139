import { type Faulty, refusalOf } from './catalog-refusals';
import type { Asking, OwnerClient } from './owner-client';

export interface CatalogWrite {
  readonly method: 'POST' | 'PUT';
  readonly at: string;
  readonly body: object;
  /** decisions 12.7 */
  readonly asking: Asking;
}

/** Success is shown as documented; every other answer becomes a problem of ours. */
export async function askCatalog<T>(
  catalog: OwnerClient,
  { method, at, body, asking }: CatalogWrite,
  shown: (answer: object) => T,
  faulty?: Faulty,
): Promise<T> {
  const answer = await catalog.keyed(method, at, body, asking);
  if (answer.status < 300) return shown(Object.fromEntries(answer.body));
  throw refusalOf(answer, faulty);
}
