import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileSecrets } from '@connector/platform/secrets/file-secrets';
import { withSecret } from '@connector/platform/secrets/secret-backend';
import { CliFailure, EXIT } from './exit';
import type { CliIo } from './io';
import { membersOf, textOf } from './members';

export interface RunningProcess {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly generation: string;
}

/** What `npm start` says of itself in `.connector/run.json`: places, never secrets. */
export interface Installation {
  readonly services: ReadonlyMap<string, RunningProcess>;
  readonly secretsDir: string;
  readonly engine: string;
  /** Whose membership the first epoch of a fresh database freezes; empty texts where it is not said. */
  readonly beginsWith: { readonly organization: string; readonly workload: string; readonly app: string };
}

export const homeOf = ({ env, root }: CliIo): string => env['CONNECTOR_HOME'] ?? join(root, '.connector');
export const runFile = (io: CliIo): string => join(homeOf(io), 'run.json');

/** Undefined where nothing was started here. */
export async function readInstallation(io: CliIo): Promise<Installation | undefined> {
  const text = await readFile(runFile(io), 'utf8').catch(absent);
  if (text === undefined) return undefined;
  const run = membersOf(jsonOf(text, runFile(io)));
  const services = Object.entries(membersOf(run['services'])).map(([name, value]): [string, RunningProcess] => {
    const { url, pid, generation } = membersOf(value);
    return [name, { name, url: textOf(url), pid: Number(pid), generation: textOf(generation) }];
  });
  const { kind, version, source } = membersOf(run['engine']);
  const engine = [kind, version, source].map(textOf).filter(Boolean).join(' ');
  const { organization, workload, app } = membersOf(run['begins_with']);
  const beginsWith = { organization: textOf(organization), workload: textOf(workload), app: textOf(app) };
  return { services: new Map(services), secretsDir: textOf(run['secrets_dir']), engine, beginsWith };
}

export async function requireInstallation(io: CliIo): Promise<Installation> {
  const found = await readInstallation(io);
  if (found !== undefined) return found;
  throw notRunning(`No services run here: ${runFile(io)} is not there.`);
}

export function serviceOf(installation: Installation, name: string): RunningProcess {
  const found = installation.services.get(name);
  if (found === undefined) throw notRunning(`${name} was not started here.`);
  return found;
}

export function notRunning(what: string): CliFailure {
  return new CliFailure(EXIT.unavailable, [what, '  Do       npm start', '  See      connector dev ps']);
}

/** A text secret of this machine by exact version, for the moment of its use. */
export function readLocalSecret(installation: Installation, path: string, version: string): Promise<string> {
  const secrets = new FileSecrets(installation.secretsDir);
  return withSecret(secrets, { path, version }, (bytes) => bytes.toString('utf8').trimEnd());
}

function absent(thrown: unknown): undefined {
  if (membersOf(thrown)['code'] === 'ENOENT') return undefined;
  throw thrown;
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CliFailure(EXIT.failed, [`${file} is no JSON: it was cut off.`, '  Do       stop and start again: npm start']);
  }
}
