import { artifactDoors } from '@connector/artifacts/model/paths';
import { catalogDoors } from '@connector/catalog/model/paths';
import { journalDoors } from '@connector/connector/model/journal-paths';
import { connectorDoors } from '@connector/connector/model/paths';
import { controlDoors } from '@connector/control/model/paths';
import type { Door, StepVerb } from '@connector/kernel/paths';
import type { DatabaseKind } from '@connector/kernel/revisions';
import type { DbRole } from '@connector/kernel/roles';
import { packDoors } from '@connector/packs/model/paths';
import { runtimeDoors } from '@connector/runtime/model/paths';
import { securityDoors } from '@connector/security/model/paths';
import { MIGRATIONS } from '@connector/schema/migrations/migrations';
import { JOURNAL_TABLES, MAIN_TABLES } from '@connector/schema/tables';
import { PLAIN_READS } from './plain-reads';

/** DELETE is not among them: nothing deletes but retention, which does not exist yet (decisions 4). */
export type Verb = 'SELECT' | 'INSERT' | 'UPDATE';
export type Privileges = ReadonlyMap<string, ReadonlySet<Verb>>;

const DOORS: readonly Door[] = [
  ...[connectorDoors, journalDoors, runtimeDoors, securityDoors, controlDoors, packDoors, catalogDoors, artifactDoors],
].flatMap((doors) => Object.values<Door>(doors));

/** What a step takes. A compare-and-swap reads what it compares. */
const VERBS: Readonly<Record<StepVerb, readonly Verb[]>> = {
  lock: ['SELECT'],
  read: ['SELECT'],
  insert: ['INSERT'],
  update: ['SELECT', 'UPDATE'],
};

/**
 * What one database user may do in one database, per table: what the doors that it opens do, and what its service reads for people and for
 * candidates. Everybody may look at the revisions, for everybody refuses to serve on unknown ones.
 */
export function privilegesOf(role: DbRole, database: DatabaseKind): Privileges {
  const tables = new Set((database === 'main' ? MAIN_TABLES : JOURNAL_TABLES).map(({ name }) => name));
  const held = new Map<string, Set<Verb>>();
  const add = (table: string, verbs: readonly Verb[]): void => {
    if (tables.has(table)) held.set(table, new Set([...(held.get(table) ?? []), ...verbs]));
  };
  for (const door of DOORS.filter(({ by }) => by.includes(role))) for (const step of door.steps) add(step.table, VERBS[step.verb]);
  for (const table of PLAIN_READS[role]) add(table, ['SELECT']);
  if (held.size > 0) add(MIGRATIONS[database].table, ['SELECT']);
  return held;
}
