import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { callJson } from '../api';
import { CliFailure, EXIT } from '../exit';
import { readLocalSecret, serviceOf, type Installation } from '../installation';
import { listOf, membersOf, textOf } from '../members';
import { failureOf } from '../problem';
import { packsDir, read } from './fixture';

/** Tells the provider simulator to do this wrong at the next `times` calls to every host that a shipped pack calls. */
export async function planFault(root: string, installation: Installation, fault: string, times: number): Promise<void> {
  const { url } = serviceOf(installation, 'provider-simulator');
  const token = await readLocalSecret(installation, 'tokens/cli/provider-simulator', '1');
  const hosts = await calledHosts(root);
  if (hosts.length === 0) throw new CliFailure(EXIT.refused, ['No shipped pack calls a provider, so there is nothing to do wrong.']);
  for (const host of hosts) {
    const { status, body } = await callJson(url, token, 'POST', '/_control/faults', { host, fault, times });
    if (status >= 300) throw failureOf(status, body);
  }
}

/** The hosts of the callout profiles. */
async function calledHosts(root: string): Promise<readonly string[]> {
  const hosts = new Set<string>();
  for (const pack of await readdir(packsDir(root))) {
    const text = await read(join(packsDir(root), pack, 'pack.json'));
    const definitions = membersOf(membersOf(text === undefined ? {} : JSON.parse(text))['definitions']);
    for (const profile of listOf(definitions['callout-profile'])) {
      hosts.add(new URL(textOf(membersOf(profile['definition'])['base'])).host);
    }
  }
  return [...hosts];
}
