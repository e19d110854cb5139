/**
 * register-publisher: a lasting identity that the operator trusts
 *
 * why     Who may publish is a fact of the operator's; a publisher is neither its keys nor a URL (cat:PUB-01, cat:PUB-02).
 * paths   register-publisher
 * locks   publisher
 * fence   the primary key. Identity and prefixes are insert-only, so what stands is what was granted.
 * again   The request key; the publisher id: the same prefixes again are the publisher that stands.
 */
import { InputFault } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catPublisher, catPublisherPrefix } from '@connector/schema/catalog/registry';
import { audit } from '../../fences/audit';
import { lockPublishers } from '../../fences/publisher';
import { keepRequest, recallRequest } from '../../fences/request';
import { PublisherId } from '../../model/identifier';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';

export interface RegisterPublisher {
  readonly publisherId: PublisherId;
  /** 1 to 100; its own id where the operator grants nothing else (cat:A-23). */
  readonly appPrefixes: readonly PublisherId[];
}
export type RegisteredPublisher = {
  readonly kind: 'registered' | 'already-registered' | 'conflicting-publisher';
  readonly publisherId: PublisherId;
  /** Those that stand, in bytewise order. */
  readonly appPrefixes: readonly PublisherId[];
};

const PREFIXES_MAX = 100;
const PREFIXES = readRows(
  catPublisherPrefix,
  ['app_prefix'],
  `WHERE publisher_id = :publisher_id ORDER BY app_prefix LIMIT ${PREFIXES_MAX}`,
);

export async function registerPublisher(db: Db, input: RegisterPublisher, request: RequestKey): Promise<RegisteredPublisher> {
  const { publisherId } = input;
  const wanted = [...new Set(input.appPrefixes)].sort();
  if (wanted.length === 0 || wanted.length > PREFIXES_MAX)
    throw new InputFault('HOUSE:catalog:Prefixes', `a publisher has 1 to ${PREFIXES_MAX} AppID prefixes`);
  return db.fenced(catalogDoors['register-publisher'], async (tx) => {
    const known = await lockPublishers(tx, [publisherId]);
    const before = await recallRequest<RegisteredPublisher>(tx, request);
    if (before !== undefined) return before;
    const isNew = !known.has(publisherId) && (await tx.insertNew(catPublisher, { publisher_id: publisherId })) === 'inserted';
    if (!isNew) return standing(tx, publisherId, wanted);
    await tx.insert(
      catPublisherPrefix,
      wanted.map((prefix) => ({ publisher_id: publisherId, app_prefix: prefix })),
    );
    await audit(tx, { caller: request.caller, subject: publisherId, details: { prefixes: wanted.join(' ') } });
    return keepRequest(tx, request, { kind: 'registered', publisherId, appPrefixes: wanted });
  });
}

async function standing(tx: FencedTx, publisherId: PublisherId, wanted: readonly PublisherId[]): Promise<RegisteredPublisher> {
  const appPrefixes = (await tx.read(PREFIXES, { publisher_id: publisherId })).map((row) => PublisherId.parse(row.app_prefix));
  return { kind: appPrefixes.join() === wanted.join() ? 'already-registered' : 'conflicting-publisher', publisherId, appPrefixes };
}
