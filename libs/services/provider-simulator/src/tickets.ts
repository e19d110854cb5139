import type { JsonObject } from '@connector/kernel/jcs';
import { answer, type Behaviour, type Decision, type ProviderRequest } from './behaviour';
import type { Records } from './records';

const TICKETS = '/v1/tickets';
const TICKET = /^\/v1\/tickets\/(tck_[0-9]{6,12})$/;
const FOUND_MAX = 50;

/** Tickets that can be created. Honours no key: the same request twice makes two tickets, and a search by `external_ref` finds both. */
export const tickets: Behaviour = {
  keyOf: ({ method, body, query }) => (method === 'POST' ? textOf(body?.['external_ref']) : query.get('external_ref')),
  decide(host, request, records) {
    if (request.path === TICKETS && request.method === 'POST') return create(host, request, records);
    if (request.path === TICKETS && request.method === 'GET') return search(request, records);
    const id = TICKET.exec(request.path)?.[1];
    if (id === undefined || request.method !== 'GET') return answer(404, { error: 'no such path' });
    const record = records.get(id);
    return record === undefined ? answer(404, { error: 'no such ticket' }) : answer(200, record);
  },
};

function create(host: string, { body }: ProviderRequest, records: Records): Decision {
  if (body === undefined) return answer(400, { error: 'the body is no JSON object' });
  const id = `tck_${String(records.count + 1).padStart(6, '0')}`;
  const record = { ...body, id };
  return {
    kind: 'execute',
    effect: { host, id, record, answer: { status: 201, body: record }, key: textOf(body['external_ref']), digest: null },
  };
}

function search({ query }: ProviderRequest, records: Records): Decision {
  const reference = query.get('external_ref');
  if (reference === null) return answer(400, { error: 'external_ref is needed' });
  return answer(200, { tickets: records.list(FOUND_MAX, (record) => record['external_ref'] === reference) });
}

function textOf(value: JsonObject[string] | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
