import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { PROXY_REASONS } from '@connector/platform/egress-proxy/egress-event';
import { REASON_HEADER } from '@connector/platform/egress-proxy/forwarded-headers';

export interface ProxyPlace {
  readonly host: string;
  readonly port: number;
}

export interface OneCall {
  readonly proxy: ProxyPlace;
  readonly method: string;
  /** Absolute form: what the proxy forwards. */
  readonly url: string;
  /** Every header of the request, name and value by turns; nothing is added. */
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** From connecting to the last byte of the answer. */
  readonly deadlineMs: number;
  readonly responseBytesMax: number;
}

/** What was seen of one call. `why` is a word of ours or an error code, never a message: that could quote a header. */
export type Seen =
  /** No byte of the request has gone to a provider. */
  | { readonly kind: 'not-begun'; readonly at: 'connect' | 'proxy'; readonly why: string }
  /** Bytes may have gone out, and no whole head came back. */
  | { readonly kind: 'no-head'; readonly why: string }
  | {
      readonly kind: 'head';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** As far as it came, at most `responseBytesMax`. */
      readonly body: Buffer;
      /** Undefined where the body came whole. */
      readonly broken: string | undefined;
    };

/**
 * One request on one new socket to the proxy, and never a second: no redirect is followed, nothing is repeated, the socket is not kept
 * (reliability 3.5). Connecting stands apart from sending, so that what failed before the first byte is told by construction. Never throws.
 */
export async function callOnce(call: OneCall): Promise<Seen> {
  const deadline = AbortSignal.timeout(call.deadlineMs);
  const opened = await open(call.proxy, deadline);
  if ('kind' in opened) return opened;
  try {
    return await exchange(call, opened.socket, deadline);
  } finally {
    opened.socket.destroy();
  }
}

type Opened = { readonly socket: Socket } | Extract<Seen, { kind: 'not-begun' }>;

function open({ host, port }: ProxyPlace, deadline: AbortSignal): Promise<Opened> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, noDelay: true });
    const failed = (why: string): void => {
      socket.destroy();
      resolve({ kind: 'not-begun', at: 'connect', why });
    };
    const late = (): void => failed('deadline');
    deadline.addEventListener('abort', late, { once: true });
    // It stays for good: an error between connecting and sending must find a listener.
    socket.on('error', (error) => failed(codeOf(error)));
    socket.once('connect', () => {
      deadline.removeEventListener('abort', late);
      resolve({ socket });
    });
  });
}

function exchange(call: OneCall, socket: Socket, deadline: AbortSignal): Promise<Seen> {
  return new Promise((resolve) => {
    const { method, url: path, headers, body } = call;
    const why = (error?: unknown): string => (deadline.aborted ? 'deadline' : codeOf(error));
    const req = request({ createConnection: () => socket, method, path, headers: [...headers], setHost: false });
    const cut = (): void => void req.destroy();
    deadline.addEventListener('abort', cut, { once: true });
    // After a head its reader has the last word: a reset in the body is an error of the request as well.
    let head = false;
    const ended = (error?: unknown): void => {
      if (!head) resolve({ kind: 'no-head', why: why(error) });
    };
    req.once('response', (res) => {
      head = true;
      void readAnswer(call, res, why).then(resolve);
    });
    req.on('error', ended);
    req.once('close', () => ended());
    req.end(body);
    if (deadline.aborted) cut();
  });
}

async function readAnswer(call: OneCall, res: IncomingMessage, why: (error?: unknown) => string): Promise<Seen> {
  const reason = res.headers[REASON_HEADER];
  if (typeof reason === 'string' && Object.hasOwn(PROXY_REASONS, reason)) return { kind: 'not-begun', at: 'proxy', why: reason };
  const chunks: Buffer[] = [];
  let size = 0;
  let broken: string | undefined;
  try {
    for await (const chunk of res as AsyncIterable<Buffer>) {
      const room = call.responseBytesMax - size;
      chunks.push(chunk.subarray(0, room));
      size += Math.min(chunk.length, room);
      if (chunk.length <= room) continue;
      broken = 'over-cap';
      break;
    }
  } catch (error) {
    broken = why(error);
  }
  if (broken === undefined && !res.complete) broken = why();
  return { kind: 'head', status: res.statusCode ?? 0, headers: headersOf(res), body: Buffer.concat(chunks), broken };
}

function headersOf(res: IncomingMessage): Record<string, string> {
  const entries = Object.entries(res.headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')] as const);
  return Object.fromEntries(entries);
}

function codeOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'cut';
}
