import { permitMachine } from '@connector/connector/model/outbound/permit';
import { type Findings, groupBy, type History, indexBy } from './finding';

type Permit = History['rows']['permits'][number];
type Evidence = History['rows']['evidence'][number];

/**
 * One permit an attempt; closed exactly when there is evidence; abandoned only on both receipts of the process that held it, or unsent under
 * a credential fence that moved.
 */
export function judgePermits({ rows }: History, findings: Findings): void {
  const evidence = groupBy(rows.evidence, ({ permit_id }) => permit_id);
  const attempts = new Set(rows.effectAttempts.map(({ effect_id, ordinal }) => `${effect_id} ${ordinal}`));
  const ends = endsOf(rows);
  for (const [attempt, held] of groupBy(rows.permits, (row) => `${row.effect_id} ${row.attempt_ordinal}`)) {
    findings.must(attempts.has(attempt), `permit ${held[0]?.permit_id ?? ''} is of no attempt`);
    findings.must(held.length === 1, `attempt ${attempt} has ${held.length} permits`);
  }
  for (const permit of rows.permits) {
    const held = evidence.get(permit.permit_id) ?? [];
    judgeShape(permit, findings);
    judgeEvidence(permit, held, findings);
    const [only] = held;
    if (only !== undefined && permit.state === 'abandoned' && !leftBehind(permit, only, rows)) judgeAbandoned(permit, only, ends, findings);
  }
  const known = indexBy(rows.permits, ({ permit_id }) => permit_id);
  for (const { permit_id } of rows.evidence)
    findings.must(known.has(permit_id), `there is evidence of permit ${permit_id}, which is not there`);
}

function judgeShape(permit: Permit, findings: Findings): void {
  const { permit_id: id, open_account: open, send_token: token, io_may_have_started: io, closed_at: closedAt } = permit;
  const state = permitMachine.parse(permit.state);
  const isOpen = state === 'granted' || state === 'sending';
  findings.must(
    isOpen === (open === permit.account) && isOpen === (closedAt === null),
    `permit ${id} is ${state} and open as ${open ?? 'none'}`,
  );
  const mayHaveSent = state === 'sending' || state === 'returned' || (state === 'abandoned' && io);
  findings.must(io === mayHaveSent && (token !== null) === mayHaveSent, `permit ${id} is ${state} and its send token says otherwise`);
}

function judgeEvidence(permit: Permit, held: readonly Evidence[], findings: Findings): void {
  const { permit_id: id, state, attempt_ordinal: attempt } = permit;
  const wanted = state === 'returned' ? 'settlement' : state === 'abandoned' ? 'abandonment' : undefined;
  findings.must(held.length === (wanted === undefined ? 0 : 1), `permit ${id} is ${state} with ${held.length} pieces of evidence`);
  for (const { source, attempt_ordinal, io_started, outcome } of held) {
    findings.must(source === wanted && attempt_ordinal === attempt, `permit ${id} is ${state} by ${source} of attempt ${attempt_ordinal}`);
    findings.must(io_started || outcome === 'no_effect', `permit ${id} never sent a byte and is ${outcome}`);
    findings.must(permit.io_may_have_started || !io_started, `permit ${id} was never sending and its evidence says that it sent`);
  }
}

interface Ends {
  readonly terminations: ReadonlyMap<string, string>;
  readonly isolations: ReadonlyMap<string, string>;
  readonly generationOf: (permit: Permit) => string;
}

function endsOf(rows: History['rows']): Ends {
  const held = new Map(rows.holders.map(({ holder_id, fence, generation_id }) => [`${holder_id} ${fence}`, generation_id]));
  return {
    terminations: new Map(rows.terminations.map(({ generation_id, termination_id }) => [generation_id, termination_id])),
    isolations: new Map(rows.isolations.map(({ generation_id, isolation_id }) => [generation_id, isolation_id])),
    generationOf: ({ holder_id, holder_fence }) => held.get(`${holder_id} ${holder_fence}`) ?? '',
  };
}

/** Nobody could send it any more: fences only rise, so the one of today proves it. */
function leftBehind(permit: Permit, { termination_id, isolation_id }: Evidence, { credentialGates }: History['rows']): boolean {
  const gate = credentialGates.find(({ generation_id }) => generation_id === permit.credential_generation_id);
  const unproved = termination_id === null && isolation_id === null;
  return unproved && !permit.io_may_have_started && gate !== undefined && gate.fence > permit.credential_fence;
}

function judgeAbandoned(permit: Permit, evidence: Evidence, ends: Ends, findings: Findings): void {
  const generation = ends.generationOf(permit);
  const ended = evidence.termination_id !== null && ends.terminations.get(generation) === evidence.termination_id;
  const isolated = evidence.isolation_id !== null && ends.isolations.get(generation) === evidence.isolation_id;
  findings.must(ended && isolated, `permit ${permit.permit_id} was abandoned without both receipts of the process that held it`);
}
