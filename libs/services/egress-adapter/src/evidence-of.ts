import type { CallEvidence } from '@connector/connector/model/outbound/evidence';
import type { Callout } from '@connector/packs/engine/callout';
import type { Seen } from './call-once';

/** What the evidence row holds of an answer. */
const ANSWER_BYTES_MAX = 65_536;

/**
 * What one call proves under its frozen profile (reliability 3.5). Whatever is not proved is uncertain. `secret` is what the call was
 * authorized with: an answer that repeats it is not kept (con:INV-18).
 */
export function evidenceOf(callout: Pick<Callout, 'classify'>, seen: Seen, secret: Buffer): CallEvidence {
  const nothing = { status: null, remoteIdentity: null, answer: null, againAfterMs: null };
  if (seen.kind === 'not-begun') {
    const detail = `nothing was sent: ${seen.at} ${seen.why}`;
    return { ...nothing, outcome: 'no_effect', ioStarted: false, againAfterMs: 0, detail };
  }
  if (seen.kind === 'no-head') return { ...nothing, outcome: 'uncertain', ioStarted: true, detail: `no whole head came back: ${seen.why}` };
  return withoutSecret(classified(callout, seen), secret);
}

function classified(callout: Pick<Callout, 'classify'>, seen: Extract<Seen, { kind: 'head' }>): CallEvidence {
  const { status, headers, body, broken } = seen;
  const answered = { ioStarted: true, status, againAfterMs: null, remoteIdentity: null, answer: body.subarray(0, ANSWER_BYTES_MAX) };
  const answer = callout.classify({ status, headers, body, complete: broken === undefined });
  const how = broken === undefined ? `status ${status}` : `status ${status}, body broken: ${broken}`;
  switch (answer.class) {
    case 'confirmed':
      return { ...answered, outcome: 'remote_confirmed', remoteIdentity: answer.remoteIdentity, detail: `${how}: confirmed` };
    case 'refused_final':
      return { ...answered, outcome: 'no_effect', detail: `${how}: refused for good` };
    case 'refused_for_now':
      return { ...answered, outcome: 'no_effect', againAfterMs: answer.retryAfterMs, detail: `${how}: ${forNow(answer.retryAfterMs)}` };
    case 'uncertain':
      return { ...answered, outcome: 'uncertain', detail: `${how}: ${answer.why}` };
  }
}

function forNow(retryAfterMs: number): string {
  return retryAfterMs === 0 ? 'refused for now' : `refused for now, Retry-After ${retryAfterMs / 1_000} s`;
}

function withoutSecret(evidence: CallEvidence, secret: Buffer): CallEvidence {
  const { answer, remoteIdentity, detail } = evidence;
  const repeats = (bytes: Buffer | null): boolean => bytes !== null && bytes.includes(secret);
  const named = remoteIdentity !== null && repeats(Buffer.from(remoteIdentity));
  if (!named && !repeats(answer)) return evidence;
  return { ...evidence, answer: null, remoteIdentity: named ? null : remoteIdentity, detail: `${detail}; it repeats the credential` };
}
