import { INVARIANTS } from './invariants';
import { AUDITS, broken, EPOCHS, gate, SERVING, type Planted } from './planted';

const HALTING = { gates: [gate('halting_v2', 2n)], epochs: EPOCHS, work: [{ stage: 'halt', account: 'a', produced: 1n, due_at: 'now' }] };
const RECEIPT = { receipt_id: 'r', account: 'a', channel: 'c', transport_key: 'k', payload_digest: 'd' };
const ADMITTED = { ...SERVING, keys: [RECEIPT], receipts: [RECEIPT] };
const conflict = (payload_digest: string) => ({ receipt_id: 'r', payload_digest, first_seen_at: 'now' });
const effect = (state: string, attempt_count = 1) => ({
  effect_id: 'f',
  account: 'a',
  state,
  attempt_count,
  ready_account: null,
  finalize_account: null,
});
const permit = (state: string, over = {}) => ({
  permit_id: 'p',
  effect_id: 'f',
  attempt_ordinal: 1,
  account: 'a',
  open_account: ['granted', 'sending'].includes(state) ? 'a' : null,
  gate_fence: 1n,
  credential_generation_id: 'g',
  credential_fence: 3n,
  holder_id: 'h',
  state,
  send_token: state === 'granted' ? null : 't',
  ...over,
});
const evidence = (source: string, outcome: string) => ({
  permit_id: 'p',
  effect_id: 'f',
  attempt_ordinal: 1,
  source,
  outcome,
  evidence_digest: 'd',
});
const CREDENTIAL = { credentials: [{ generation_id: 'g', mode: 'enabled', fence: 3n }] };
const REVOKED = { credentials: [{ generation_id: 'g', mode: 'revoked', fence: 4n }] };
const GRANTED = { ...SERVING, ...CREDENTIAL, effects: [effect('dispatching')], permits: [permit('granted')] };
const SENDING = { ...SERVING, ...CREDENTIAL, effects: [effect('dispatching')], permits: [permit('sending')] };
const SETTLED = {
  ...SERVING,
  ...CREDENTIAL,
  effects: [effect('uncertain')],
  permits: [permit('returned')],
  evidence: [evidence('settlement', 'uncertain')],
};

describe('invariants on planted histories', () => {
  it.each([
    ['an admission', SERVING, { ...SERVING, keys: [RECEIPT], receipts: [RECEIPT] }],
    ['a conflict', ADMITTED, { ...ADMITTED, conflicts: Array.from({ length: 16 }, (_, at) => conflict(`x${at}`)) }],
    ['a halt', SERVING, { ...HALTING, ...AUDITS }],
    ['a grant', { ...SERVING, ...CREDENTIAL, effects: [effect('prepared', 0)] }, { ...GRANTED, ...AUDITS }],
    ['a send', GRANTED, { ...SENDING, ...AUDITS }],
    ['a settlement', SENDING, { ...SETTLED, ...AUDITS }],
    ['a settlement after the gate left serving', { ...SENDING, ...HALTING }, { ...SETTLED, ...HALTING, ...AUDITS }],
  ])('none: %s as the doors make it', (_what, before, after) => {
    expect(broken(before, after)).toEqual([]);
  });

  it.each<[string, string, Planted, Planted]>([
    ['I2', 'a second receipt of one key', SERVING, { ...SERVING, keys: [RECEIPT], receipts: [RECEIPT, { ...RECEIPT, receipt_id: 's' }] }],
    [
      'I2',
      'a receipt of other bytes than its key',
      SERVING,
      { ...SERVING, keys: [RECEIPT], receipts: [{ ...RECEIPT, payload_digest: 'x' }] },
    ],
    ['ADM-X', 'a conflict of the same bytes', ADMITTED, { ...ADMITTED, conflicts: [conflict('d')] }],
    ['ADM-X', 'a conflict of no receipt', SERVING, { ...SERVING, conflicts: [conflict('x')] }],
    ['ADM-X', 'a conflict that is gone', { ...ADMITTED, conflicts: [conflict('x')] }, ADMITTED],
    ['ADM-X', 'a conflict that is kept twice', ADMITTED, { ...ADMITTED, conflicts: [conflict('x'), conflict('x')] }],
    ['ADM-X', 'one conflict too many', ADMITTED, { ...ADMITTED, conflicts: Array.from({ length: 17 }, (_, at) => conflict(`x${at}`)) }],
    [
      'I3',
      'a result that changed',
      { results: [{ execution_id: 'x', commit_receipt_digest: '1' }] },
      { results: [{ execution_id: 'x', commit_receipt_digest: '2' }] },
    ],
    [
      'I4',
      'a command of no result',
      SERVING,
      { ...SERVING, commands: [{ outbound_command_id: 'o', account: 'a', feed_seq: 1n, command_id: 'c' }] },
    ],
    ['I4', 'a gap in a feed', SERVING, { ...SERVING, heads: [{ account: 'a', next_seq: 2n }] }],
    ['I5', 'another token for one permit', SENDING, { ...SENDING, permits: [permit('sending', { send_token: 'u' })] }],
    ['I5', 'two open permits of one effect', GRANTED, { ...GRANTED, permits: [permit('granted'), permit('granted', { permit_id: 'q' })] }],
    ['I6', 'an abandoned permit that was settled', SENDING, { ...SETTLED, ...AUDITS, permits: [permit('abandoned')] }],
    ['I6', 'an effect against its evidence', SENDING, { ...SETTLED, ...AUDITS, effects: [effect('remote_confirmed')] }],
    ['I6', 'evidence that changed', SETTLED, { ...SETTLED, evidence: [evidence('settlement', 'no_effect')] }],
    ['I7', 'a receipt while the gate halts', HALTING, { ...HALTING, keys: [RECEIPT], receipts: [RECEIPT] }],
    [
      'I7',
      'a permit under another fence',
      { ...SERVING, ...CREDENTIAL, effects: [effect('prepared', 0)] },
      { ...GRANTED, ...AUDITS, permits: [permit('granted', { gate_fence: 9n })] },
    ],
    ['I7', 'halted with an open permit', { ...SENDING, ...HALTING }, { ...SENDING, ...AUDITS, gates: [gate('v2_halted', 3n)] }],
    ['I8', 'a send after the revocation', { ...GRANTED, ...REVOKED }, { ...SENDING, ...REVOKED, ...AUDITS }],
    [
      'I8',
      'a permit under a revoked credential',
      { ...SERVING, ...REVOKED, effects: [effect('prepared', 0)] },
      { ...GRANTED, ...REVOKED, ...AUDITS },
    ],
    [
      'I9',
      'a gate that serves under an epoch that is not active',
      SERVING,
      { ...SERVING, epochs: [{ epoch_id: 'e', epoch_digest: 'd', state: 'verified' }] },
    ],
    ['I10', 'a mode that moved under one fence', SERVING, { ...HALTING, ...AUDITS, gates: [gate('halting_v2', 1n)] }],
    ['I10', 'a fence that went back', HALTING, { ...HALTING, gates: [gate('halting_v2', 1n)] }],
    [
      'I11',
      'a move that no machine lists',
      { ...SERVING, effects: [effect('finalized', 0)] },
      { ...SERVING, ...AUDITS, effects: [effect('prepared', 0)] },
    ],
    [
      'I15',
      'an account that rests over a halting gate',
      SERVING,
      { ...HALTING, ...AUDITS, work: [{ stage: 'halt', account: 'a', produced: 1n, due_at: null }] },
    ],
    ['DEFN-M', 'a pin that keeps nothing', {}, { pins: [{ epoch_id: 'e', epoch_digest: 'd', generations: 0 }] }],
    [
      'DEFN-M',
      'a pin that changed',
      { pins: [{ epoch_id: 'e', epoch_digest: 'd', generations: 1 }] },
      { pins: [{ epoch_id: 'e', epoch_digest: 'd', generations: 2 }] },
    ],
    ['DEFN-M', 'a pin that is gone', { pins: [{ epoch_id: 'e', epoch_digest: 'd', generations: 1 }] }, {}],
    ['I16', 'a move without its audit row', SERVING, HALTING],
  ])('%s: %s', (id, _what, before, after) => {
    expect(broken(before, after)).toContain(id);
  });

  it('shown: every invariant has a history that breaks it', () => {
    const shown = [
      'I2',
      'ADM-X',
      'I3',
      'I4',
      'I5',
      'I6',
      'I7',
      'I8',
      'I9',
      'I10',
      'I11',
      'I15',
      'I16',
      'ORD-10',
      'ORD-13',
      'ORD-14',
      'DEFN-M',
      'LANE-K',
      'SEC-06',
      'SEC-03',
    ];
    // Those of the App registry and of what serves stand in specs of their own.
    const elsewhere = [
      'REG-02',
      'PUB-08',
      'SLOT-33',
      'INST-16',
      'INST-15',
      'INT-01',
      'INT-13',
      'INT-16',
      'INT-17',
      'INST-07',
      'PUBL-07',
      'BIND-02',
      'BIND-06',
      'INT-20',
      'INT-13 verified',
      'CONV-10',
      'COEX-05',
    ];
    expect(INVARIANTS.map(({ id }) => id).filter((id) => !elsewhere.includes(id))).toEqual(shown);
  });
});
