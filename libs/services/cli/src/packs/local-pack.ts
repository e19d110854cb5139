import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { faultsListed } from '@connector/kernel/document-fault';
import type { BuiltPack } from '@connector/packs/engine/build-pack';
import type { DefinitionFault } from '@connector/packs/engine/definition-fault';
import { readGiven } from '../files';

export interface LocalPack {
  /** As it is called in messages. */
  readonly name: string;
  readonly bytes: Buffer;
}
export type LocalCheck =
  | { readonly kind: 'valid'; readonly pack: BuiltPack }
  | { readonly kind: 'faulty'; readonly faults: readonly DefinitionFault[]; readonly more: number };

/** Far above what a pack may have, so that a check says how far over it is. */
const FILE_BYTES_MAX = 67_108_864;

/** A folder with a `pack.json`, or such a file. */
export async function readLocalPack(path: string): Promise<LocalPack> {
  const file = (await isFolder(path)) ? join(path, 'pack.json') : path;
  return { name: basename(file), bytes: await readGiven(file, FILE_BYTES_MAX) };
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

/** What publication would find, on the file alone. The engine of expressions is loaded here, so that no other command waits for it. */
export async function checkLocalPack({ bytes }: LocalPack): Promise<LocalCheck> {
  const { checkPackBytes } = await import('@connector/packs/engine/pack-bytes.js');
  const { buildPack } = await import('@connector/packs/engine/build-pack.js');
  const check = checkPackBytes(bytes);
  return check.ok ? { kind: 'valid', pack: buildPack(check) } : { kind: 'faulty', ...faultsListed(check.faults) };
}
