import type { Handler, HandlerAnswer, Question } from '@connector/runtime/model/application';
import { member, textMember } from './members';
import { recordKey } from './record-key';

const COLLECTION = 'delivery';
const REJECTED: HandlerAnswer = { outcome: 'rejected', reason: 'not-a-delivery', changes: [], commands: [] };
const NOOP: HandlerAnswer = { outcome: 'noop', changes: [], commands: [] };

interface Noted {
  readonly key: string;
  readonly event: string;
  readonly action: string | null;
}

/** An action of another shape than a text is of a kind that this release does not know; the delivery is noted all the same. */
function notedOf({ account, input }: Question): Noted | undefined {
  const [delivery, event, action] = [textMember(input, 'delivery'), textMember(input, 'event'), member(input, 'action')];
  const key = delivery === undefined ? undefined : recordKey(account, delivery);
  if (key === undefined || event === undefined) return undefined;
  return { key, event, action: typeof action === 'string' ? action : null };
}

/** Keeps of each delivery what it told of, under its own id, so that their order does not matter; wants nothing sent. */
export const deliveryNoted: Handler = {
  id: 'dev.example.workbench/delivery-noted',
  version: '1',
  reasons: ['not-a-delivery'],
  wants(question) {
    const noted = notedOf(question);
    return noted === undefined ? [] : [{ collection: COLLECTION, key: noted.key }];
  },
  answer(question, [record]) {
    const noted = notedOf(question);
    if (noted === undefined || record === undefined) return REJECTED;
    if (record.value !== null) return NOOP;
    const { key, event, action } = noted;
    return { outcome: 'applied', changes: [{ collection: COLLECTION, key, value: { event, action } }], commands: [] };
  },
};
