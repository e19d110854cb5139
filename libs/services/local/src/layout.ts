import { join } from 'node:path';
import { keptFolder } from '@connector/services/kept/src/kept-folder';
import type { ProcessName } from './plan';

/** Where everything of one machine lives: under one folder that can be wiped. */
export interface Layout {
  readonly home: string;
  readonly engine: string;
  readonly broker: string;
  readonly secrets: string;
  /** Generations that were started and what is known of their ends. */
  readonly journal: string;
  /** Ports, addresses and processes, for the command line; no secret is in it. */
  readonly runFile: string;
  /** What this deployment says of itself to the catalog. */
  readonly platform: string;
  /** What the command line keeps for the next beginning. */
  readonly published: string;
  readonly logs: string;
  readonly lock: string;
  log(process: ProcessName | 'migrate'): string;
}

export function layoutOf(home: string): Layout {
  return {
    home,
    engine: join(home, 'engine'),
    broker: join(home, 'broker'),
    secrets: join(home, 'secrets'),
    journal: join(home, 'supervisor.jsonl'),
    runFile: join(home, 'run.json'),
    platform: join(home, 'platform.json'),
    published: keptFolder(home),
    logs: join(home, 'logs'),
    lock: join(home, 'local.lock'),
    log: (process) => join(home, 'logs', `${process}.log`),
  };
}

/** The built program of an app. This file is built to `dist/libs/services/local/src`, and under a test it still stands in the sources. */
export function programOf(app: string): string {
  const here = join(__dirname, '..', '..', '..', '..');
  const built = __dirname.includes(join('dist', 'libs')) ? here : join(here, 'dist');
  return join(built, 'apps', app, 'src', 'main.js');
}
