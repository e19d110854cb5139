import {
  admitAndMaterialize,
  prepareDelivery,
  type Admission,
  type PreparedDelivery,
} from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { jcs } from '@connector/kernel/jcs';
import { BatchQueue } from '@connector/platform/db/batch-queue';
import type { Db } from '@connector/platform/db/db';
import { weightOf } from '@connector/services/ingress/src/admitter';
import type { ServedAccount } from '../fixtures/account';
import { delivery, item, ROUTE } from '../fixtures/delivery';
import { contact } from '../system/source';

/** A delivery with the account that it is for, its ids and digests made: what the door is handed. */
export interface Ready {
  readonly served: ServedAccount;
  readonly prepared: PreparedDelivery;
}

/** So many deliveries of one new contact each, the accounts in turn; `name` makes them new. */
export function contactDeliveries(accounts: readonly ServedAccount[], count: number, name: string): readonly Ready[] {
  return Array.from({ length: count }, (_, at) => {
    const served = accounts[at % accounts.length] as ServedAccount;
    const key = `${name}-${at}`;
    const body = contact(key);
    const extraction = { kind: 'items', items: [item(0, key, body)] } as const;
    return { served, prepared: prepareDelivery(served, ROUTE, delivery(served, key, jcs(body).toString('utf8')), extraction) };
  });
}

/** A batch of one account through the door, past any queue. Throws unless each of it is admitted as new. */
export async function admitted(db: Db, batch: readonly Ready[]): Promise<void> {
  const { served } = batch[0] as Ready;
  const prepared = batch.map((one) => one.prepared);
  for (const { kind } of await admitAndMaterialize(db, served, ROUTE, prepared))
    if (kind !== 'admitted') throw new Error(`a delivery was not admitted: ${kind}`);
}

/** What is done with a batch; `admit` is the door. */
export type Around = (batch: readonly Ready[], admit: () => Promise<unknown>) => Promise<void>;

/** The door behind the queue of the ingress, batched by the same limits. `submit` throws unless the delivery is admitted as new. */
export class Door {
  readonly #queue: BatchQueue<Ready, Admission>;

  constructor(db: Db, around: Around = (_batch, admit) => admit().then(() => undefined)) {
    this.#queue = new BatchQueue(async (_key, batch) => {
      let answers: readonly Admission[] = [];
      const { served } = batch[0] as Ready;
      await around(batch, async () => {
        answers = await admitAndMaterialize(
          db,
          served,
          ROUTE,
          batch.map(({ prepared }) => prepared),
        );
      });
      return answers;
    });
  }

  async submit(one: Ready): Promise<void> {
    const { kind } = await this.#queue.submit(one.served.account, one, weightOf(one.prepared));
    if (kind !== 'admitted') throw new Error(`a delivery was not admitted: ${kind}`);
  }
}
