import { listOf, type Members, membersOf, textOf } from '../members';
import { renderTable } from './table';

/** One screen: what serves, what is unfinished, where work is due, and when next. */
export function renderStatus(status: Members, engine: string, color: boolean): readonly string[] {
  const epochs = listOf(status['epochs']).map(({ id, state }) => `${textOf(id)} ${textOf(state)}`);
  const waiting = Object.entries(membersOf(status['waiting'])).map(([kind, count]) => ({ waiting: kind, count }));
  const stages = listOf(status['stages']);
  return [
    `connector ${textOf(status['version'])}   ${engine}   database ${textOf(status['database_time'])}`,
    `epoch     ${epochs.join(', ') || 'none is active'}`,
    `wake-ups  ${wakesLine(membersOf(status['wakes']))}`,
    '',
    ...renderTable(listOf(status['gates']), ['account', 'mode', 'fence', 'epoch'], color),
    '',
    ...renderTable(waiting, ['waiting', 'count'], color),
    '',
    ...(stages.length === 0 ? ['no stage has work, now or later'] : renderTable(stages, ['stage', 'accounts_due', 'next_due'], color)),
  ];
}

/** `kafka, hearing   due to claim, last hour: 14 ms by wakes (median of 210), 630 ms by polling (median of 4)` */
function wakesLine({ kind, detail, seen }: Members): string {
  if (kind !== 'seen') return `not known: ${textOf(detail)}`;
  const { adapter, state, by_wake, by_poll } = membersOf(seen);
  return `${textOf(adapter)}, ${textOf(state)}   due to claim, last hour: ${delay(by_wake, 'by wakes')}, ${delay(by_poll, 'by polling')}`;
}

function delay(summary: unknown, how: string): string {
  const { count, median_ms: median } = membersOf(summary);
  return typeof median === 'number' ? `${Math.round(median)} ms ${how} (median of ${textOf(count)})` : `none ${how}`;
}
