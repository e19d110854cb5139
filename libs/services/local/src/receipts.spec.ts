import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GenerationId } from '@connector/kernel/ids';
import { type ServiceClient, serviceClient } from '@connector/platform/http/service-client';
import { GenerationJournal } from './generation-journal';
import { ReceiptOffice } from './receipts';

const TOKEN = 'token-of-local-for-control';
const END = { at: '2026-01-01T00:00:00.000Z', how: 'exit SIGKILL' };

let dir: string;
let journal: GenerationJournal;
let server: Server;
let client: ServiceClient;
/** What control was asked, and what it answers: statuses in turn, the last one for ever. */
let asked: { path: string; body: Record<string, string> }[];
let statuses: number[];
let order: string[];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'receipts-'));
  journal = new GenerationJournal(join(dir, 'supervisor.jsonl'));
  [asked, statuses, order] = [[], [201], []];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      order.push(request.url ?? '');
      asked.push({ path: request.url ?? '', body: JSON.parse(text) as Record<string, string> });
      const status = statuses.length > 1 ? statuses.shift() : statuses[0];
      response.writeHead(status ?? 500, { 'content-type': 'application/json' }).end('{"kind":"recorded"}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  client = serviceClient({
    baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    token: TOKEN,
    timeoutMs: 2_000,
  });
});
afterEach(async () => {
  await client.close();
  server.close();
  journal.close();
  rmSync(dir, { recursive: true });
});

function office(
  cutOff: (generation: GenerationId) => Promise<void> = async (generation) => void order.push(`cut off ${generation}`),
): ReceiptOffice {
  return new ReceiptOffice({ control: client, journal, cutOff, tell: () => undefined });
}

describe('receipt office', () => {
  it('proved: first cut off, then termination, then isolation, and only then forgotten (con:TERM-F, con:ISO-F)', async () => {
    const born = journal.begin();
    const at = office();
    at.add(born, END);
    await at.close(5_000);
    expect(order).toEqual([`cut off ${born.generation}`, '/v1/terminations', '/v1/isolations']);
    expect(asked[0]?.body).toMatchObject({
      generation_id: born.generation,
      termination_id: born.termination,
      service: 'egress-adapter',
      supervisor: 'local',
    });
    expect(asked[1]?.body).toMatchObject({
      generation_id: born.generation,
      isolation_id: born.isolation,
      controller: 'local-egress-proxy',
    });
    expect(journal.unproved).toEqual([]);
  });

  it('asked again: under the same ids while control is away, and a receipt that stands already is as good', async () => {
    statuses = [503, 500, 409, 200];
    const born = journal.begin();
    const at = office();
    at.add(born, END);
    await at.close(5_000);
    expect(asked.map(({ path }) => path)).toEqual(['/v1/terminations', '/v1/terminations', '/v1/terminations', '/v1/isolations']);
    expect(new Set(asked.slice(0, 3).map(({ body }) => body['termination_id']))).toEqual(new Set([born.termination]));
    expect(journal.unproved).toEqual([]);
  });

  it('no receipt: a generation that could not be cut off is never reported as isolated', async () => {
    const born = journal.begin();
    const at = office(() => Promise.reject(new Error('its socket stays open')));
    at.add(born, END);
    await at.close(400);
    expect(asked).toEqual([]);
    expect(journal.unproved).toEqual([born]);
  });

  it('kept: what control never answered stays in the journal when the supervisor ends', async () => {
    statuses = [503];
    const born = journal.begin();
    const at = office();
    at.add(born, END);
    await at.close(300);
    expect(journal.unproved).toEqual([born]);
  });
});
