import type { DatabaseKind } from '@connector/kernel/revisions';
import { DB_ROLES, type DbRole } from '@connector/kernel/roles';
import { type Ask, withConnection } from '@connector/platform/engine/connect';
import type { Login } from '@connector/platform/engine/engine';
import { forRole } from '@connector/platform/host/config';
import { readSecretFile } from '@connector/platform/secrets/secret-file';
import type { Say } from './apply';
import { type Privileges, privilegesOf, type Verb } from './grants';
import { text } from './sql';

export interface Users {
  /** `{role}` stands for the role; without it one user serves all and nothing is granted. */
  readonly user: string;
  readonly passwordFile: string;
}
export interface Place {
  readonly login: Login;
  readonly database: string;
}

const VERBS: readonly (Verb | 'DELETE')[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
const account = (user: string): string => `${text(user)}@'%'`;

/** Makes the database users and gives each exactly what its doors and reads need (con:INV-04, con:INV-05): what is missing first, then takes what is too much. */
export async function makeUsers(places: Readonly<Record<DatabaseKind, Place>>, users: Users, say: Say): Promise<void> {
  if (!users.user.includes('{role}')) return say(`one user, ${users.user}, serves all services: grants are not enforced`);
  await makeAt('main', places.main, users);
  await makeAt('journal', places.journal, users);
  say(`${DB_ROLES.length} users, each with the grants of its doors`);
}

async function makeAt(kind: DatabaseKind, { login, database }: Place, users: Users): Promise<void> {
  await withConnection(login, async (ask) => {
    for (const role of DB_ROLES) {
      await makeUser(ask, database, privilegesOf(role, kind), forRole(users.user, role), await passwordOf(users, role));
    }
  });
}

async function passwordOf({ passwordFile }: Users, role: DbRole): Promise<string> {
  return (await readSecretFile(forRole(passwordFile, role))).toString('utf8').trimEnd();
}

async function makeUser(ask: Ask, database: string, wanted: Privileges, user: string, password: string): Promise<void> {
  await ask(`CREATE USER IF NOT EXISTS ${account(user)} IDENTIFIED BY ${text(password)}`);
  await ask(`ALTER USER ${account(user)} IDENTIFIED BY ${text(password)}`);
  // MySQL 8 and newer TiDB ask for it on a locking read of a table that the user may not update; it gives no right to write.
  if (wanted.size > 0) await ask(`GRANT LOCK TABLES ON ${database}.* TO ${account(user)}`);
  const held = await heldBy(ask, database, user);
  for (const [table, verbs] of wanted) {
    const missing = [...verbs].filter((verb) => held.get(table)?.has(verb) !== true);
    if (missing.length > 0) await ask(`GRANT ${missing.join(', ')} ON ${database}.${table} TO ${account(user)}`);
  }
  for (const [table, verbs] of held) {
    const excess = [...verbs].filter((verb) => verb === 'DELETE' || wanted.get(table)?.has(verb) !== true);
    if (excess.length > 0) await ask(`REVOKE ${excess.join(', ')} ON ${database}.${table} FROM ${account(user)}`);
  }
}

async function heldBy(ask: Ask, database: string, user: string): Promise<ReadonlyMap<string, ReadonlySet<Verb | 'DELETE'>>> {
  const rows = await ask(
    `SELECT Table_name, Table_priv FROM mysql.tables_priv WHERE Host = '%' AND User = ${text(user)} AND Db = ${text(database)} LIMIT 10000`,
  );
  return new Map(
    rows.map(([table = '', list = '']) => {
      const words = list.toUpperCase().split(',');
      return [table, new Set(VERBS.filter((verb) => words.includes(verb)))];
    }),
  );
}
