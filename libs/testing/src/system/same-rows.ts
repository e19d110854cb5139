import { isDeepStrictEqual } from 'node:util';
import type { Table } from '@connector/kernel/table';
import { MAIN_TABLES } from '@connector/schema/tables';
import type { SystemUnderTest } from './system';

/** What may differ between two runs of the same deliveries (decisions 13.14): minted ids and times. */
const MINTED = ['permit_id', 'link_id', 'send_token', 'claimant', 'holder_fence', 'accepted_by'];
const TIMES = /_at$|^since$|^leased_until$|^deadline$/;
/** What is made of a minted id or of the order in which others arrived, which is nobody's to promise. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  con_component: ['component_digest'],
  run_outbound_command: ['feed_seq'],
  // How often a lane was claimed is time, like the attempts; which position came first is the sender's.
  con_ordering_lane: ['fence', 'baseline_position'],
  // The provider numbers its records as they come.
  con_effect_evidence: ['remote_identity', 'answer', 'evidence_digest'],
  con_remote_link: ['remote_identity', 'active_remote'],
};
/** Rows of deliveries. Operations, work rows and starts are left out: how many batches and deaths there were, and when somebody looked, is time. */
const OF_DELIVERIES =
  /^(con_(admission_key|receipt|materialization|component|component_refusal|event|projection|execution|execution_attempt|ordering_lane|superseded_decision|execution_dependency)|con_(result_correlation|effect_feed|remote_effect|effect_attempt|dispatch_permit|effect_evidence|remote_link|audit_outbox)|run_(?!command_start$)\w+)$/;

/** What a service serves on: no delivery changes it, and no death. */
export const OF_SERVICE =
  /^(con_(service|serving_gate|epoch\w*|genesis_certificate|credential_gate|channel_key_gate|operation)|ctl_(service_configuration|credential_generation|secret_use|channel_key\w*)|(pck|cat)_\w+)$/;

export interface Dump {
  readonly [table: string]: readonly string[];
}

const textOf = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString('hex') : String(value));

/** The content of everything that deliveries made, in an order of its own, without minted ids and times. */
export async function contentOf(system: SystemUnderTest, tables = OF_DELIVERIES): Promise<Dump> {
  const receipts = await system.sql('SELECT receipt_id, account, channel, transport_key FROM con_receipt');
  const names = new Map(receipts.map((row) => [textOf(row['receipt_id']), `${textOf(row['account'])}/${textOf(row['transport_key'])}`]));
  const dump: Record<string, readonly string[]> = {};
  for (const table of MAIN_TABLES.filter(({ name }) => tables.test(name))) {
    const rows = await system.sql(`SELECT * FROM ${table.name}`);
    dump[table.name] = table.name === 'con_audit_outbox' ? movesOf(rows) : rows.map((row) => contentOfRow(table, row, names)).sort();
  }
  return dump;
}

function contentOfRow(
  { name }: Pick<Table, 'name'>,
  row: Readonly<Record<string, unknown>>,
  receipts: ReadonlyMap<string, string>,
): string {
  const left = new Set([...MINTED, ...(FOLLOWS[name] ?? [])]);
  const kept = Object.entries(row).filter(([column]) => !left.has(column) && !TIMES.test(column));
  return JSON.stringify(kept.map(([column, value]) => [column, column === 'receipt_id' ? receipts.get(textOf(value)) : textOf(value)]));
}

/** How the doors batched their items is time; which rows were moved from where to where is not. */
function movesOf(rows: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const of = ['start-sending', 'settle-permits', 'grant', 'finalize-effects', 'record-results'];
  return rows
    .filter((row) => of.includes(textDecoded(row['door'])))
    .flatMap((row) => {
      const items = JSON.parse(textDecoded(row['items'])) as readonly Readonly<Record<string, string>>[];
      return items.map(({ effect, execution, from, to, became }) =>
        JSON.stringify([textDecoded(row['door']), effect, execution, from, to, became]),
      );
    })
    .sort();
}

const textDecoded = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString('utf8') : String(value));

/** Tables whose content differs, with one row of each side that the other has not. */
export function differences(one: Dump, other: Dump): readonly string[] {
  const tables = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return tables.flatMap((table) => {
    const [left, right] = [one[table] ?? [], other[table] ?? []];
    if (isDeepStrictEqual(left, right)) return [];
    const only = left.find((row) => !right.includes(row)) ?? 'nothing';
    const instead = right.find((row) => !left.includes(row)) ?? 'nothing';
    return [`${table}: ${left.length} and ${right.length} rows; ${only} and not ${instead}`];
  });
}

/** As it was before the first delivery, on the epoch that serves. The services must be at rest. */
export async function withoutDeliveries(system: SystemUnderTest): Promise<void> {
  const kept = new Set(['con_effect_feed']);
  for (const { name } of MAIN_TABLES) if (OF_DELIVERIES.test(name) && !kept.has(name)) await system.sql(`DELETE FROM ${name}`);
  await system.sql('UPDATE con_effect_feed SET next_seq = 1');
  await system.sql('UPDATE con_account_work SET produced = 0, due_at = NULL');
  await system.provider.reset();
  system.source.forget();
}
