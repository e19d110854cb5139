import type { Containers } from '../containers/containers';
import { DefectFault, InputFault } from '@connector/kernel/faults';

/** Which way of finding a database is forced by `--engine`. */
export const engineChoices = ['tidb', 'mariadb', 'container', 'url'] as const;
export type EngineChoice = (typeof engineChoices)[number];
export type EngineKind = 'mariadb' | 'tidb' | 'mysql';

/** A database that answers, was probed and has the settings that the product needs. */
export interface Engine {
  readonly kind: EngineKind;
  /** What `SELECT VERSION()` said. */
  readonly version: string;
  /** How it was found, for a person: `mariadbd on the PATH`. */
  readonly source: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly mainDatabase: string;
  readonly journalDatabase: string;
  /** False where this user may not create users: then one user serves all services. */
  readonly grantsEnforced: boolean;
  readonly warnings: readonly string[];
  readonly pid?: number;
  /** Stops what was started or taken over, unless another living process uses it too. Never throws twice for the same stop. */
  stop(): Promise<void>;
}

export interface EngineOptions {
  /** Absolute; the data of an engine of our own lives under it. */
  readonly dataDir: string;
  readonly forced?: EngineChoice;
  readonly url?: string;
  readonly journalUrl?: string;
  readonly portNear?: number;
  readonly onProgress?: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
  /** Whether packages of the distribution may be installed. */
  readonly mayInstall: boolean;
  /** Absent: the container engine of this machine. */
  readonly containers?: Containers;
}

export interface Login {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

export const defaultPort = 43306;
export const defaultDatabases = { main: 'connector', journal: 'connector_journal' } as const;
export const journalBeside = 'the journal lives on the same server as the main schema: one restore rewinds both';

/** A person has to do something first; `detail` says what. */
export function refusal(name: string, detail: string): InputFault {
  return new InputFault(`HOUSE:engine:${name}`, detail);
}

/** It should have worked on this machine and did not; `detail` carries what the engine said. */
export function breakdown(name: string, detail: string): DefectFault {
  return new DefectFault(`HOUSE:engine:${name}`, detail);
}

/** `undefined` when the word names no engine. */
export function engineChoice(word: string): EngineChoice | undefined {
  return engineChoices.find((choice) => choice === word);
}
