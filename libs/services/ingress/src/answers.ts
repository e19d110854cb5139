import type { ProblemParts } from '@connector/platform/host/problem';
import { BODY_BYTES_MAX } from '@connector/connector/model/inbound/delivery';
import type { Answer } from './admitter';

type Refusal = Exclude<Answer, { readonly kind: 'admitted' | 'redelivered' }>;

const AGAIN = { 'retry-after': '5' };
const LATER = ['send the same request again later, with the same transport key'];

export const WRONG_METHOD: ProblemParts = {
  status: 405,
  code: 'HOUSE:ingress:MethodNotAllowed',
  detail: 'A channel takes POST and nothing else.',
  headers: { allow: 'POST' },
};
export const UNREADABLE_ENCODING: ProblemParts = {
  status: 415,
  code: 'HOUSE:ingress:ContentEncoding',
  detail: 'The signature covers the bytes as they are sent, so a content encoding is not taken; send the body as it is.',
};

export function tooLarge(kind: 'too-large' | 'cut-off', max: number): ProblemParts {
  if (kind === 'cut-off')
    return { status: 400, code: 'HOUSE:ingress:BodyCutOff', detail: 'The body ended before it was whole; nothing was written.' };
  const cap = Math.min(max, BODY_BYTES_MAX);
  // The rest of the body was not read, so the connection cannot be used again.
  return {
    status: 413,
    code: 'HOUSE:ingress:BodyTooLarge',
    detail: `This channel takes at most ${cap} bytes; nothing was written.`,
    headers: { connection: 'close' },
  };
}

/** What the sender is told of each outcome that is not a Receipt. Nothing of the delivery is stored in any of them; of a conflict its digest and size. */
export function answerProblem(answer: Refusal): ProblemParts {
  switch (answer.kind) {
    case 'unknown-route':
      return { status: 404, code: 'HOUSE:ingress:UnknownRoute', detail: 'No channel of this service has this path.' };
    case 'refused':
      return { status: 401, code: `HOUSE:ingress:${pascal(answer.reason)}`, detail: answer.help };
    case 'transport-key-missing':
      return { status: 400, code: 'HOUSE:ingress:TransportKeyMissing', detail: answer.help };
    case 'not-canonical':
      return { status: 400, code: 'HOUSE:ingress:TransportKeyNotCanonical', detail: answer.help };
    case 'conflicting-redelivery':
      return {
        status: 409,
        code: 'HOUSE:ingress:ConflictingRedelivery',
        detail: `This transport key was used before for other bytes: held ${answer.held} as ${answer.receiptId}, given ${answer.given}.`,
        nextSteps: ['send other content under another transport key'],
      };
    case 'not-serving':
    case 'epoch-not-active':
    case 'fence-moved':
    case 'channel-keys-moved':
    case 'channel-gate-missing':
      return {
        status: 503,
        code: 'HOUSE:ingress:NotServing',
        detail: 'This account does not admit deliveries now; nothing was written.',
        headers: AGAIN,
        nextSteps: LATER,
      };
  }
}

function pascal(words: string): string {
  return words.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
