import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import type { Entry } from './entry';
import { startSimulator, type RunningSimulator } from './start-simulator';
import type { SimulatorState } from './simulator';

export const CONTACTS = 'api.larkspur.example';
export const TICKETS = 'desk.tern.example';
export const PROXY_TOKEN = 'token-of-the-egress-proxy';
const CONTROL_TOKEN = 'token-of-the-test-itself';

let dir: string;
let running: RunningSimulator | undefined;

export async function start(): Promise<void> {
  running = await startSimulator({ port: 0, controlToken: CONTROL_TOKEN, proxyToken: PROXY_TOKEN, ledgerFile: ledgerFile() });
}
export async function stop(): Promise<void> {
  await running?.close();
  running = undefined;
}
function urlOf(): string {
  if (running === undefined) throw new Error('not started');
  return running.url;
}
export function ledgerFile(): string {
  return join(dir, 'nested', 'ledger.jsonl');
}
export function makeDir(): void {
  dir = mkdtempSync(join(tmpdir(), 'provider-simulator-'));
}
export function removeDir(): void {
  rmSync(dir, { recursive: true });
}

export interface Asked {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
}
/** A call as the proxy would pass it on. */
export async function call(
  host: string,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Asked> {
  const all = { host, 'content-type': 'application/json', 'x-egress-proxy-token': PROXY_TOKEN, ...headers };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await request(`${urlOf()}${path}`, { method, headers: all, ...(body !== undefined && { body: text }) });
  return { status: answer.statusCode, headers: answer.headers, body: (await answer.body.json()) as Record<string, unknown> };
}

export async function control(
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  token = CONTROL_TOKEN,
): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await request(`${urlOf()}/_control/${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, body: text === '' ? undefined : JSON.parse(text) };
}
export async function plan(host: string, fault: string, more: { times?: number; ms?: number } = {}): Promise<void> {
  const { status } = await control('POST', 'faults', { host, fault, ...more });
  if (status !== 204) throw new Error(`planning answered ${status}`);
}
export async function ledger(after = 0): Promise<Entry[]> {
  return ((await control('GET', `ledger?after=${after}`)).body as { entries: Entry[] }).entries;
}
export async function state(): Promise<SimulatorState> {
  return (await control('GET', 'state')).body as SimulatorState;
}

/** A caller below HTTP. `text` goes out as it is. */
export async function raw(text: string): Promise<Socket> {
  const socket = connect(Number(new URL(urlOf()).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}
export function head(host: string, path: string, length: number): string {
  return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nx-egress-proxy-token: ${PROXY_TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

/** The ledger once it says so; each look is a request, so it cannot spin faster than the simulator answers. */
export async function ledgerWhen(fits: (entries: Entry[]) => boolean): Promise<Entry[]> {
  for (let look = 0; look < 1_000; look += 1) {
    const entries = await ledger();
    if (fits(entries)) return entries;
  }
  throw new Error(`the ledger never came to it: ${JSON.stringify(await ledger())}`);
}
