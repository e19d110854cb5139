import { EffectId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import { conRemoteEffect } from '@connector/schema/connector/outbound';
import { LOOK_MAX, type ListSource } from './list';

const COLUMNS = [
  'effect_id',
  'outbound_command_id',
  'account',
  'epoch_id',
  'credential_generation_id',
  'state',
  'reason',
  'attempt_count',
  'due_at',
  'created_at',
  'changed_at',
] as const;
const ORDER = `ORDER BY created_at DESC, effect_id DESC LIMIT ${LOOK_MAX}`;
const NEWEST = readRows(conRemoteEffect, COLUMNS, `WHERE account = :account ${ORDER}`, 'newest');
const OLDER = readRows(
  conRemoteEffect,
  COLUMNS,
  `WHERE account = :account AND created_at <= :created_at AND (created_at < :created_at OR effect_id < :effect_id) ${ORDER}`,
  'older',
);
const ONE = readRows(conRemoteEffect, COLUMNS, 'WHERE effect_id = :effect_id', 'listed');

export type ListedEffect = ReturnType<typeof ONE.decode>;

export const effectList: ListSource<ListedEffect> = {
  page: (db, account, before) =>
    before === undefined
      ? db.read(NEWEST, { account })
      : db.read(OLDER, { account, created_at: before.at, effect_id: EffectId.parse(before.id) }),
  placeOf: (row) => ({ id: row.effect_id, at: row.created_at }),
  find: (db, id) => db.readOne(ONE, { effect_id: EffectId.parse(id) }),
  isIn: (row, state) => row.state === state,
};
