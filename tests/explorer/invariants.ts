import type { Machine } from '@connector/kernel/machine';
import { executionMachine } from '@connector/connector/model/execution/execution';
import { effectMachine } from '@connector/connector/model/outbound/effect';
import { permitMachine } from '@connector/connector/model/outbound/permit';
import { credentialGateMachine } from '@connector/connector/model/serving/credential-gate';
import { epochMachine } from '@connector/connector/model/serving/epoch';
import { gateMachine } from '@connector/connector/model/serving/gate';
import type { Rows } from './rows';

/** What one commit did: the rows before and after it. */
export interface Commit {
  readonly before: Rows;
  readonly after: Rows;
}

export interface Invariant {
  /** As the list of invariants names it. */
  readonly id: string;
  readonly says: string;
  /** What contradicts it, in words; empty where it holds. */
  readonly broken: (commit: Commit) => readonly string[];
}

const OPEN: readonly string[] = ['granted', 'sending'];
const by = <T>(rows: readonly T[], key: (row: T) => string): Map<string, T> => new Map(rows.map((row) => [key(row), row]));
const fresh = <T>(before: readonly T[], after: readonly T[], key: (row: T) => string): readonly T[] => {
  const known = by(before, key);
  return after.filter((row) => !known.has(key(row)));
};
/** Rows of one key, before and after. */
const pairs = <T>(before: readonly T[], after: readonly T[], key: (row: T) => string): readonly (readonly [T, T])[] => {
  const known = by(before, key);
  return after.flatMap((row) => {
    const old = known.get(key(row));
    return old === undefined ? [] : [[old, row] as const];
  });
};
const doubles = (keys: readonly string[]): readonly string[] => [...new Set(keys.filter((key, at) => keys.indexOf(key) !== at))];
const text = (value: unknown): string => JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
type Permit = Rows['permits'][number];
const permitKey = ({ permit_id }: Permit): string => permit_id;
const workKey = ({ stage, account }: { stage: string; account: string }): string => `${stage} ${account}`;

function receiptsByKey({ after }: Commit): readonly string[] {
  const name = (row: { account: string; channel: string; transport_key: string }): string =>
    `${row.account} ${row.channel} ${row.transport_key}`;
  const keys = by(after.keys, name);
  const apart = after.receipts.filter((row) => {
    const key = keys.get(name(row));
    return key?.receipt_id !== row.receipt_id || key.payload_digest !== row.payload_digest;
  });
  return [
    ...doubles(after.receipts.map(name)).map((key) => `${key} has two receipts`),
    ...apart.map((row) => `${row.receipt_id} is not what its key was admitted as`),
    ...(after.keys.length > after.receipts.length ? ['a key has no receipt'] : []),
  ];
}

function resultsOnce({ before, after }: Commit): readonly string[] {
  const closed = new Set<string>(after.results.map(({ execution_id }) => execution_id));
  const changed = pairs(before.outcomes, after.outcomes, ({ command_id }) => command_id).filter(([old, now]) => text(old) !== text(now));
  return [
    ...after.executions
      .filter(({ execution_id, state }) => (state === 'completed') !== closed.has(execution_id))
      .map(({ execution_id, state }) => `${execution_id} is ${state}, and its correlation says otherwise`),
    ...pairs(before.results, after.results, ({ execution_id }) => execution_id)
      .filter(([old, now]) => text(old) !== text(now))
      .map(([old]) => `the result of ${old.execution_id} changed`),
    ...changed.map(([old]) => `the result of ${old.command_id} changed`),
    ...after.executions
      .filter((row) => row.attempt_count !== after.attempts.filter(({ execution_id }) => execution_id === row.execution_id).length)
      .map(({ execution_id }) => `${execution_id} counts attempts that are not there`),
  ];
}

function commandsOfResults({ before, after }: Commit): readonly string[] {
  const committed = new Set<string>(after.outcomes.map(({ command_id }) => command_id));
  const authored = fresh(before.commands, after.commands, ({ outbound_command_id }) => outbound_command_id);
  const gaps = after.heads.flatMap(({ account, next_seq }) => {
    const places = after.commands.filter((row) => row.account === account).map(({ feed_seq }) => feed_seq);
    return BigInt(places.length) + 1n === next_seq && new Set(places).size === places.length ? [] : [`the feed of ${account} has a gap`];
  });
  return [
    ...authored.filter(({ command_id }) => !committed.has(command_id)).map((row) => `${row.outbound_command_id} belongs to no result`),
    ...gaps,
    ...doubles(after.effects.map(({ effect_id }) => effect_id)).map((effect) => `${effect} is there twice`),
  ];
}

function oneCall({ before, after }: Commit): readonly string[] {
  const open = after.permits.filter(({ state }) => OPEN.includes(state));
  const taken = pairs(before.permits, after.permits, permitKey).filter(
    ([old, now]) => old.send_token !== null && now.send_token !== old.send_token,
  );
  const attempts = (effect: string): number => after.permits.filter(({ effect_id }) => effect_id === effect).length;
  return [
    ...doubles(open.map(({ effect_id }) => effect_id)).map((effect) => `${effect} has two open permits`),
    ...doubles(after.permits.map((row) => `${row.effect_id} ${row.attempt_ordinal}`)).map((key) => `attempt ${key} has two permits`),
    ...taken.map(([old]) => `${old.permit_id} was sending for one token and is for another`),
    ...open
      .filter((row) => (row.state === 'sending') !== (row.send_token !== null))
      .map((row) => `${row.permit_id} has a token and is not sending, or the reverse`),
    ...after.effects
      .filter((row) => row.attempt_count !== attempts(row.effect_id))
      .map((row) => `${row.effect_id} counts permits that are not there`),
  ];
}

const SOURCE: Readonly<Record<string, string>> = { returned: 'settlement', abandoned: 'abandonment' };
const AFTER: Readonly<Record<string, readonly string[]>> = {
  remote_confirmed: ['remote_confirmed', 'finalized'],
  uncertain: ['uncertain'],
  no_effect: ['no_effect', 'prepared', 'dispatching'],
};

function honest({ before, after }: Commit): readonly string[] {
  const known = by(after.evidence, ({ permit_id }) => permit_id);
  const open = new Set<string>(after.permits.filter(({ state }) => OPEN.includes(state)).map(({ effect_id }) => effect_id));
  const last = (effect: string): Rows['evidence'][number] | undefined =>
    after.evidence.filter(({ effect_id }) => effect_id === effect).sort((a, b) => b.attempt_ordinal - a.attempt_ordinal)[0];
  const contradicted = after.effects.filter((row) => {
    const evidence = last(row.effect_id);
    return evidence !== undefined && evidence.attempt_ordinal === row.attempt_count && !(AFTER[evidence.outcome] ?? []).includes(row.state);
  });
  return [
    ...after.permits
      .filter((row) => known.get(row.permit_id)?.source !== SOURCE[row.state])
      .map((row) => `${row.permit_id} is ${row.state}, and its evidence is of ${known.get(row.permit_id)?.source ?? 'nobody'}`),
    ...pairs(before.evidence, after.evidence, ({ permit_id }) => permit_id)
      .filter(([old, now]) => text(old) !== text(now))
      .map(([old]) => `the evidence of ${old.permit_id} changed`),
    ...after.effects
      .filter((row) => (row.state === 'dispatching') !== open.has(row.effect_id))
      .map((row) => `${row.effect_id} is ${row.state}, and its permit says otherwise`),
    ...contradicted.map((row) => `${row.effect_id} is ${row.state} against the evidence of its last attempt`),
    ...doubles(
      after.links
        .filter(({ state }) => state === 'active')
        .flatMap((row) => [`${row.account} slot ${row.owner_slot}`, `${row.account} remote ${row.remote_identity}`]),
    ).map((side) => `${side} is linked twice`),
  ];
}

/** What only a serving gate lets begin; a result that is recorded of work that began before is none of it. */
const BEGINS = {
  receipts: ({ receipt_id }: Rows['receipts'][number]) => receipt_id as string,
  attempts: ({ execution_id, ordinal }: Rows['attempts'][number]) => `attempt ${ordinal} of ${execution_id}`,
  executions: ({ execution_id }: Rows['executions'][number]) => execution_id as string,
  commands: ({ outbound_command_id }: Rows['commands'][number]) => outbound_command_id as string,
  effects: ({ effect_id }: Rows['effects'][number]) => effect_id as string,
  permits: permitKey,
  outcomes: ({ command_id }: Rows['outcomes'][number]) => command_id as string,
};

function begunUnder(rows: Rows, earlier: Rows): readonly string[] {
  return [
    ...fresh(earlier.receipts, rows.receipts, BEGINS.receipts).map(BEGINS.receipts),
    ...fresh(earlier.attempts, rows.attempts, BEGINS.attempts).map(BEGINS.attempts),
    ...fresh(earlier.executions, rows.executions, BEGINS.executions).map(BEGINS.executions),
    ...fresh(earlier.commands, rows.commands, BEGINS.commands).map(BEGINS.commands),
    ...fresh(earlier.effects, rows.effects, BEGINS.effects).map(BEGINS.effects),
    ...fresh(earlier.permits, rows.permits, BEGINS.permits).map(BEGINS.permits),
    ...fresh(earlier.outcomes, rows.outcomes, BEGINS.outcomes).map(BEGINS.outcomes),
  ];
}

function nothingBegins({ before, after }: Commit): readonly string[] {
  const fences = by(before.gates, ({ account }) => account);
  const serving = before.gates.length > 0 && before.gates.every(({ mode }) => mode === 'v2_serving');
  const granted = fresh(before.permits, after.permits, permitKey);
  const halted = new Set<string>(after.gates.filter(({ mode }) => mode === 'v2_halted').map(({ account }) => account));
  return [
    ...(serving ? [] : begunUnder(after, before).map((what) => `${what} began while the gate did not serve`)),
    ...granted
      .filter((row) => fences.get(row.account)?.fence !== row.gate_fence)
      .map((row) => `${row.permit_id} names a fence that its gate does not have`),
    ...after.permits
      .filter((row) => halted.has(row.account) && row.open_account !== null)
      .map((row) => `${row.permit_id} is open in a halted account`),
    ...after.permits
      .filter((row) => OPEN.includes(row.state) !== (row.open_account !== null))
      .map((row) => `${row.permit_id} is ${row.state} and counted otherwise`),
  ];
}

function underCredential({ before, after }: Commit): readonly string[] {
  const gates = by(before.credentials, ({ generation_id }) => generation_id);
  const old = by(before.permits, permitKey);
  const moved = after.permits.filter((row) => ['granted', 'sending'].includes(row.state) && old.get(row.permit_id)?.state !== row.state);
  return moved
    .filter(({ credential_generation_id, credential_fence }) => {
      const gate = gates.get(credential_generation_id);
      return gate !== undefined && (gate.mode !== 'enabled' || gate.fence !== credential_fence);
    })
    .map((row) => `${row.permit_id} became ${row.state} under a credential gate that is not enabled at its fence`);
}

function oneEpoch({ before, after }: Commit): readonly string[] {
  const epochs = by(after.epochs, ({ epoch_id }) => epoch_id);
  const serving = after.gates.filter(({ mode }) => mode === 'v2_serving');
  return [
    ...serving
      .filter((gate) => epochs.get(gate.epoch_id)?.state !== 'active')
      .map((gate) => `${gate.account} serves under an epoch that is not active`),
    ...(new Set(serving.map(({ epoch_id }) => epoch_id)).size > 1 ? ['gates serve under different epochs'] : []),
    ...(after.certificates.length > 1 ? ['the service began twice'] : []),
    ...pairs(before.certificates, after.certificates, () => 'one')
      .filter(([old, now]) => text(old) !== text(now))
      .map(() => 'the certificate changed'),
  ];
}

/** Counters that may only rise, by the row that has them. */
function counters(rows: Rows): ReadonlyMap<string, bigint> {
  return new Map<string, bigint>([
    ...rows.gates.map(({ account, fence }) => [`gate ${account}`, fence] as const),
    ...rows.channels.map(({ account, channel, fence }) => [`channel ${account} ${channel}`, fence] as const),
    ...rows.credentials.map(({ generation_id, fence }) => [`credential ${generation_id}`, fence] as const),
    ...rows.holders.map(({ holder_id, fence }) => [`holder ${holder_id}`, fence] as const),
    ...rows.feeds.map(({ account, next_seq }) => [`feed ${account}`, next_seq] as const),
    ...rows.heads.map(({ account, next_seq }) => [`head ${account}`, next_seq] as const),
    ...rows.work.map((row) => [`work ${workKey(row)}`, row.produced] as const),
    ...rows.materializations.map(({ receipt_id, next_ordinal }) => [`chunks ${receipt_id}`, BigInt(next_ordinal)] as const),
    ...rows.executions.map(({ execution_id, attempt_count }) => [`attempts ${execution_id}`, BigInt(attempt_count)] as const),
    ...rows.effects.map(({ effect_id, attempt_count }) => [`attempts ${effect_id}`, BigInt(attempt_count)] as const),
  ]);
}

function fencesRise({ before, after }: Commit): readonly string[] {
  const now = counters(after);
  const back = [...counters(before)].filter(([name, value]) => (now.get(name) ?? -1n) < value).map(([name]) => `${name} went back`);
  const still = <T extends { mode: string; fence: bigint }>(
    old: readonly T[],
    rows: readonly T[],
    key: (row: T) => string,
  ): readonly string[] =>
    pairs(old, rows, key)
      .filter(([was, is]) => was.mode !== is.mode && is.fence <= was.fence)
      .map(([was, is]) => `${key(was)} moved from ${was.mode} to ${is.mode} under one fence`);
  const taken = pairs(before.holders, after.holders, ({ holder_id }) => holder_id).filter(
    ([was, is]) => was.generation_id !== is.generation_id && is.fence <= was.fence,
  );
  return [
    ...back,
    ...still(before.gates, after.gates, ({ account }) => account),
    ...still(before.credentials, after.credentials, ({ generation_id }) => generation_id),
    ...taken.map(([{ holder_id }]) => `${holder_id} was taken over under one fence`),
  ];
}

function moves<T>(
  machine: Machine<string, string>,
  before: readonly T[],
  after: readonly T[],
  key: (row: T) => string,
  state: (row: T) => string,
): readonly string[] {
  const born = fresh(before, after, key).map((row) => `${key(row)} ${state(row)}`);
  return [
    ...pairs(before, after, key)
      .filter(([old, now]) => state(old) !== state(now) && !machine.allows(state(old), state(now)))
      .map(([old, now]) => `${key(old)} went from ${state(old)} to ${state(now)}`),
    ...born.filter((row) => machine.terminal.some((end) => row.endsWith(` ${end}`))).map((row) => `${row} was born finished`),
  ];
}

const machineOf = (machine: unknown): Machine<string, string> => machine as Machine<string, string>;

function listedMoves({ before, after }: Commit): readonly string[] {
  return [
    ...moves(
      machineOf(gateMachine),
      before.gates,
      after.gates,
      ({ account }) => account,
      ({ mode }) => mode,
    ),
    ...moves(
      machineOf(credentialGateMachine),
      before.credentials,
      after.credentials,
      ({ generation_id }) => generation_id,
      ({ mode }) => mode,
    ),
    ...moves(
      machineOf(epochMachine),
      before.epochs,
      after.epochs,
      ({ epoch_id }) => epoch_id,
      ({ state }) => state,
    ),
    ...moves(
      machineOf(executionMachine),
      before.executions,
      after.executions,
      ({ execution_id }) => execution_id,
      ({ state }) => state,
    ),
    ...moves(
      machineOf(effectMachine),
      before.effects,
      after.effects,
      ({ effect_id }) => effect_id,
      ({ state }) => state,
    ),
    ...moves(machineOf(permitMachine), before.permits, after.permits, permitKey, ({ state }) => state),
  ];
}

/** Per stage the keys of the rows that stand ready in it. */
function ready(rows: Rows): Readonly<Record<string, readonly string[]>> {
  return {
    execution: rows.executions.flatMap((row) => (row.ready_account === null ? [] : [`${row.ready_account} ${row.execution_id}`])),
    finalize: rows.effects.flatMap((row) => (row.finalize_account === null ? [] : [`${row.finalize_account} ${row.effect_id}`])),
    materialize: rows.materializations.flatMap((row) => (row.ready_account === null ? [] : [`${row.ready_account} ${row.receipt_id}`])),
    halt: rows.gates.flatMap((row) => (row.mode === 'halting_v2' ? [`${row.account} ${row.account}`] : [])),
  };
}

/** A row that stands ready, and an account that nobody will look at: found where one commit made the row ready or the account rest. */
function nobodyForgets({ before, after }: Commit): readonly string[] {
  const was = ready(before);
  const resting = new Map(before.work.map((row) => [workKey(row), row.due_at === null]));
  return Object.entries(ready(after)).flatMap(([stage, keys]) =>
    keys
      .filter((key) => {
        const name = `${stage} ${key.split(' ')[0]}`;
        const rests = after.work.find((row) => workKey(row) === name)?.due_at === null;
        return rests && (!(was[stage] ?? []).includes(key) || resting.get(name) === false);
      })
      .map((key) => `${stage}: ${key} is ready and its account rests`),
  );
}

function audited({ before, after }: Commit): readonly string[] {
  const moved = <T>(old: readonly T[], now: readonly T[], key: (row: T) => string, state: (row: T) => string): number =>
    pairs(old, now, key).filter(([was, is]) => state(was) !== state(is)).length;
  const count =
    moved(
      before.gates,
      after.gates,
      ({ account }) => account,
      ({ mode }) => mode,
    ) +
    moved(before.permits, after.permits, permitKey, ({ state }) => state) +
    moved(
      before.effects,
      after.effects,
      ({ effect_id }) => effect_id,
      ({ state }) => state,
    ) +
    moved(
      before.executions,
      after.executions,
      ({ execution_id }) => execution_id,
      ({ state }) => state,
    );
  const told = [
    ...fresh(before.audits, after.audits, ({ audit_id }) => audit_id),
    ...fresh(before.spanning, after.spanning, ({ audit_id }) => audit_id),
  ];
  return count > 0 && told.length === 0 ? [`${count} moves and no audit row`] : [];
}

/** The invariants of this system as far as their rows exist; those that need a provider, a journal or a restore are proven elsewhere. */
export const INVARIANTS: readonly Invariant[] = [
  { id: 'I2', says: 'one receipt per admission key, and the key names it', broken: receiptsByKey },
  { id: 'I3', says: 'one result per command, never another, and an execution is completed by exactly that', broken: resultsOnce },
  {
    id: 'I4',
    says: 'every outbound command belongs to a committed result, stands once in a feed without gaps, and has one effect',
    broken: commandsOfResults,
  },
  { id: 'I5', says: 'one permit per attempt, one open permit per effect, one send token per permit', broken: oneCall },
  {
    id: 'I6',
    says: 'permit, effect and evidence say the same; what is settled once stays, and an abandoned permit is never settled',
    broken: honest,
  },
  {
    id: 'I7',
    says: 'nothing begins after the gate left serving; a permit names its fence; halted means no open permit',
    broken: nothingBegins,
  },
  {
    id: 'I8',
    says: 'nothing is granted and nothing becomes sending but under the enabled credential gate at its fence',
    broken: underCredential,
  },
  { id: 'I9', says: 'gates serve under one active epoch; the service begins once', broken: oneEpoch },
  { id: 'I10', says: 'fences and counters never go back, and every move of a mode has a fence of its own', broken: fencesRise },
  { id: 'I11', says: 'only listed moves', broken: listedMoves },
  { id: 'I15', says: 'a row that stands ready is looked for', broken: nobodyForgets },
  { id: 'I16', says: 'every move has its audit row in the same commit', broken: audited },
];
