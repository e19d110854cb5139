import { CONFLICTS_OF_RECEIPT_MAX } from '@connector/connector/model/inbound/delivery';
import { by, doubles, fresh, pairs, text, workKey, type Commit } from './invariant';
import type { Rows } from './rows';

export function receiptsByKey({ after }: Commit): readonly string[] {
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

/** Each is of a receipt that is there and of other bytes; what is kept stays, and there is never one too many. */
export function conflictsKept({ before, after }: Commit): readonly string[] {
  const receipts = by(after.receipts, ({ receipt_id }) => receipt_id);
  const name = (row: Rows['conflicts'][number]): string => `${row.receipt_id} ${row.payload_digest}`;
  const of = (id: string): number => after.conflicts.filter(({ receipt_id }) => receipt_id === id).length;
  const apart = after.conflicts.filter(
    (row) => (receipts.get(row.receipt_id)?.payload_digest ?? row.payload_digest) === row.payload_digest,
  );
  const left = new Map(after.conflicts.map((row) => [name(row), text(row)]));
  return [
    ...apart.map((row) => `${name(row)} conflicts with nothing`),
    ...doubles(after.conflicts.map(name)).map((row) => `${row} is kept twice`),
    ...before.conflicts.filter((row) => left.get(name(row)) !== text(row)).map((row) => `${name(row)} is not what it was`),
    ...[...receipts.keys()].filter((id) => of(id) > CONFLICTS_OF_RECEIPT_MAX).map((id) => `${id} has ${of(id)} conflicts`),
  ];
}

export function resultsOnce({ before, after }: Commit): readonly string[] {
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

export function commandsOfResults({ before, after }: Commit): readonly string[] {
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

/** Per stage the keys of the rows that stand ready in it. */
function ready(rows: Rows): Readonly<Record<string, readonly string[]>> {
  return {
    execution: [
      ...rows.executions.flatMap((row) => (row.ready_account === null ? [] : [`${row.ready_account} ${row.execution_id}`])),
      ...rows.lanes.flatMap((row) => (row.ready_account === null ? [] : [`${row.ready_account} ${row.lane_id}`])),
    ],
    finalize: rows.effects.flatMap((row) => (row.finalize_account === null ? [] : [`${row.finalize_account} ${row.effect_id}`])),
    materialize: rows.materializations.flatMap((row) => (row.ready_account === null ? [] : [`${row.ready_account} ${row.receipt_id}`])),
    halt: rows.gates.flatMap((row) => (row.mode === 'halting_v2' ? [`${row.account} ${row.account}`] : [])),
  };
}

/** A row that stands ready, and an account that nobody will look at: found where one commit made the row ready or the account rest. */
export function nobodyForgets({ before, after }: Commit): readonly string[] {
  const was = ready(before);
  const open = new Set<string | null>(after.executions.map(({ open_lane }) => open_lane));
  const forgotten = after.lanes.filter((row) => row.ready_account === null && row.held_reason === null && open.has(row.lane_id));
  const resting = new Map(before.work.map((row) => [workKey(row), row.due_at === null]));
  const unseen = Object.entries(ready(after)).flatMap(([stage, keys]) =>
    keys
      .filter((key) => {
        const name = `${stage} ${key.split(' ')[0]}`;
        const rests = after.work.find((row) => workKey(row) === name)?.due_at === null;
        return rests && (!(was[stage] ?? []).includes(key) || resting.get(name) === false);
      })
      .map((key) => `${stage}: ${key} is ready and its account rests`),
  );
  return [...unseen, ...forgotten.map(({ lane_id }) => `${lane_id} has open work, is not held, and nobody looks at it`)];
}
