import { listOf, type Members } from '../members';
import { renderRow, renderTable } from './table';

const MEMBER = ['position', 'execution_id', 'state', 'attempts', 'minted_at'];
const GAP = ['missing', 'state', 'execution_id', 'deadline', 'disposition'];

/** A lane, then what waits in it in its order, then what it misses or missed. */
export function renderLane({ members, gaps, ...lane }: Members, color: boolean): readonly string[] {
  return [...renderRow(lane, color), ...listed('Waits', listOf(members), MEMBER, color), ...listed('Gaps', listOf(gaps), GAP, color)];
}

function listed(title: string, rows: readonly Members[], columns: readonly string[], color: boolean): readonly string[] {
  return ['', rows.length === 0 ? `${title}  none` : title, ...(rows.length === 0 ? [] : renderTable(rows, columns, color))];
}
