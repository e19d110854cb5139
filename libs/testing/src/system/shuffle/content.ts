import { applicationResult } from '@connector/runtime/model/documents';
import { readRequest } from '@connector/runtime/model/authored-command';
import type { Dump } from '../same-rows';
import type { SystemUnderTest } from '../system';
import { changeOfInput } from './changes';
import type { Applied, Arrived, Seen } from './judge';

type Row = Record<string, unknown>;

const RESULTS = `SELECT c.input, r.result FROM run_application_result r JOIN run_command c ON c.command_id = r.command_id
  ORDER BY r.committed_at, r.command_id`;
const SUPERSEDED = `SELECT p.input FROM con_superseded_decision s JOIN con_projection p ON p.projection_id = s.projection_id`;
const ARRIVED = `SELECT p.input, CAST(e.recorded_at AS CHAR) AS at FROM con_event e JOIN con_projection p ON p.event_id = e.event_id
  ORDER BY e.recorded_at`;
const RECORDS = 'SELECT collection, record_key, version, value FROM run_record';
const COMMANDS = `SELECT o.intent, o.effect_slot, o.account, o.effect_definition, o.definition_version, o.request, c.input, e.state, e.reason,
    (SELECT COUNT(*) FROM con_remote_link l WHERE l.effect_id = e.effect_id AND l.state = 'active') AS links
  FROM run_outbound_command o JOIN run_command c ON c.command_id = o.command_id
    LEFT JOIN con_remote_effect e ON e.outbound_command_id = o.outbound_command_id`;

/**
 * What the application saw, in the order in which it committed: a record is written under its row's lock, and the time of a result is taken
 * behind that.
 */
export async function seenBy(system: SystemUnderTest): Promise<Seen> {
  const results = await system.sql(RESULTS);
  const superseded = await system.sql(SUPERSEDED);
  const arrived = await system.sql(ARRIVED);
  return {
    applied: results.map(appliedOf),
    superseded: superseded.map((row) => changeOfInput(jsonOf(row['input']))),
    arrived: arrived.map((row): Arrived => ({ ...changeOfInput(jsonOf(row['input'])), at: textOf(row['at']) })),
  };
}

function appliedOf({ input, result }: Row): Applied {
  const { outcome, record_changes: changed } = applicationResult.parse(bytesOf(result)).value;
  const version = changed[0]?.version;
  return { ...changeOfInput(jsonOf(input)), outcome, version: version === undefined ? null : Number(version) };
}

/**
 * The content that may not depend on the order of arrival, in plain words: no minted id, no time. Of a strict record everything, each result
 * and the version of the record too; of a latest record what it became and the last result, since how many revisions were applied on the way
 * is decided by when they came. Of the calls the requests, what became of them, and what the provider did.
 */
export async function applicationContent(system: SystemUnderTest): Promise<Dump> {
  const { applied } = await seenBy(system);
  const lastOf = new Map(applied.filter(({ order }) => order === 'latest').map((one) => [one.record, { ...one, version: null }]));
  const strict = applied.filter(({ order }) => order === 'strict');
  const commands = await system.sql(COMMANDS);
  const provider = (await system.provider.entries()).filter(({ executed }) => executed);
  return {
    records: sorted((await system.sql(RECORDS)).map(recordOf)),
    results: sorted([...strict, ...lastOf.values()]),
    commands: sorted(commands.map(commandOf)),
    provider: sorted(provider.map(({ method, target, body }) => [method, target, Buffer.from(body, 'base64').toString('utf8')])),
  };
}

function recordOf({ collection, record_key, version, value }: Row): readonly unknown[] {
  const counts = textOf(collection) === 'contact';
  return [textOf(collection), textOf(record_key), counts ? Number(version) : null, textOf(value)];
}

function commandOf({ request, input, links, ...words }: Row): readonly unknown[] {
  const { method, target, body } = readRequest(bytesOf(request));
  return [...Object.values(words).map(textOf), changeOfInput(jsonOf(input)), method, target, body.toString('utf8'), Number(links)];
}

const sorted = (rows: readonly unknown[]): readonly string[] => rows.map((row) => JSON.stringify(row)).sort();

const textOf = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString('utf8') : String(value));

function bytesOf(value: unknown): Buffer {
  if (!Buffer.isBuffer(value)) throw new TypeError('a document is bytes');
  return value;
}

function jsonOf(value: unknown): Readonly<Record<string, unknown>> {
  const held: unknown = JSON.parse(textOf(value));
  if (typeof held !== 'object' || held === null) throw new TypeError('an input is an object');
  return { ...held };
}
