import { readIfThere, writePrivately } from '@connector/platform/engine/files';
import type { Engine } from '@connector/platform/engine/engine';
import { SCOPE, WORKBENCH } from './demo/world';
import { urlOf } from './environment';
import type { Layout } from './layout';
import type { Ports } from './ports';
import type { Tell } from './receipts';
import type { ServiceView } from './supervisor';

/** What the command line is told of the engine; never its password. */
export type EngineFacts = Pick<Engine, 'host' | 'port' | 'mainDatabase' | 'journalDatabase' | 'grantsEnforced'> &
  Partial<Pick<Engine, 'kind' | 'version' | 'source'>>;

/**
 * Where everything of this machine is, for the command line: places and processes, no secret. It follows every start and end of a service, and
 * keeps the ports for the next start.
 */
export class RunFile {
  readonly #layout: Layout;
  readonly #ports: Ports;
  readonly #engine: EngineFacts;
  readonly #tell: Tell;
  #services: () => readonly ServiceView[] = () => [];
  #writing: Promise<void> = Promise.resolve();
  #again = false;

  constructor(layout: Layout, ports: Ports, engine: EngineFacts, tell: Tell) {
    this.#layout = layout;
    this.#ports = ports;
    this.#engine = engine;
    this.#tell = tell;
  }

  follow(services: () => readonly ServiceView[]): void {
    this.#services = services;
    this.changed();
  }

  /** Soon, one write at a time; several changes in between are one write. */
  changed(): void {
    if (this.#again) return;
    this.#again = true;
    this.#writing = this.#writing
      .then(() => this.#write(process.pid))
      .catch((thrown: unknown) => this.#tell(`${this.#layout.runFile} could not be written: ${String(thrown)}`));
  }

  /** The last word: nothing of it runs any more. */
  async ended(): Promise<void> {
    await this.#writing;
    await this.#write(0);
  }

  async #write(pid: number): Promise<void> {
    this.#again = false;
    const local = { url: urlOf(this.#ports, 'local'), pid, generation: '' };
    const services = Object.fromEntries(
      this.#services().map((one) => [one.name, { url: one.url, pid: one.pid ?? 0, generation: one.generation ?? '' }]),
    );
    const { kind = '', version = '', source = 'given', host, port, mainDatabase, journalDatabase, grantsEnforced } = this.#engine;
    const run = {
      services: { ...services, local },
      ports: this.#ports,
      secrets_dir: this.#layout.secrets,
      logs_dir: this.#layout.logs,
      engine: { kind, version, source },
      begins_with: { ...SCOPE, app: WORKBENCH.app },
      database: { host, port, main: mainDatabase, journal: journalDatabase, grants_enforced: grantsEnforced },
    };
    await writePrivately(this.#layout.runFile, `${JSON.stringify(run, null, 2)}\n`);
  }
}

/** The ports of the last start; none where there was none. */
export async function lastPorts(layout: Layout): Promise<Ports> {
  const kept: unknown = JSON.parse((await readIfThere(layout.runFile)) ?? '{}');
  const ports: unknown = typeof kept === 'object' && kept !== null ? Reflect.get(kept, 'ports') : undefined;
  if (typeof ports !== 'object' || ports === null) return {};
  return Object.fromEntries(Object.entries(ports).filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}
