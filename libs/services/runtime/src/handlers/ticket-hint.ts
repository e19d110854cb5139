import type { Handler, HandlerAnswer, Question } from '@connector/runtime/model/application';
import { countMember, member, textMember } from './members';
import { recordKey } from './record-key';

const COLLECTION = 'ticket';
const REJECTED: HandlerAnswer = { outcome: 'rejected', reason: 'not-a-hint', changes: [], commands: [] };
const NOOP: HandlerAnswer = { outcome: 'noop', changes: [], commands: [] };

interface Hint {
  readonly key: string;
  readonly revision: number;
  readonly status: string;
}

function hintOf({ account, input }: Question): Hint | undefined {
  const ticket = member(input, 'ticketId');
  const [revision, status] = [countMember(input, 'revision'), textMember(input, 'status')];
  if (revision === undefined || status === undefined || (typeof ticket !== 'string' && typeof ticket !== 'number')) return undefined;
  const key = recordKey(account, String(ticket));
  return key === undefined ? undefined : { key, revision, status };
}

/** Keeps the greatest revision of each ticket that a hint told of, and wants nothing sent. */
export const ticketHint: Handler = {
  id: 'dev.example.workbench/ticket-hint',
  version: '1',
  reasons: ['not-a-hint'],
  wants(question) {
    const hint = hintOf(question);
    return hint === undefined ? [] : [{ collection: COLLECTION, key: hint.key }];
  },
  answer(question, [record]) {
    const hint = hintOf(question);
    if (hint === undefined || record === undefined) return REJECTED;
    const held = countMember(record.value, 'revision');
    if (held !== undefined && hint.revision <= held) return NOOP;
    const { key, revision, status } = hint;
    return { outcome: 'applied', changes: [{ collection: COLLECTION, key, value: { revision, status } }], commands: [] };
  },
};
