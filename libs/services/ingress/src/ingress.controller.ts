import type { IncomingMessage } from 'node:http';
import { All, Controller, Inject, Param, Req, Res } from '@nestjs/common';
import type { AccountName } from '@connector/kernel/brand';
import { Public } from '@connector/platform/host/auth';
import { HttpProblem, type ProblemParts } from '@connector/platform/host/problem';
import type { Wake } from '@connector/platform/wake/wake';
import { Admitter, type Answer } from './admitter';
import { answerProblem, tooLarge, UNREADABLE_ENCODING, WRONG_METHOD } from './answers';
import { readBody } from './read-body';

export const ADMITTER = Symbol('admitter');
export const WAKE = Symbol('wake');
export const REFUSALS = Symbol('refusals');

const NAME = /^[a-z0-9-]{1,63}$/;

/** Counts what was not admitted. */
export interface Refusals {
  refusedDelivery(reason: string): void;
}
type NotAdmitted = Exclude<Answer, { readonly kind: 'admitted' | 'redelivered' }>;

interface Received {
  readonly raw: IncomingMessage;
}
interface Reply {
  status(code: number): Reply;
  header(name: string, value: string): Reply;
  send(body: unknown): void;
}

/** `POST /v1/in/<account>/<channel>`: callers are known by their signature, so the route is public to everything else. */
@Public()
@Controller('v1/in/:provider/:tenant/:channel')
export class IngressController {
  constructor(
    @Inject(ADMITTER) private readonly admitter: Admitter,
    @Inject(WAKE) private readonly wake: Wake,
    @Inject(REFUSALS) private readonly refusals: Refusals,
  ) {}

  @All()
  async receive(@Param() params: Record<string, string>, @Req() request: Received, @Res() reply: Reply): Promise<void> {
    if (request.raw.method !== 'POST') throw this.#refuse('wrong-method', WRONG_METHOD);
    const { provider = '', tenant = '', channel = '' } = params;
    if (![provider, tenant, channel].every((name) => NAME.test(name))) throw this.#refusal({ kind: 'unknown-route' });
    const account = `${provider}/${tenant}` as AccountName;
    const body = await this.#bodyOf(account, channel, request.raw);
    const answer = await this.admitter.admit(account, channel, { rawHeaders: request.raw.rawHeaders, body });
    if (answer.kind !== 'admitted' && answer.kind !== 'redelivered') throw this.#refusal(answer);
    if (answer.kind === 'admitted') this.#wakeUp(account);
    reply.status(answer.kind === 'admitted' ? 202 : 200).send({ kind: answer.kind, receipt_id: answer.receiptId });
  }

  /** The place is looked up first: a closed door takes no bytes in, and the cap is the account's own. */
  async #bodyOf(account: AccountName, channel: string, raw: IncomingMessage): Promise<Buffer> {
    const place = await this.admitter.place(account, channel);
    if (place.kind === 'unknown-route') throw this.#refusal(place);
    if (place.kind === 'not-serving') throw this.#refusal({ kind: 'not-serving', mode: 'no-gate' });
    if ((raw.headers['content-encoding'] ?? 'identity') !== 'identity') throw this.#refuse('content-encoding', UNREADABLE_ENCODING);
    const read = await readBody(raw, place.bodyBytesMax);
    if (read.kind !== 'body') throw this.#refuse(read.kind, tooLarge(read.kind, place.bodyBytesMax));
    return read.body;
  }

  #wakeUp(account: AccountName): void {
    this.wake.emit({ stage: 'execution', account });
    this.wake.emit({ stage: 'materialize', account });
  }

  #refusal(answer: NotAdmitted): HttpProblem {
    return this.#refuse(answer.kind === 'refused' ? answer.reason : answer.kind, answerProblem(answer));
  }

  /** Every sender that is turned away is counted, by a word from a closed set: nothing of theirs becomes a label. */
  #refuse(reason: string, problem: ProblemParts): HttpProblem {
    this.refusals.refusedDelivery(reason);
    return new HttpProblem(problem);
  }
}
