import { Fault, InputFault } from '@connector/kernel/faults';
import { redact } from '../telemetry/redact';
import { bootService } from './boot';
import type { ServiceConfig } from './config';
import type { ServiceDefinition } from './service';

/** sysexits' EX_CONFIG: starting again will not help, so a supervisor must not try. */
const EXIT_CONFIG = 78;

/** The whole of an `apps/<service>/main.ts`. */
export function main<C extends ServiceConfig>(definition: ServiceDefinition<C>): void {
  bootService(definition).catch((thrown: unknown) => {
    process.stderr.write(`${definition.name} cannot start: ${redact(reasonOf(thrown))}\n`);
    process.exit(thrown instanceof InputFault ? EXIT_CONFIG : 1);
  });
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof Fault) return `${thrown.code}\n${thrown.message}`;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
