import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Behaviour, Decision, ProviderRequest } from './behaviour';
import type { ProviderAnswer } from './effect';
import type { Arrival } from './entry';
import type { FaultPlan, PlannedFault } from './fault-plan';
import type { Ledger } from './ledger';
import { ledgerHeaders } from './ledger-headers';
import { jsonObjectOf, readBody } from './request-body';

export interface World {
  readonly ledger: Ledger;
  readonly faults: FaultPlan;
  /** Ends every wait. */
  readonly closing: AbortSignal;
  readonly fromProxy: (req: IncomingMessage) => boolean;
}
/** Whom a request is for. */
export interface Provider {
  readonly host: string;
  readonly behaviour: Behaviour;
  /** As received: a framework in front may have rewritten `url`. */
  readonly target: string;
}
interface Call {
  readonly world: World;
  readonly n: number;
  readonly provider: Provider;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

const APPLIED: ReadonlySet<PlannedFault['fault']> = new Set(['slow', '500-after', 'reset-mid-body', 'other-id']);
const REFUSALS: Readonly<Partial<Record<PlannedFault['fault'], ProviderAnswer>>> = {
  '422': { status: 422, body: { error: 'not acceptable' } },
  '429': { status: 429, body: { error: 'slow down' } },
};
const BROKEN = { status: 500, body: { error: 'internal' } };
const FULL = { status: 507, body: { error: 'the ledger is full: reset it' } };

/** One request to one provider. Every step is in the ledger before it shows on the wire. */
export async function exchange(world: World, provider: Provider, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (world.ledger.full) return void write(res, FULL);
  const n = world.ledger.arrive(arrivalOf(provider, req));
  const call = { world, n, provider, req, res };
  if (!world.fromProxy(req)) {
    world.ledger.change(n, { request: 'refused' });
    return answerWith(call, { status: 403, body: { error: 'only through the egress proxy' } });
  }
  const { kind, bytes, size } = await readBody(req, (count) => world.ledger.count(n, count));
  const request = requestOf(call, bytes);
  const key = kind === 'whole' ? provider.behaviour.keyOf(request) : null;
  world.ledger.change(n, { request: kind === 'whole' ? 'whole' : 'cut', bytes: size, body: bytes.toString('base64'), key });
  if (kind === 'too-large') return answerWith(call, { status: 413, body: { error: 'too large' } });
  if (kind === 'whole') await act(call, request);
}

function arrivalOf({ host, target }: Provider, req: IncomingMessage): Arrival {
  const { method = '' } = req;
  const credential = req.headers.authorization !== undefined;
  return { at: new Date().toISOString(), host, method, target, headers: ledgerHeaders(req.rawHeaders), credential };
}

function requestOf({ req, provider }: Call, bytes: Buffer): ProviderRequest {
  const [path = '', query = ''] = provider.target.split('?', 2);
  const key = req.headers['idempotency-key'];
  const idempotencyKey = typeof key === 'string' ? key : undefined;
  return { method: req.method ?? '', path, query: new URLSearchParams(query), idempotencyKey, bytes, body: jsonObjectOf(bytes) };
}

async function act(call: Call, request: ProviderRequest): Promise<void> {
  const { host, behaviour } = call.provider;
  const { ledger, faults } = call.world;
  const fault = faults.take(host);
  if (fault !== undefined) ledger.change(call.n, { fault: fault.fault });
  if (fault !== undefined && !APPLIED.has(fault.fault)) return answerFault(call, fault);
  const decision = behaviour.decide(host, request, ledger.recordsOf(host));
  const answer = settle(call, decision);
  if (fault?.fault === 'slow' && !(await waited(call, fault.ms))) return;
  if (fault?.fault === '500-after') return answerFault(call, fault);
  if (fault?.fault === 'reset-mid-body') return resetMidBody(call, answer);
  if (fault?.fault === 'other-id') return answerWith(call, otherId(call, answer));
  answerWith(call, answer);
}

function settle({ world, n }: Call, decision: Decision): ProviderAnswer {
  if (decision.kind === 'execute') {
    world.ledger.execute(n, decision.effect);
    return decision.effect.answer;
  }
  if (decision.kind === 'replay') world.ledger.change(n, { replayed: true });
  return decision.answer;
}

/** False where the caller is gone, or the simulator is closing. */
async function waited({ world, n, res }: Call, ms: number): Promise<boolean> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  res.once('close', leave);
  try {
    await wait(ms, undefined, { signal: AbortSignal.any([gone.signal, world.closing]) });
    return true;
  } catch {
    // Only an abort rejects it: the answer has nobody to go to.
    world.ledger.change(n, { answer: 'cut' });
    res.destroy();
    return false;
  } finally {
    res.off('close', leave);
  }
}

function answerFault(call: Call, { fault, ms }: PlannedFault): void {
  answerWith(call, REFUSALS[fault] ?? BROKEN, fault === '429' ? { 'Retry-After': String(Math.ceil(ms / 1000)) } : {});
}

function otherId({ world, provider }: Call, { status, body }: ProviderAnswer): ProviderAnswer {
  const [oldest] = world.ledger.recordsOf(provider.host).list(1);
  return { status, body: { ...body, id: oldest?.['id'] ?? null } };
}

function answerWith(call: Call, answer: ProviderAnswer, headers: Record<string, string> = {}): void {
  const { world, n, req, res } = call;
  if (res.closed) return world.ledger.change(n, { answer: 'cut' });
  world.ledger.change(n, { status: answer.status, answer: 'begun' });
  res.once('close', () => world.ledger.change(n, { answer: res.writableFinished ? 'whole' : 'cut' }));
  // What is left of a refused body is read and dropped, so that the answer can be seen.
  req.resume();
  write(res, answer, headers);
}

function resetMidBody({ world, n, res }: Call, answer: ProviderAnswer): void {
  const bytes = Buffer.from(JSON.stringify(answer.body));
  world.ledger.change(n, { status: answer.status, answer: 'cut' });
  res.writeHead(answer.status, { 'Content-Type': 'application/json', 'Content-Length': bytes.length });
  res.write(bytes.subarray(0, bytes.length >> 1), () => res.socket?.resetAndDestroy());
}

function write(res: ServerResponse, { status, body }: ProviderAnswer, headers: Record<string, string> = {}): void {
  const bytes = Buffer.from(JSON.stringify(body));
  res.writeHead(status, { ...headers, 'Content-Type': 'application/json', 'Content-Length': bytes.length }).end(bytes);
}
