import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { MEMBERSHIP_BINDINGS_MAX, viewBindingShape, type ViewBinding } from '@connector/catalog/model/documents';
import { Digest } from '@connector/kernel/digest';
import { admitting, closed, listOf, oneOf, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import { InputFault } from '@connector/kernel/faults';
import { jcs, type Json } from '@connector/kernel/jcs';
import { parseStrict, STRICT_JSON_LIMITS } from '@connector/kernel/strict-json';
import type { BuiltPack } from '@connector/packs/engine/build-pack';
import { isErrno, writePrivately } from '@connector/platform/engine/files';

/** Packs whose source is kept at once. */
export const KEPT_PACKS_MAX = 64;
export const KEPT_MEMBERSHIP_BYTES_MAX = 4_194_304;
const VERSION = 'connector.kept-membership/v1';
const MEMBERSHIP = closed({
  schema_version: oneOf(VERSION),
  organization: TEXT,
  workload: TEXT,
  bindings: listOf(viewBindingShape, MEMBERSHIP_BINDINGS_MAX),
});
const admits = admitting(new Ajv({ strict: true }), MEMBERSHIP);
const LIMITS = { ...STRICT_JSON_LIMITS, keys: 1_000_000 };
const PACK_FILE = /^([0-9a-f]{64})\.json$/;

/** The bindings that a workload is wanted to have, as they were last set here. */
export type KeptMembership = Omit<TypeOf<typeof MEMBERSHIP>, 'schema_version'>;
/** A pack as its author wrote it, and what the registry makes of it. */
export interface KeptPack {
  readonly source: Json;
  readonly built: BuiltPack;
}
/** What the next beginning on this machine needs. */
export interface Kept extends KeptMembership {
  /** Every generation that a binding names, by its payload digest. */
  readonly packs: ReadonlyMap<Digest, KeptPack>;
}

/** Stands beside the database and outlives it: what was published and set, in the bytes of their authors, no secret. */
export const keptFolder = (home: string): string => join(home, 'published');
const membershipFile = (dir: string): string => join(dir, 'membership.json');
const packsFolder = (dir: string): string => join(dir, 'packs');
const packFile = (dir: string, digest: Digest): string => join(packsFolder(dir), `${digest.slice('sha256:'.length)}.json`);

/** `source` was checked and has this payload digest. InputFault where too many are kept already. */
export async function keepPack(dir: string, digest: Digest, source: Buffer): Promise<void> {
  const held = await keptDigests(dir);
  if (!held.includes(digest) && held.length >= KEPT_PACKS_MAX)
    throw new InputFault('HOUSE:kept:TooMany', `${packsFolder(dir)} holds ${held.length} packs, and at most ${KEPT_PACKS_MAX} are kept`);
  await write(dir, packFile(dir, digest), source);
}

/** In the place of the one before. InputFault where it is larger than what would be read. */
export async function keepMembership(dir: string, { organization, workload, bindings }: KeptMembership): Promise<void> {
  const document: Json = { schema_version: VERSION, organization, workload, bindings: [...bindings] };
  const bytes = jcs(document);
  if (!admits(document)) throw new InputFault('HOUSE:kept:Shape', `the membership is none: ${shapeErrors()}`);
  if (bytes.length > KEPT_MEMBERSHIP_BYTES_MAX)
    throw new InputFault(
      'HOUSE:kept:TooLarge',
      `the membership has ${bytes.length} bytes, and at most ${KEPT_MEMBERSHIP_BYTES_MAX} are kept`,
    );
  await write(dir, membershipFile(dir), bytes);
}

async function write(dir: string, file: string, bytes: Buffer): Promise<void> {
  await mkdir(packsFolder(dir), { recursive: true, mode: 0o700 });
  await writePrivately(file, bytes.toString('utf8'));
}

/** Undefined where nothing was set. InputFault says what was expected of the files and what was found. */
export async function readKept(dir: string): Promise<Kept | undefined> {
  const membership = await readKeptMembership(dir);
  if (membership === undefined) return undefined;
  const packs = new Map<Digest, KeptPack>();
  for (const { pack_payload_digest: digest } of generationsOf(membership.bindings)) packs.set(digest, await readKeptPack(dir, digest));
  return { ...membership, packs };
}

export async function readKeptMembership(dir: string): Promise<KeptMembership | undefined> {
  const file = membershipFile(dir);
  const bytes = await readBounded(file, KEPT_MEMBERSHIP_BYTES_MAX);
  if (bytes === undefined) return undefined;
  const parsed = parseStrict(bytes, LIMITS);
  if (!parsed.ok) throw damaged(file, 'strict JSON', `${parsed.code} at byte ${parsed.at}`);
  const value = parsed.value;
  if (!admits(value)) throw damaged(file, VERSION, shapeErrors());
  return { organization: value.organization, workload: value.workload, bindings: value.bindings };
}

/** The engine of expressions is loaded here, so that no command waits for it that reads no pack. */
export async function readKeptPack(dir: string, digest: Digest): Promise<KeptPack> {
  const file = packFile(dir, digest);
  const { PACK_BYTES_MAX } = await import('@connector/packs/engine/limits.js');
  const bytes = await readBounded(file, PACK_BYTES_MAX);
  if (bytes === undefined) throw damaged(file, `the source of ${digest}`, 'no such file');
  const { parsePackBytes } = await import('@connector/packs/engine/pack-bytes.js');
  const { checkPack } = await import('@connector/packs/engine/publish-check.js');
  const { buildPack } = await import('@connector/packs/engine/build-pack.js');
  const parsed = parsePackBytes(bytes);
  const check = parsed.ok ? checkPack({ pack: parsed.value }) : parsed;
  if (!parsed.ok || !check.ok) {
    const [fault] = check.ok ? [] : check.faults;
    throw damaged(file, 'a pack', `${fault?.code ?? 'none'} ${fault?.pointer ?? ''}`.trimEnd());
  }
  const built = buildPack(check);
  if (built.manifest.digest !== digest) throw damaged(file, `the source of ${digest}`, `that of ${built.manifest.digest}`);
  return { source: parsed.value, built };
}

/** By the names of their files: what is in them is looked at when it is read. */
export async function keptDigests(dir: string): Promise<readonly Digest[]> {
  const names = await namesIn(packsFolder(dir));
  return names.flatMap((name) => PACK_FILE.exec(name)?.[1] ?? []).map((hex) => Digest.parse(`sha256:${hex}`));
}

/** Each generation once, in the order of the bindings. */
export function generationsOf(bindings: readonly ViewBinding[]): readonly Pick<ViewBinding, 'owner_pack' | 'pack_payload_digest'>[] {
  const first = new Map(bindings.toReversed().map((binding) => [binding.pack_payload_digest, binding]));
  return [...first.values()].toReversed().map(({ owner_pack, pack_payload_digest }) => ({ owner_pack, pack_payload_digest }));
}

/** Leaves the membership and the packs that it names: the others are in no database any more, and neither is what a cut-off write left. */
export async function forgetUnset(dir: string, { bindings }: KeptMembership): Promise<void> {
  const needed = new Set([
    ...[membershipFile(dir), packsFolder(dir)],
    ...generationsOf(bindings).map((one) => packFile(dir, one.pack_payload_digest)),
  ]);
  for (const folder of [dir, packsFolder(dir)]) {
    for (const name of await namesIn(folder)) {
      const path = join(folder, name);
      if (!needed.has(path)) await rm(path, { recursive: true, force: true });
    }
  }
}

async function readBounded(file: string, bytesMax: number): Promise<Buffer | undefined> {
  try {
    const { size } = await stat(file);
    if (size > bytesMax) throw damaged(file, `at most ${bytesMax} bytes`, `${size}`);
    return await readFile(file);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return undefined;
    if (thrown instanceof InputFault) throw thrown;
    throw damaged(file, 'a file that can be read', String(thrown));
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return [];
    throw damaged(folder, 'a folder that can be read', String(thrown));
  }
}

function shapeErrors(): string {
  return admits.errors.map(({ instancePath, message }) => `${instancePath || 'it'} ${message ?? 'is wrong'}`).join(', ');
}

function damaged(file: string, expected: string, found: string): InputFault {
  return new InputFault('HOUSE:kept:Damaged', `${file}: expected ${expected}, found ${found}`);
}
