import type { CredentialFence } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { EventId, ExecutionId, GenerationId, OutboundCommandId, PermitId, ProjectionId, ReceiptId } from '@connector/kernel/ids';
import { judge } from './audit';
import type { History } from './audit/finding';
import { cleanHistory, CREDENTIAL, entryOf, moveOf } from './audit/history.fixture';
import type { Rows } from './audit/rows';

const other = Digest.sha256(Buffer.from('other', 'utf8'));

/** The history with other rows of some tables. */
function withRows(change: (rows: Rows) => Partial<Rows>): History {
  const history = cleanHistory();
  return { ...history, rows: { ...history.rows, ...change(history.rows) } };
}

/** With one member of every row of one table changed. */
function withMember<T extends keyof Rows>(table: T, change: Partial<Rows[T][number]>): History {
  return withRows((rows) => ({ [table]: rows[table].map((row) => ({ ...row, ...change })) }) as Partial<Rows>);
}

const twice = <T>(rows: readonly T[], change: Partial<T>): readonly T[] => rows.flatMap((row) => [row, { ...row, ...change }]);

/** Everything that a run could do wrong, and the words in which the auditor must say it. */
const PLANTED: readonly (readonly [string, () => History, RegExp])[] = [
  [
    'an acknowledged delivery without a receipt',
    () => withRows(() => ({ receipts: [], admissionKeys: [] })),
    /msg_1 was acknowledged .* lost/,
  ],
  [
    'a second receipt of a delivery',
    () => withRows(({ receipts }) => ({ receipts: twice(receipts, { receipt_id: ReceiptId.mint() }) })),
    /has 2 receipts/,
  ],
  ['a receipt with other bytes', () => withMember('receipts', { payload_digest: other }), /bytes that its receipt does not have/],
  [
    'a conflict that never came',
    () => withRows(({ receipts }) => ({ conflicts: receipts.map(({ receipt_id }) => ({ receipt_id, payload_digest: other })) })),
    /shows a conflict that never came/,
  ],
  ['a conflict that was answered and is not shown', refusedDelivery, /was answered and is not shown/],
  ['a receipt that nobody sent', () => ({ ...cleanHistory(), sent: [] }), /was sent by nobody/],
  ['an acknowledgement of another receipt', () => withMember('receipts', { receipt_id: ReceiptId.mint() }), /is another/],
  [
    'an admission key without its receipt',
    () => withRows(({ admissionKeys }) => ({ admissionKeys: twice(admissionKeys, { transport_key: 'msg_2' }) })),
    /admission key/,
  ],
  ['an item that became nothing', () => withRows(() => ({ components: [] })), /has 1 items and 0 rows/],
  ['a component without its event', () => withMember('components', { event_id: EventId.mint() }), /item 0 .* has no event/],
  ['an event without a projection', () => withRows(() => ({ projections: [] })), /has no projection: it is lost/],
  [
    'two executions of an event under a route',
    () => withRows(({ projections }) => ({ projections: twice(projections, { projection_id: ProjectionId.mint() }) })),
    /has 2 projections/,
  ],
  [
    'two executions of a projection',
    () => withRows(({ executions }) => ({ executions: twice(executions, { execution_id: ExecutionId.mint() }) })),
    /has 2 executions/,
  ],
  ['an attempt that is not counted', () => withMember('executions', { attempt_count: 0 }), /counts 0 attempts and has 1/],
  ['two results of a command', () => withRows(({ results }) => ({ results: twice(results, { result_digest: other }) })), /has 2 results/],
  [
    'a result that Runtime does not have',
    () => withMember('correlations', { result_digest: other }),
    /a result that Runtime does not have/,
  ],
  ['a completed execution without a result', () => withRows(() => ({ correlations: [] })), /its result says otherwise/],
  ['a result of no accepted command', () => withMember('commands', { execution_ref_digest: other }), /of no accepted command/],
  ['an outbound command of no result', () => withRows(() => ({ results: [] })), /of no committed result/],
  [
    'two commands of an intent',
    () => withRows(({ outbound }) => ({ outbound: twice(outbound, { outbound_command_id: OutboundCommandId.mint(), feed_seq: 2n }) })),
    /was authored 2 times/,
  ],
  ['a gap in a feed', () => withMember('outbound', { feed_seq: 2n }), /has a gap/],
  [
    'a consumed command without an effect',
    () => withRows(() => ({ effects: [], permits: [], evidence: [], effectAttempts: [], links: [] })),
    /has 0 effects/,
  ],
  ['two effects of a command', () => withRows(({ effects }) => ({ effects: twice(effects, {}) })), /has 2 effects/],
  ['an effect with another request', () => withMember('effects', { request_digest: other }), /is not of its command/],
  [
    'an effect that is dispatching without a permit',
    () => withMember('effects', { state: 'dispatching' }),
    /is dispatching with 0 open permits/,
  ],
  ['a confirmation without evidence of it', () => withMember('evidence', { outcome: 'uncertain' }), /its last evidence says uncertain/],
  ['a finalized effect without its link', () => withRows(() => ({ links: [] })), /has 0 links/],
  ['a state that no machine has', () => withMember('effects', { state: 'confused' }), /confused/],
  [
    'two permits of an attempt',
    () => withRows(({ permits }) => ({ permits: twice(permits, { permit_id: PermitId.mint() }) })),
    /has 2 permits/,
  ],
  ['a closed permit without evidence', () => withRows(() => ({ evidence: [] })), /is returned with 0 pieces of evidence/],
  [
    'a closed permit that still counts as open',
    () => withMember('permits', { open_account: 'tern/acme' as Rows['permits'][number]['account'] }),
    /is returned and open as tern\/acme/,
  ],
  ['a permit that was sending without a token', () => withMember('permits', { send_token: null }), /its send token says otherwise/],
  ['a permit abandoned without receipts', abandoned, /without both receipts/],
  [
    'a permit that was sent and abandoned because its credential fence moved',
    () => leftBehind(true),
    /was abandoned without both receipts of the process that held it/,
  ],
  ['a decision that was never carried to its gate', () => revoked([]), /is at fence 2 and moved 0 times/],
  [
    'a credential gate that nobody decided to move',
    () => withMember('credentialGates', { fence: 2n as CredentialFence }),
    /is at fence 2 with 0 decisions/,
  ],
  [
    'a credential gate in a mode that nobody decided',
    () => withMember('credentialGates', { mode: 'revoked' }),
    /is revoked by no decision/,
  ],
  [
    'a second execution at the provider',
    () => ({ ...cleanHistory(), provider: twice(cleanHistory().provider, { n: 2 }) }),
    /the provider did it 2 times/,
  ],
  [
    'a confirmed call that the provider never made',
    () => ({ ...cleanHistory(), provider: [] }),
    /1 confirmed, and the provider did it 0 times/,
  ],
  ['a call that is said to have had no effect', noEffect, /called without effect, and the provider did it/],
  ['a prepared effect that the provider has executed', preparedAgain, /called without effect, and the provider did it/],
  [
    'a request more than there were permits',
    () => ({ ...cleanHistory(), provider: twice(cleanHistory().provider, { n: 2, executed: false }) }),
    /2 requests reached the provider on 1 permits/,
  ],
  [
    'a provider call that no row knows of',
    () => ({ ...cleanHistory(), provider: [...cleanHistory().provider, { ...entryOf(Buffer.from('{}')), n: 2 }] }),
    /no row knows of/,
  ],
  [
    'a cut request that nobody could have sent',
    () => ({
      ...cleanHistory(),
      provider: [...cleanHistory().provider, { ...entryOf(Buffer.alloc(0)), n: 2, request: 'cut', executed: false }],
    }),
    /no row knows of/,
  ],
  [
    'a request around the egress proxy',
    () => ({ ...cleanHistory(), provider: twice(cleanHistory().provider, { n: 2, request: 'refused', executed: false }) }),
    /around the egress proxy/,
  ],
  ['an account that is held with an open permit', held, /is held with 1 open permits/],
  [
    'a move that no machine lists',
    () => withMoves(moveOf('settle-permits', { permit: 'prm_x', from: 'granted', to: 'returned' })),
    /which is no move/,
  ],
  ['a permit that was sending twice', sentTwice, /moved from granted to sending 2 times/],
  ['an unknown outcome that no list shows', () => withMember('effects', { state: 'uncertain' }), /not listed among the unknown ones/],
  ['an unfinished row of which nobody says why', () => withMember('effects', { state: 'uncertain' }), /nobody says why: it is lost/],
];

function withMoves(...more: readonly Rows['moves'][number][]): History {
  return withRows(({ moves }) => ({ moves: [...moves, ...more] }));
}

function sentTwice(): History {
  return withRows(({ moves }) => ({ moves: [...moves, ...moves.slice(1, 2)] }));
}

function noEffect(): History {
  return withRows(({ effects, evidence }) => ({
    effects: effects.map((effect) => ({ ...effect, state: 'no_effect' })),
    evidence: evidence.map((row) => ({ ...row, outcome: 'no_effect', remote_identity: null })),
    links: [],
  }));
}

function preparedAgain(): History {
  return withRows(({ effects, evidence }) => ({
    effects: effects.map((effect) => ({ ...effect, state: 'prepared' })),
    evidence: evidence.map((row) => ({ ...row, outcome: 'no_effect', remote_identity: null })),
    links: [],
  }));
}

function abandoned(): History {
  return withRows(({ permits, evidence, holders }) => ({
    permits: permits.map((permit) => ({ ...permit, state: 'abandoned' })),
    evidence: evidence.map((row) => ({ ...row, source: 'abandonment' })),
    holders: holders.map((holder) => ({ ...holder, generation_id: GenerationId.mint() })),
  }));
}

/** Other bytes came under the key of the receipt, and were refused. */
function refusedDelivery(): History {
  const history = cleanHistory();
  const answers = [{ kind: 'answered' as const, status: 409, receiptId: null }];
  return { ...history, sent: [...history.sent, ...history.sent.map((sent) => ({ ...sent, payloadDigest: other, answers }))] };
}

/** Abandoned without receipts under a credential gate that was revoked meanwhile. */
function leftBehind(sent: boolean): History {
  const { rows, ...ledgers } = revoked([moveOf('revoke-credential', { credential: CREDENTIAL, from: 'enabled', to: 'revoked' })]);
  const permits = rows.permits.map((permit) => ({
    ...permit,
    ...{ state: 'abandoned', io_may_have_started: sent, send_token: sent ? permit.send_token : null },
  }));
  const outcome = { source: 'abandonment', outcome: sent ? 'uncertain' : 'no_effect', io_started: sent, remote_identity: null };
  return { ...ledgers, rows: { ...rows, permits, evidence: rows.evidence.map((row) => ({ ...row, ...outcome })) } };
}

/** The credential was revoked, with these moves in the audit outbox. */
function revoked(more: readonly Rows['moves'][number][]): History {
  return withRows(({ credentialGates, moves }) => ({
    credentialGates: credentialGates.map((gate) => ({ ...gate, mode: 'revoked', fence: 2n as CredentialFence })),
    decisions: [{ generation_id: CREDENTIAL, fence: 2n as CredentialFence, verb: 'revoke' }],
    moves: [...moves, ...more],
  }));
}

function held(): History {
  return withRows(({ permits, gates }) => ({
    permits: permits.map((permit) => ({ ...permit, open_account: permit.account })),
    gates: gates.map((gate) => ({ ...gate, mode: 'v2_halted' })),
  }));
}

describe('audit', () => {
  it('nothing: three ledgers that agree have no finding', () => {
    const { findings, counts, uncertain, openPermits } = judge(cleanHistory());
    expect(findings).toEqual([]);
    expect(counts).toEqual({ receipts: 1, effects: 1, permits: 1, executed: 1 });
    expect([...uncertain, ...openPermits]).toEqual([]);
  });

  it.each(PLANTED)('found: %s', (_name, history, sentence) => {
    expect(judge(history()).findings.filter((finding) => sentence.test(finding))).not.toEqual([]);
  });

  it('nothing: other bytes under a used key were refused and are shown', () => {
    const { rows, ...ledgers } = refusedDelivery();
    const conflicts = rows.receipts.map(({ receipt_id }) => ({ receipt_id, payload_digest: other }));
    expect(judge({ ...ledgers, rows: { ...rows, conflicts } }).findings).toEqual([]);
  });

  it('nothing: a permit that was not sent when its credential was revoked is closed without receipts', () => {
    const aboutPermits = judge(leftBehind(false)).findings.filter((finding) => /receipts|decision|fence/.test(finding));
    expect(aboutPermits).toEqual([]);
  });

  it('listed: an uncertain effect is no finding while the product says why, and stands in the list', () => {
    const history = withRows(({ effects, evidence }) => ({
      effects: effects.map((effect) => ({ ...effect, state: 'uncertain', uncertain_account: effect.account })),
      evidence: evidence.map((row) => ({ ...row, outcome: 'uncertain', remote_identity: null })),
      links: [],
    }));
    const [effect] = history.rows.effects;
    const audit = judge({ ...history, explained: new Map([[effect?.effect_id ?? '', 'EFFECT_UNCERTAIN']]) });
    expect(audit.findings).toEqual([]);
    expect(audit.uncertain).toEqual([effect?.effect_id]);
  });

  it('either: an uncertain effect may have been executed once or not at all, and never twice', () => {
    const history = withRows(({ effects, evidence }) => ({
      effects: effects.map((effect) => ({ ...effect, state: 'uncertain', uncertain_account: effect.account })),
      evidence: evidence.map((row) => ({ ...row, outcome: 'uncertain', remote_identity: null })),
      links: [],
    }));
    const explained = new Map([[history.rows.effects[0]?.effect_id ?? '', 'EFFECT_UNCERTAIN']]);
    expect(judge({ ...history, explained, provider: [] }).findings).toEqual([]);
    expect(judge({ ...history, explained, provider: twice(history.provider, { n: 2 }) }).findings).not.toEqual([]);
  });
});
