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
    '',
    ...renderTable(listOf(status['gates']), ['account', 'mode', 'fence', 'epoch'], color),
    '',
    ...renderTable(waiting, ['waiting', 'count'], color),
    '',
    ...(stages.length === 0 ? ['no stage has work, now or later'] : renderTable(stages, ['stage', 'accounts_due', 'next_due'], color)),
  ];
}
