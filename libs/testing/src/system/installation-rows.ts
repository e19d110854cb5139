import type { Table } from '@connector/kernel/table';
import { OperationId } from '@connector/kernel/ids';
import { MAIN_TABLES } from '@connector/schema/tables';
import type { Dump } from './same-rows';
import type { SystemUnderTest } from './system';

type Row = Readonly<Record<string, unknown>>;

/** Everything of the App authority and of Runtime security that is of one organization. */
const OF_ORGANIZATION: readonly Pick<Table, 'name' | 'columns'>[] = MAIN_TABLES.filter(
  ({ name, columns }) => /^(cat|sec)_/.test(name) && 'organization_id' in columns,
);
/** Minted for nobody to name again. A request's digest is of a body that names the organization. */
const LEFT_OUT = /^at$|_at$|^audit_id$|^request_digest$/;
/** Digests of documents that hold minted ids. Wherever one of them stands, in a column or in a document, it is told by its first place. */
const FOLLOWS: readonly (readonly [string, readonly string[]])[] = [
  ['cat_candidate', ['document_digest', 'tuple_digest', 'other_inputs_digest', 'projection_digest']],
  ['cat_integration_view', ['source_snapshot_digest', 'view_digest']],
  ['sec_projection', ['projection_digest', 'binding_digest']],
  ['sec_command', ['payload_digest']],
];

const AUDITED = `SELECT * FROM cat_audit WHERE subject = ?
  OR subject IN (SELECT app_installation_id FROM cat_installation WHERE organization_id = ?)`;

/**
 * What was made in one organization, without minted ids and times (decisions 13.14): each id is told by what it names, so that the rows of one
 * organization can be compared with those of another in which the same was done.
 */
export async function contentOfOrganization({ sql }: Pick<SystemUnderTest, 'sql'>, organization: string): Promise<Dump> {
  const rows = new Map<string, readonly Row[]>();
  for (const { name } of OF_ORGANIZATION) {
    rows.set(name, await sql(`SELECT * FROM ${name} WHERE organization_id = ? ORDER BY 1, 2, 3`, [organization]));
  }
  rows.set('cat_audit', await sql(AUDITED, [organization, organization]));
  rows.set('cat_request', await sql('SELECT * FROM cat_request WHERE request_key LIKE ?', [`%/${organization}/%`]));
  const names = namesOf(organization, rows);
  return Object.fromEntries([...rows].map(([table, held]) => [table, held.map((row) => contentOfRow(row, names)).sort()]));
}

type Name = readonly [minted: string, told: string];

function namesOf(organization: string, rows: ReadonlyMap<string, readonly Row[]>): readonly Name[] {
  const of = (table: string): readonly Row[] => rows.get(table) ?? [];
  const appOf = new Map(of('cat_installation_identity').map((row) => [said(row, 'app_installation_id'), said(row, 'app_id')]));
  const where = (row: Row): string => `${appOf.get(said(row, 'app_installation_id')) ?? ''} ${said(row, 'attempt')}`;
  const names: Name[] = [
    [organization, '<organization>'],
    ...[...appOf].map(([id, app]): Name => [id, `<installation of ${app}>`]),
    ...of('cat_lineage').map((row): Name => [said(row, 'lineage_id'), '<lineage>']),
    ...bindingNames(of('cat_binding')),
    ...of('cat_candidate').flatMap((row): readonly Name[] => {
      const [id, told] = [row['command_id'] as Buffer, `<command of ${where(row)}>`];
      return [
        [id.toString('hex'), told],
        [OperationId.of(id), told],
      ];
    }),
  ];
  for (const [table, columns] of FOLLOWS) {
    for (const row of of(table)) {
      for (const column of columns) names.push([said(row, column), `<${table}.${column} ${where(row)}${said(row, 'security_epoch')}>`]);
    }
  }
  const minted = names.filter(([id]) => id.length > 0);
  return [...new Map(minted.toReversed()).entries()].toReversed();
}

/** Ids of bindings begin with the time at which they were minted, so that those of one capability are told in the order in which they were staged. */
function bindingNames(rows: readonly Row[]): readonly Name[] {
  const staged = rows.map((row) => [said(row, 'binding_id'), said(row, 'capability_id')] as const).sort();
  const before = (at: number): number => staged.slice(0, at).filter(([, capability]) => capability === staged[at]?.[1]).length;
  return staged.map(([id, capability], at): Name => [id, `<binding ${before(at) + 1} of ${capability}>`]);
}

const PLAIN = /^[\x20-\x7e]*$/;

/** Text where the bytes are text, and their digits where they are not. */
function textOf(value: unknown): string {
  if (!Buffer.isBuffer(value)) return String(value);
  const text = value.toString('latin1');
  return PLAIN.test(text) ? text : value.toString('hex');
}

const said = (row: Row, column: string): string => (column in row ? textOf(row[column]) : '');

function contentOfRow(row: Row, names: readonly Name[]): string {
  const kept = Object.entries(row).filter(([column]) => !LEFT_OUT.test(column));
  const text = JSON.stringify(kept.map(([column, value]) => [column, textOf(value)]));
  return names.reduce((held, [minted, told]) => held.replaceAll(minted, told), text);
}
