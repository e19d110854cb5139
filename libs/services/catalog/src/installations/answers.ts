import { outcomeBody, sendOutcome } from '@connector/platform/host/outcome';
import { documentProblem } from '../document-problem';
import type { Abandoned } from './abandon';
import type { Removal } from './remove';
import type { Resumed } from './resume';

export interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}

/** Of an opened attempt the status is that of its end. */
const ENDS = {
  published: 201,
  removed: 201,
  waiting: 202,
  'gates-open': 202,
  failed: 409,
  refused: 409,
  abandoned: 409,
  'not-open': 409,
} satisfies Record<Removal['kind'], number>;
const NOT_STANDING = {
  'barrier-held': 409,
  'no-installation': 404,
  'state-moved': 409,
  'transition-not-allowed': 409,
  'activation-epoch-moved': 409,
};
const NOT_OPENED = {
  ...NOT_STANDING,
  'publication-open': 409,
  'live-installation-exists': 409,
  'revision-moved': 409,
  'expected-moved': 409,
  'release-absent': 404,
  'other-app': 409,
  'same-release': 409,
  'not-a-prior-release': 409,
  'dependents-live': 409,
  unproven: 409,
  'conversion-stands': 409,
};
const ABANDONED = { ...NOT_STANDING, 'attempt-moved': 409, abandoned: 200, 'taking-back': 202 };

/** What somebody would do, or what is in its way. */
export const PLANNED = {
  prepared: 200,
  'no-installation': 404,
  'release-absent': 404,
  'live-installation-exists': 409,
  'publication-open': 409,
  'same-release': 409,
  'not-a-prior-release': 409,
  'dependents-live': 409,
  'transition-not-allowed': 409,
  'already-given-up': 409,
};

/** What became of an attempt that somebody asked for; a preparation that was refused is a problem with every fault (decisions 12.11). */
export function sendInstalled(reply: Reply, answer: Resumed): void {
  if (answer.kind === 'opened') {
    reply.status(ENDS[answer.end.kind]).send(outcomeBody(answer));
    return;
  }
  if (answer.kind !== 'refused') return sendOutcome(reply, NOT_OPENED, answer);
  const { installation, attempt, refusal } = answer;
  throw documentProblem('HOUSE:catalog:PreparationRefused', `preparation ${attempt} of ${installation}`, '', refusal);
}

export function sendAbandoned(reply: Reply, answer: Abandoned): void {
  sendOutcome(reply, ABANDONED, answer);
}
