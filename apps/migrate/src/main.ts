import { Fault, InputFault } from '@connector/kernel/faults';
import { loadConfig } from '@connector/platform/host/config';
import { redact } from '@connector/platform/telemetry/redact';
import { MigrateConfig } from './config';
import { migrate } from './migrate';

/** sysexits' EX_CONFIG: running it again will not help. */
const EXIT_CONFIG = 78;

async function run(): Promise<void> {
  await migrate(loadConfig(MigrateConfig, process.env), (line) => void process.stdout.write(`${line}\n`));
}

run().catch((thrown: unknown) => {
  const reason = thrown instanceof Fault ? `${thrown.code}\n${thrown.message}` : thrown instanceof Error ? thrown.stack : String(thrown);
  process.stderr.write(`migrate: ${redact(reason ?? '')}\n`);
  process.exitCode = thrown instanceof InputFault ? EXIT_CONFIG : 1;
});
