import { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { IsolationId, TerminationId } from '@connector/kernel/ids';
import { jcs } from '@connector/kernel/jcs';

const EVIDENCE_OUTCOMES = ['remote_confirmed', 'uncertain', 'no_effect'] as const;
export type EvidenceOutcome = (typeof EVIDENCE_OUTCOMES)[number];

/** The outcome that a stored word means. */
export function parseOutcome(word: string): EvidenceOutcome {
  const found = EVIDENCE_OUTCOMES.find((outcome) => outcome === word);
  invariant(found !== undefined, 'HOUSE:connector:UnknownOutcome', `no evidence outcome ${JSON.stringify(word)}`);
  return found;
}

/** What the only witness of a call says of it (reliability 3.5). */
export interface CallEvidence {
  readonly outcome: EvidenceOutcome;
  /** Whether a byte of the request may have left. */
  readonly ioStarted: boolean;
  /**
   * Of a no-effect that licenses another attempt (nothing was sent, or the frozen profile says that the refusal passes): what the provider
   * asked to wait, ms, 0 where it asked for nothing. Null: this evidence licenses none.
   */
  readonly againAfterMs: number | null;
  /** Of a complete head. */
  readonly status: number | null;
  /** As the frozen profile forms it: unique in the account, since a link will hold it. */
  readonly remoteIdentity: string | null;
  /** Words for people, at most 512 bytes; never payload. */
  readonly detail: string;
  /** At most 64 KiB of the answer. */
  readonly answer: Buffer | null;
}

/** The receipts that an abandonment stands on. */
export interface HolderEnd {
  readonly terminationId: TerminationId;
  readonly isolationId: IsolationId;
}

/** An abandonment that needs none: the permit was not sent, and its credential fence moved (con:REV-O). */
export const NO_RECEIPTS = { terminationId: null, isolationId: null } as const;
export type AbandonmentProof = HolderEnd | typeof NO_RECEIPTS;

/** Why this evidence contradicts itself; undefined where it does not. A call that never began has confirmed nothing and left no doubt. */
export function contradiction(evidence: CallEvidence): string | undefined {
  if (!evidence.ioStarted && evidence.outcome !== 'no_effect') return `${evidence.outcome} without I/O`;
  if (!evidence.ioStarted && evidence.againAfterMs === null) return 'nothing was sent, and never again';
  if (evidence.outcome !== 'no_effect' && evidence.againAfterMs !== null) return `another attempt after ${evidence.outcome}`;
  if (evidence.remoteIdentity !== null && evidence.outcome !== 'remote_confirmed') return `a remote identity of ${evidence.outcome}`;
  return undefined;
}

/** Equal evidence has an equal digest: what decides whether a settlement that comes again is the same one (con:SETL-O). */
export function evidenceDigest(evidence: CallEvidence, end: AbandonmentProof | null): Digest {
  return Digest.sha256(
    jcs({
      source: end === null ? 'settlement' : 'abandonment',
      outcome: evidence.outcome,
      io_started: evidence.ioStarted,
      again_after_ms: evidence.againAfterMs,
      status: evidence.status,
      remote_identity: evidence.remoteIdentity,
      detail: evidence.detail,
      answer: evidence.answer === null ? null : Digest.sha256(evidence.answer),
      termination: end === null ? null : end.terminationId,
      isolation: end === null ? null : end.isolationId,
    }),
  );
}
