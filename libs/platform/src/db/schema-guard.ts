import type { Connection, RowDataPacket } from 'mysql2/promise';
import { InputFault } from '@connector/kernel/faults';
import { type DatabaseKind, type Revision, REVISIONS } from '@connector/kernel/revisions';
import { classify } from './errors';

const PREFIX: Readonly<Record<DatabaseKind, string>> = { main: 'con', journal: 'jrn' };
const NO_SUCH_TABLE = 1146;

/**
 * Looked at once by every new session, so that a breaking revision that is applied while this process runs is met by its next connection.
 * InputFault `HOUSE:db:SchemaRefused`: starting again does not help, somebody has to migrate or to bring newer code.
 */
export async function requireSchema(connection: Connection, kind: DatabaseKind): Promise<void> {
  const reason = schemaRefusal(kind, await revisionsOf(connection, kind));
  if (reason !== undefined) throw new InputFault('HOUSE:db:SchemaRefused', reason);
}

async function revisionsOf(connection: Connection, kind: DatabaseKind): Promise<readonly Revision[]> {
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      `SELECT revision, name, breaking FROM ${PREFIX[kind]}_schema_revision WHERE revision > 0 ORDER BY revision LIMIT 10000`,
    );
    return rows.map((row) => ({ revision: Number(row['revision']), name: String(row['name']), breaking: Number(row['breaking']) === 1 }));
  } catch (error) {
    if (classify(error, false) === 'defect' && errnoOf(error) === NO_SUCH_TABLE) return [];
    throw error;
  }
}

function errnoOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'errno' in error ? error.errno : undefined;
}

/** Why this code must not serve on a database with these revisions; undefined when it may. A newer revision that breaks nothing is no reason. */
export function schemaRefusal(kind: DatabaseKind, found: readonly Revision[]): string | undefined {
  const needed: readonly Revision[] = REVISIONS[kind];
  const last = needed.at(-1)?.revision ?? 0;
  const lacking = needed.find(({ revision }) => !found.some((one) => one.revision === revision));
  const beyond = found.find(({ revision, breaking }) => breaking && revision > last);
  const have = `expected revision ${last}, found ${found.at(-1)?.revision ?? 'none'}`;
  if (lacking !== undefined)
    return `the ${kind} database lacks revision ${lacking.revision} (${lacking.name}): ${have}. Run apps/migrate of this release`;
  if (beyond === undefined) return undefined;
  return `the ${kind} database has the breaking revision ${beyond.revision} (${beyond.name}): ${have}. Start a newer release`;
}
