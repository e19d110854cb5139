import type { Db } from '@connector/platform/db/db';
import { effectList } from '@connector/connector/reads/lists/effects';
import { executionList } from '@connector/connector/reads/lists/executions';
import { list, type ListAsk, type ListSource } from '@connector/connector/reads/lists/list';
import { permitList } from '@connector/connector/reads/lists/permits';
import { receiptList, receiptState } from '@connector/connector/reads/lists/receipts';
import { credentialList } from '@connector/control/reads/credentials';
import { plainRow } from '@connector/connector/reads/explain/evidence';
import type { EvidenceRow } from '@connector/connector/model/explain/explanation';

export interface ListedRows {
  readonly rows: readonly EvidenceRow[];
  readonly next: string | null;
}
/** One kind of row that can be listed and looked at. */
export interface RowKind {
  readonly prefix: string;
  /** What `state` may say. */
  readonly states: readonly string[];
  list(db: Db, ask: ListAsk): Promise<ListedRows>;
  get(db: Db, id: string): Promise<EvidenceRow | undefined>;
}

function rowKind<Row extends object>(
  prefix: string,
  states: readonly string[],
  source: ListSource<Row>,
  show: (row: Row) => EvidenceRow,
): RowKind {
  return {
    prefix,
    states,
    list: async (db, ask) => {
      const { rows, next } = await list(db, source, ask);
      return { rows: rows.map(show), next };
    },
    get: async (db, id) => {
      const row = await source.find(db, id);
      return row && show(row);
    },
  };
}

/** By the name that stands in the path. */
export const ROW_KINDS: ReadonlyMap<string, RowKind> = new Map([
  ['receipts', rowKind('rcp', ['stored', 'materialized'], receiptList, (row) => ({ ...plainRow(row), state: receiptState(row) }))],
  ['executions', rowKind('exe', ['ready', 'waiting_dependency', 'completed', 'quarantined'], executionList, plainRow)],
  [
    'effects',
    rowKind(
      'eff',
      ['prepared', 'dispatching', 'remote_confirmed', 'uncertain', 'no_effect', 'finalized', 'quarantined'],
      effectList,
      plainRow,
    ),
  ],
  ['credentials', rowKind('crg', ['enabled', 'revoked', 'no_gate'], credentialList, plainRow)],
  ['permits', rowKind('prm', ['open', 'granted', 'sending', 'returned', 'abandoned'], permitList, plainRow)],
]);
