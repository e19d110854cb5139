import { ExecutionId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import { conExecution } from '@connector/schema/connector/execution';
import { LOOK_MAX, type ListSource } from './list';

const COLUMNS = [
  'execution_id',
  'account',
  'projection_id',
  'command_id',
  'epoch_id',
  'business_key',
  'definition_version',
  'state',
  'reason',
  'attempt_count',
  'due_at',
  'minted_at',
  'finished_at',
] as const;
const ORDER = `ORDER BY minted_at DESC, execution_id DESC LIMIT ${LOOK_MAX}`;
const NEWEST = readRows(conExecution, COLUMNS, `WHERE account = :account ${ORDER}`, 'newest');
const OLDER = readRows(
  conExecution,
  COLUMNS,
  `WHERE account = :account AND minted_at <= :minted_at AND (minted_at < :minted_at OR execution_id < :execution_id) ${ORDER}`,
  'older',
);
const ONE = readRows(conExecution, COLUMNS, 'WHERE execution_id = :execution_id', 'listed');

export type ListedExecution = ReturnType<typeof ONE.decode>;

export const executionList: ListSource<ListedExecution> = {
  page: (db, account, before) =>
    before === undefined
      ? db.read(NEWEST, { account })
      : db.read(OLDER, { account, minted_at: before.at, execution_id: ExecutionId.parse(before.id) }),
  placeOf: (row) => ({ id: row.execution_id, at: row.minted_at }),
  find: (db, id) => db.readOne(ONE, { execution_id: ExecutionId.parse(id) }),
  isIn: (row, state) => row.state === state,
};
