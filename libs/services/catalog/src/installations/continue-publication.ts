import type { AdvanceRefused } from '@connector/catalog/contract/runtime-security';
import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import { type NextStep, nextStep, type PublicationFailure } from '@connector/catalog/model/installation/publication';
import { readLive } from '@connector/catalog/reads/organization';
import { readEnd, readFrozen, readStepsDone } from '@connector/catalog/reads/publication';
import { recordAcknowledged } from '@connector/catalog/transitions/installation/record-acknowledged.tx';
import { recordCompiled } from '@connector/catalog/transitions/installation/record-compiled.tx';
import { supersedeAbandonment } from '@connector/catalog/transitions/installation/supersede-abandonment.tx';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { isBoundTo } from '@connector/security/contract/projection';
import { BEHIND_BARRIER, type Continued, fail, frozenOf } from './attempt-end';
import { projectionsOf } from './projections';
import type { PublicationParts } from './publication-parts';
import { finishNow } from './finish-attempt';

export type { Continued } from './attempt-end';

/** Three steps and an end of the attempt, the same of one that takes it back, and what another controller may do between two looks. */
const TURNS_MAX = 16;

/**
 * The activation controller: takes an attempt from whatever its journal says to its end (cat:PUBL-09, cat:INST-14), whatever it is for. It decides
 * nothing that a door does not judge again, so that two of them at once, or a second one after a crash, only find what is done. Of an attempt that
 * failed it goes on with the abandonment that takes it back; the answer is still how the attempt itself ended.
 */
export async function continuePublication(parts: PublicationParts, first: OpenAttempt): Promise<Continued> {
  // Nothing is compiled and nothing published for an App of which two live (cat:INST-11).
  await readLive(parts.db, first.organization);
  let attempt = first;
  let ended: Continued | undefined;
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const next = nextStep(await readStepsDone(parts.db, attempt));
    const stopped = next === undefined ? undefined : await RUN[next](parts, attempt);
    if (stopped !== undefined) return ended ?? stopped;
    if (next !== undefined) continue;
    const end = (await readEnd(parts.db, attempt)) ?? { kind: 'not-open' };
    const takesBack = end.kind === 'failed' ? await abandonmentAfter(parts, attempt) : undefined;
    if (takesBack === undefined) return ended ?? end;
    if ((await frozenOf(parts, attempt)).kind !== 'abandonment') ended ??= end;
    attempt = takesBack;
  }
  return ended ?? { kind: 'waiting', for: 'security' };
}

type Run = (parts: PublicationParts, attempt: OpenAttempt) => Promise<Continued | undefined>;

const RUN: Readonly<Record<NextStep, Run>> = { compile, send, publish: finishNow };

/** What takes an ended attempt back is the next one of its installation, open or long ended: only such an end opens an abandonment. */
async function abandonmentAfter({ db }: PublicationParts, { attempt, ...of }: OpenAttempt): Promise<OpenAttempt | undefined> {
  const next = { ...of, attempt: attempt + 1n };
  return (await readFrozen(db, next))?.kind === 'abandonment' ? next : undefined;
}

/** Step 2: from committed rows alone, by nothing that step 1 still remembers. */
async function compile(parts: PublicationParts, attempt: OpenAttempt): Promise<Continued | undefined> {
  const frozen = await frozenOf(parts, attempt);
  const made = await projectionsOf(parts, frozen);
  const agrees = made?.tuple.digest === frozen.tupleDigest && made.projectionDigest === frozen.projectionDigest;
  if (made === undefined || !agrees) return fail(parts, attempt, 'PROJECTION_DIFFERS', 'what was compiled is not what was expected');
  const recorded = await retrying(ANSWER_SOON, () => recordCompiled(parts.db, { ...attempt, ...made }));
  if (recorded.kind === 'other-projections') return fail(parts, attempt, 'PROJECTION_DIFFERS', 'another compiler made another projection');
  return undefined;
}

const REFUSALS: Readonly<Record<AdvanceRefused['code'], PublicationFailure>> = {
  'stale-epoch': 'SECURITY_EPOCH_STALE',
  'payload-conflict': 'SECURITY_PAYLOAD_CONFLICT',
  'projection-differs': 'SECURITY_PROJECTION_DIFFERS',
  'epochs-exhausted': 'SECURITY_EPOCHS_EXHAUSTED',
};

/** Step 3: exactly what was committed goes out (cat:PUBL-04); what comes back is kept only where it binds this very command. */
async function send(parts: PublicationParts, attempt: OpenAttempt): Promise<Continued | undefined> {
  const { kind, commandId, expectedPriorEpoch, appGrants, projectionDigest } = await frozenOf(parts, attempt);
  const command = {
    commandId,
    organization: attempt.organization,
    expectedPriorEpoch,
    appGrants,
    expectedProjectionDigest: projectionDigest,
  };
  const answer = await parts.security.advance(command);
  if (answer.kind === 'refused') {
    return kind === 'abandonment' ? supersede(parts, attempt, answer) : fail(parts, attempt, REFUSALS[answer.code], saidBy(answer));
  }
  if (answer.kind === 'unavailable' || !isBoundTo(command, answer)) return { kind: 'waiting', for: 'security' };
  const recorded = await retrying(ANSWER_SOON, () => recordAcknowledged(parts.db, { ...attempt, bound: answer }));
  // One command has one binding for ever (cat:SEC-07): two that both name it cannot both be Runtime's.
  if (recorded.kind === 'other-binding') return fail(parts, attempt, 'ACKNOWLEDGEMENT_DIFFERS', 'one command was bound twice');
  return undefined;
}

/** What was given up stays given up: the next command follows what Runtime holds now. */
async function supersede(parts: PublicationParts, attempt: OpenAttempt, answer: AdvanceRefused): Promise<Continued | undefined> {
  const head = await parts.security.readHead(attempt.organization);
  if (head.kind === 'unavailable') return { kind: 'waiting', for: 'security' };
  const row = `${attempt.installation} attempt ${attempt.attempt}`;
  parts.log.warn('abandonment-superseded', { row, code: answer.code, detail: saidBy(answer) });
  const superseded = await retrying(ANSWER_SOON, () => supersedeAbandonment(parts.db, attempt, head));
  return superseded.kind === 'barrier-held' ? BEHIND_BARRIER : undefined;
}

function saidBy(answer: AdvanceRefused): string {
  return answer.code === 'stale-epoch' ? `Runtime security is at epoch ${answer.currentEpoch}` : answer.code;
}
