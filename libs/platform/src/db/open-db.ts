import { RetryableFault } from '@connector/kernel/faults';
import type { DatabaseKind } from '@connector/kernel/revisions';
import type { DbRole } from '@connector/kernel/roles';
import { forRole, type DatabaseServiceConfig } from '../host/config';
import type { Host } from '../host/service';
import { readSecretFile } from '../secrets/secret-file';
import { crashHook } from './crash-hook';
import { Db } from './db';
import { Pool } from './pool';
import { requireSchema } from './schema-guard';

/**
 * The main database as one role: pool, telemetry, readiness, and closed with the service. Throws InputFault `HOUSE:db:SchemaRefused` where the
 * schema is not the one that this code was written for. A database that cannot be reached is no fault of the service: it waits, unready.
 */
export function openDb(host: Host<DatabaseServiceConfig>, role: DbRole): Promise<Db> {
  const { databaseHost, databasePort, databaseName } = host.config;
  return open(host, role, { kind: 'main', host: databaseHost, port: databasePort, database: databaseName });
}

/** The journal database, which stands apart so that a restore of the main one does not rewind it. */
export function openJournal(host: Host<DatabaseServiceConfig>, role: DbRole): Promise<Db> {
  const { databaseHost, databasePort, journalHost, journalPort, journalName } = host.config;
  return open(host, role, {
    kind: 'journal',
    host: journalHost ?? databaseHost,
    port: journalPort ?? databasePort,
    database: journalName,
  });
}

interface Place {
  readonly kind: DatabaseKind;
  readonly host: string;
  readonly port: number;
  readonly database: string;
}

async function open(host: Host<DatabaseServiceConfig>, role: DbRole, place: Place): Promise<Db> {
  const { telemetry, health } = host;
  const hook = crashHook(process.env['CONNECTOR_CRASH']);
  const observer = {
    outcome: (door: string, kind: string, paths: string) => telemetry.outcome(door, kind, paths),
    statement: (statement: string, seconds: number) => telemetry.statement(statement, seconds),
    fault: (_door: string, fault: unknown) => telemetry.fault(fault),
  };
  const db = new Db({ pool: await poolFor(host, role, place), observer, ...(hook ? { hook } : {}) });
  const name = `${place.kind === 'main' ? 'db' : 'journal'}-${role}`;
  health.addCheck(name, () => db.ping());
  host.onClose(name, () => db.close());
  await firstLook(host, name, db);
  return db;
}

async function poolFor({ config }: Host<DatabaseServiceConfig>, role: DbRole, { kind, ...place }: Place): Promise<Pool> {
  const password = await readSecretFile(forRole(config.databasePasswordFile, role));
  return new Pool({
    ...place,
    user: forRole(config.databaseUser, role),
    password: password.toString('utf8').trimEnd(),
    size: config.databasePool,
    inspect: (connection) => requireSchema(connection, kind),
  });
}

/** A wrong schema ends the start here and not in some loop later. */
async function firstLook({ log }: Host<DatabaseServiceConfig>, name: string, db: Db): Promise<void> {
  try {
    await db.ping();
  } catch (thrown) {
    if (!(thrown instanceof RetryableFault)) throw thrown;
    log.warn('database-unreachable', { reason: name, code: thrown.code });
  }
}
