import { createHash } from 'node:crypto';
import { answer, type Behaviour, type Decision, type ProviderRequest } from './behaviour';
import type { Records } from './records';

const CONTACT = /^\/contacts\/([A-Za-z0-9._~%-]{1,200})$/;

/** Contacts that can be changed. Honours `Idempotency-Key`: the same key with the same request is executed once and answered alike for ever. */
export const contacts: Behaviour = {
  keyOf: (request) => request.idempotencyKey ?? null,
  decide(host, request, records) {
    const id = CONTACT.exec(request.path)?.[1];
    if (id === undefined) return answer(404, { error: 'no such path' });
    if (request.method === 'GET') return find(id, records);
    if (request.method !== 'PATCH') return answer(405, { error: 'PATCH or GET' });
    return change(host, id, request, records);
  },
};

function find(id: string, records: Records): Decision {
  const record = records.get(id);
  return record === undefined ? answer(404, { error: 'no such contact' }) : answer(200, record);
}

function change(host: string, id: string, request: ProviderRequest, records: Records): Decision {
  if (request.body === undefined) return answer(400, { error: 'the body is no JSON object' });
  const key = request.idempotencyKey ?? null;
  const digest = createHash('sha256').update(`${request.method} ${request.path}\n`).update(request.bytes).digest('hex');
  const kept = key === null ? undefined : records.kept(key);
  if (kept !== undefined) {
    return kept.digest === digest
      ? { kind: 'replay', answer: kept.answer }
      : answer(422, { error: 'this key was used for another request' });
  }
  const record = { ...records.get(id), ...request.body, id };
  return { kind: 'execute', effect: { host, id, record, answer: { status: 200, body: record }, key, digest } };
}
