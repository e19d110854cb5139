import { spawn } from 'node:child_process';
import { InputFault } from '@connector/kernel/faults';
import { type DatabasePlace, environmentWith, migratorSettings } from './environment';
import { type Layout, programOf } from './layout';
import type { Tell } from './receipts';
import type { SecretStore } from './secret-store';

const WITHIN_MS = 180_000;
const TAIL_CHARS = 2_000;

/** Runs the migrator as the process that it is: nothing else on this machine gets its rights. */
export async function runMigrator(layout: Layout, database: DatabasePlace, store: SecretStore, tell: Tell): Promise<void> {
  const env = environmentWith(migratorSettings(layout, database, store), process.env);
  const child = spawn(process.execPath, [programOf('migrate')], { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: WITHIN_MS });
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    for (const line of chunk.toString('utf8').split('\n')) if (line !== '') tell(line);
  });
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString('utf8')).slice(-TAIL_CHARS)));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0)
    throw new InputFault('HOUSE:local:NotMigrated', `the database could not be migrated (${code ?? 'ended by a signal'}):\n${errors}`);
}
