import {
  COMPONENTS_AT_ADMISSION_MAX,
  WHOLE_BODY,
  type ExtractedItem,
  type Extraction,
  type RefusedItem,
} from '@connector/connector/model/inbound/delivery';
import type { DeliveryFacts } from '@connector/packs/engine/route';
import type { RouteView } from '@connector/services/epoch-view/src/epoch-view';

/** Every item of a body under a frozen route; a body that nobody can read is one refusal of the whole (decisions 13.4). */
export function itemsOf(view: RouteView, account: string, body: Buffer, delivery: DeliveryFacts): readonly (ExtractedItem | RefusedItem)[] {
  const extracted = view.route.extract(account, body, delivery);
  if (extracted.kind === 'unreadable') return [{ kind: 'refused', ordinal: WHOLE_BODY, code: extracted.code, message: extracted.message }];
  const { orderingContractDigest } = view;
  return extracted.items.map((item) => {
    if (item.kind === 'refused') return item;
    return { ...item, orderingContractDigest, order: item.order === null ? null : { partition: item.partition, ...item.order } };
  });
}

/** What is materialized in the admission transaction; a body with more items waits for the sweep. */
export function extractionOf(view: RouteView, account: string, body: Buffer, delivery: DeliveryFacts): Extraction {
  const items = itemsOf(view, account, body, delivery);
  return items.length > COMPONENTS_AT_ADMISSION_MAX ? { kind: 'deferred' } : { kind: 'items', items };
}
