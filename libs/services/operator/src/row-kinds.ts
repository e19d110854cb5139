import { executionMachine } from '@connector/connector/model/execution/execution';
import { effectMachine } from '@connector/connector/model/outbound/effect';
import { permitMachine } from '@connector/connector/model/outbound/permit';
import { credentialGateMachine } from '@connector/connector/model/serving/credential-gate';
import { LaneId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { effectList } from '@connector/connector/reads/lists/effects';
import { executionList } from '@connector/connector/reads/lists/executions';
import { list, type ListAsk, type ListSource } from '@connector/connector/reads/lists/list';
import { permitList } from '@connector/connector/reads/lists/permits';
import { receiptList, receiptState } from '@connector/connector/reads/lists/receipts';
import { readLane } from '@connector/connector/reads/ordering/lane';
import { LANE_STATES, laneView } from '@connector/connector/reads/ordering/lane-row';
import { laneList } from '@connector/connector/reads/ordering/lanes';
import { credentialList } from '@connector/control/reads/credentials';
import { plainRow } from '@connector/connector/reads/explain/evidence';
import type { EvidenceRow } from '@connector/connector/model/explain/explanation';
import type { Shape } from '@connector/kernel/document-shape';
import { argument } from '@connector/kernel/faults';
import { CREDENTIAL_ROW, EFFECT_ROW, EXECUTION_ROW, LANE_DETAIL, LANE_ROW, PERMIT_ROW, RECEIPT_ROW } from './api/rows';

export interface ListedRows {
  readonly rows: readonly EvidenceRow[];
  readonly next: string | null;
}
/** One kind of row that can be listed and looked at. */
export interface RowKind {
  readonly prefix: string;
  /** As it stands in a list. */
  readonly row: Shape<unknown>;
  /** As it is shown by its id. */
  readonly shown: Shape<unknown>;
  /** What `state` may say. */
  readonly states: readonly string[];
  list(db: Db, ask: ListAsk): Promise<ListedRows>;
  get(db: Db, id: string): Promise<object | undefined>;
}

function rowKind<Row extends object>(
  prefix: string,
  shape: Shape<unknown>,
  states: readonly string[],
  source: ListSource<Row>,
  show: (row: Row) => EvidenceRow,
): RowKind {
  return {
    prefix,
    row: shape,
    shown: shape,
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

/** A lane is shown with what waits in it and what it misses. */
const LANES: RowKind = {
  ...rowKind('lan', LANE_ROW, LANE_STATES, laneList, (row) => ({ ...laneView(row) })),
  shown: LANE_DETAIL,
  get: (db, id) => readLane(db, argument('lane_id', LaneId, id)),
};

/** By the name that stands in the path. */
export const ROW_KINDS: ReadonlyMap<string, RowKind> = new Map([
  [
    'receipts',
    rowKind('rcp', RECEIPT_ROW, ['stored', 'materialized'], receiptList, (row) => ({ ...plainRow(row), state: receiptState(row) })),
  ],
  ['executions', rowKind('exe', EXECUTION_ROW, executionMachine.states, executionList, plainRow)],
  ['lanes', LANES],
  ['effects', rowKind('eff', EFFECT_ROW, effectMachine.states, effectList, plainRow)],
  ['permits', rowKind('prm', PERMIT_ROW, ['open', ...permitMachine.states], permitList, plainRow)],
  ['credentials', rowKind('crg', CREDENTIAL_ROW, [...credentialGateMachine.states, 'no_gate'], credentialList, plainRow)],
]);
