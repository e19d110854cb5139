import { REASONS } from '@connector/connector/model/explain/reasons';
import { type Members, textOf } from '../members';
import { paint } from './paint';

const { may, willNotHelp } = REASONS.EFFECT_UNCERTAIN;
/** The command of a reason, for whichever effect of the list is meant. */
const commandOf = (command: string | null): string => command?.replace('{effect}', '<effect>') ?? '';

/** What may be done about each of them, for the document. */
export const UNCERTAIN_WAYS = {
  may: may.map(({ kind, say, command }) => ({ kind, say, command: commandOf(command) })),
  will_not_help: willNotHelp,
};

/** What is known of calls of which nobody knows whether they took effect, and what may be done. */
export function renderUncertain(rows: readonly Members[], color: boolean): readonly string[] {
  return [
    ...rows.flatMap((row) => effectLines(row, color)),
    ...may.map(({ say, command }, at) => line(at === 0 ? 'You may' : '', `· ${say}:  ${commandOf(command)}`)),
    ...willNotHelp.map((act, at) => line(at === 0 ? 'Will not' : at === 1 ? 'help' : '', `· ${act}`)),
  ];
}

function effectLines(row: Members, color: boolean): readonly string[] {
  const key = row['provider_key'];
  return [
    `${textOf(row['effect_id'])}  ${textOf(row['account'])}  ${paint('uncertain', color)} since ${textOf(row['changed_at'])}`,
    line('Call', `${textOf(row['intent'])}, request ${textOf(row['request_digest'])}`),
    line('Attempt', `${textOf(row['attempt_count'])} · ${textOf(row['last_permit_id'])}`),
    line('Seen', `${textOf(row['last_detail'])}   at ${textOf(row['last_recorded_at'])}`),
    line('Key', key === null ? 'none: the provider tells two calls apart by nothing' : textOf(key)),
    '',
  ];
}

const line = (label: string, text: string): string => `  ${label.padEnd(10)}${text}`.trimEnd();
