import { type EngineKind, type Login, refusal } from './engine';
import { type Ask, withConnection } from './connect';

export interface Probed {
  readonly kind: EngineKind;
  readonly version: string;
  readonly grantsEnforced: boolean;
  readonly warnings: readonly string[];
}

interface Requirement {
  readonly variable: string;
  readonly value: string;
  readonly why: string;
}

const DURABLE: Requirement = {
  variable: 'innodb_flush_log_at_trx_commit',
  value: '1',
  why: 'a commit that was answered must survive a crash',
};

/** What the server must be set to (`database.md` 9.1 item 10). A variable that this server does not know is not asked for. */
export const requirements: Readonly<Record<EngineKind, readonly Requirement[]>> = {
  mariadb: [DURABLE, { variable: 'check_constraint_checks', value: 'ON', why: 'a refused state is refused by SQL too' }],
  mysql: [DURABLE],
  tidb: [
    { variable: 'tidb_enable_check_constraint', value: 'ON', why: 'CHECKs are parsed and dropped before it' },
    { variable: 'tidb_constraint_check_in_place_pessimistic', value: 'ON', why: 'a duplicate key must show at its own statement' },
    { variable: 'tidb_enable_noop_functions', value: 'OFF', why: 'otherwise a shared lock is accepted and locks nothing' },
    { variable: 'tidb_enable_shared_lock_promotion', value: 'OFF', why: 'otherwise a shared lock is an exclusive one without saying so' },
    { variable: 'tidb_txn_mode', value: 'pessimistic', why: 'locking reads lock nothing in an optimistic transaction' },
  ],
};

/** Looks at what answers and refuses it, with the statement that helps, when it cannot carry the product. Changes nothing. */
export function probe(login: Login): Promise<Probed> {
  return withConnection(login, async (ask) => {
    const version = (await ask('SELECT VERSION()'))[0]?.[0] ?? '';
    const kind = kindOf(version);
    refuseOld(kind, version);
    await refuseWrongSettings(ask, kind);
    const grantsEnforced = mayManageUsers((await ask('SHOW GRANTS')).flat());
    return { kind, version, grantsEnforced, warnings: [...warningsOf(kind, version), ...(grantsEnforced ? [] : [ONE_USER])] };
  });
}

const ONE_USER = 'this user may not create users: one user serves all services, grants are not enforced';

export function kindOf(version: string): EngineKind {
  if (/tidb/i.test(version)) return 'tidb';
  return /mariadb/i.test(version) ? 'mariadb' : 'mysql';
}

const OLDEST: Readonly<Record<EngineKind, readonly [number, number, number]>> = { mariadb: [10, 6, 0], tidb: [8, 5, 0], mysql: [8, 0, 16] };

function refuseOld(kind: EngineKind, version: string): void {
  if (isBefore(numbersOf(kind, version), OLDEST[kind]))
    throw refusal('EngineTooOld', `${version} answers; needed is ${kind} ${OLDEST[kind].join('.')} or newer`);
}

/** TiDB says `8.0.11-TiDB-v8.5.4`: its own version is behind its name. Old MariaDB drivers saw a `5.5.5-` in front. */
export function numbersOf(kind: EngineKind, version: string): readonly number[] {
  const own = kind === 'tidb' ? (/tidb-v?(.*)$/i.exec(version)?.[1] ?? '') : version.replace(/^5\.5\.5-/, '');
  return (/^\d+\.\d+\.\d+/.exec(own)?.[0] ?? '0.0.0').split('.').map(Number);
}

function isBefore(version: readonly number[], floor: readonly number[]): boolean {
  const differs = floor.findIndex((part, index) => part !== version[index]);
  return differs >= 0 && (version[differs] ?? 0) < (floor[differs] ?? 0);
}

async function refuseWrongSettings(ask: Ask, kind: EngineKind): Promise<void> {
  const names = requirements[kind].map(({ variable }) => `'${variable}'`).join(', ');
  const found = new Map((await ask(`SHOW GLOBAL VARIABLES WHERE Variable_name IN (${names})`)).map(([name, value]) => [name, value]));
  const wrong = requirements[kind].filter(({ variable, value }) => found.has(variable) && plain(found.get(variable)) !== plain(value));
  if (wrong.length === 0) return;
  const lines = wrong.map(
    ({ variable, value, why }) => `  SET GLOBAL ${variable} = ${value};   -- is ${found.get(variable) ?? ''}; ${why}`,
  );
  throw refusal('EngineSettings', `the database lacks settings that the product needs. As its administrator run:\n${lines.join('\n')}`);
}

function plain(value: string | undefined): string {
  const word = (value ?? '').toLowerCase();
  if (word === 'on') return '1';
  return word === 'off' ? '0' : word;
}

/** Creating a user for each service takes both: the right to create users and the right to hand rights on. */
export function mayManageUsers(grants: readonly string[]): boolean {
  const server = grants.filter((line) => /^GRANT .* ON \*\.\* TO /i.test(line));
  const create = server.some((line) => /ALL PRIVILEGES|CREATE USER/i.test(line));
  return create && server.some((line) => /WITH GRANT OPTION|GRANT OPTION/i.test(line));
}

function warningsOf(kind: EngineKind, version: string): readonly string[] {
  if (kind === 'mysql') return ['MySQL is no target: nothing is proven on it'];
  const numbers = numbersOf(kind, version);
  if (kind === 'mariadb') return isBefore(numbers, [10, 11, 0]) ? [`proofs run on MariaDB 10.11 and newer; this is ${version}`] : [];
  return isBefore(numbers, [8, 5, 6]) ? ['TiDB before 8.5.6 honours no column grants'] : [];
}
