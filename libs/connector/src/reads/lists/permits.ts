import { PermitId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import { conDispatchPermit } from '@connector/schema/connector/outbound';
import { LOOK_MAX, type ListSource } from './list';

const COLUMNS = [
  'permit_id',
  'effect_id',
  'attempt_ordinal',
  'account',
  'epoch_id',
  'credential_generation_id',
  'holder_id',
  'holder_fence',
  'state',
  'io_may_have_started',
  'granted_at',
  'sending_at',
  'closed_at',
] as const;
const ORDER = `ORDER BY granted_at DESC, permit_id DESC LIMIT ${LOOK_MAX}`;
const NEWEST = readRows(conDispatchPermit, COLUMNS, `WHERE account = :account ${ORDER}`, 'newest');
const OLDER = readRows(
  conDispatchPermit,
  COLUMNS,
  `WHERE account = :account AND granted_at <= :granted_at AND (granted_at < :granted_at OR permit_id < :permit_id) ${ORDER}`,
  'older',
);
const ONE = readRows(conDispatchPermit, COLUMNS, 'WHERE permit_id = :permit_id', 'listed');

export type ListedPermit = ReturnType<typeof ONE.decode>;

export const permitList: ListSource<ListedPermit> = {
  page: (db, account, before) =>
    before === undefined
      ? db.read(NEWEST, { account })
      : db.read(OLDER, { account, granted_at: before.at, permit_id: PermitId.parse(before.id) }),
  placeOf: (row) => ({ id: row.permit_id, at: row.granted_at }),
  find: (db, id) => db.readOne(ONE, { permit_id: PermitId.parse(id) }),
  /** `open` is every permit that may still make its call. */
  isIn: (row, state) => (state === 'open' ? row.closed_at === null : row.state === state),
};
