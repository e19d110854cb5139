import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Digest } from '@connector/kernel/digest';
import type { DocumentFaults } from '@connector/kernel/document-fault';
import { jcs } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import { CANONICAL_FORM } from '@connector/catalog/model/canonical';
import { COMPONENT_KINDS } from '@connector/catalog/model/component-kinds';
import { jsonLimits, RELEASE_LIMITS } from '@connector/catalog/model/limits';
import { type CheckRelease, checkRelease, openRelease } from '@connector/catalog/model/release';
import { componentDigest } from '@connector/catalog/model/release-digests';
import { readGiven, notThere } from '../files';
import { CliFailure, EXIT } from '../exit';
import { membersOf } from '../members';
import { renderFaults, type ShownFault } from '../render/faults';

export interface LocalBlob {
  readonly componentKind: string;
  readonly formatVersion: number;
  readonly bytes: Buffer;
}
/** A file of `behaviors` that no component of the bundle means, and the digests by which one would. */
export interface Unnamed {
  readonly file: string;
  readonly digests: readonly { readonly componentKind: string; readonly digest: Digest }[];
}
export interface LocalRelease {
  /** As it is called in messages. */
  readonly name: string;
  readonly manifest: Buffer;
  readonly bundle: Buffer;
  /** What the bundle needs and the folder has, by content digest. */
  readonly blobs: ReadonlyMap<Digest, LocalBlob>;
  readonly unnamed: readonly Unnamed[];
}

/**
 * A folder with `manifest.json`, `bundle.json` and the behaviors that the bundle names, each in a file of `behaviors` of any name: content
 * digests say which is whose. The bytes are taken as they are; with `canonicalize` each JSON file is taken in the canonical form of its value.
 */
export async function readLocalRelease(folder: string, canonicalize: boolean): Promise<LocalRelease> {
  const read = async (file: string, bytesMax: number, readMax: number = RELEASE_LIMITS.release): Promise<Buffer> => {
    const bytes = await readGiven(join(folder, file), readMax);
    return canonicalize ? canonical(bytes, bytesMax) : bytes;
  };
  const manifest = await read('manifest.json', RELEASE_LIMITS.manifest);
  const bundle = await read('bundle.json', RELEASE_LIMITS.bundle);
  const needed = new Set(openRelease({ manifest, bundle }).needed);
  const blobs = new Map<Digest, LocalBlob>();
  const unnamed: Unnamed[] = [];
  for (const file of await behaviorFiles(folder)) {
    const forms = formsOf(await read(join('behaviors', file), RELEASE_LIMITS.blob, RELEASE_LIMITS.blob));
    const named = forms.filter(({ digest }) => needed.has(digest));
    for (const { digest, ...blob } of named) blobs.set(digest, blob);
    if (named.length === 0) unnamed.push({ file: `behaviors/${file}`, digests: forms });
  }
  return { name: basename(folder), manifest, bundle, blobs, unnamed };
}

export function checkLocalRelease({ manifest, bundle, blobs }: LocalRelease): CheckRelease {
  return checkRelease({ manifest, bundle, blobOf: (digest) => blobs.get(digest)?.bytes });
}

/** Bytes in another form than the canonical one are most often files that were written for people: for those there is a flag. */
export function faultLines({ name }: LocalRelease, check: DocumentFaults<ShownFault>): readonly string[] {
  return [
    ...renderFaults(name, check, 'RELEASE_FAULTY'),
    ...(check.faults.some(({ expected }) => expected === CANONICAL_FORM)
      ? ['', '  Do       the same with --canonicalize, if the files were written for people: their canonical form is taken then']
      : []),
  ];
}

/** Bytes that are no strict JSON stay as they are: the check says what is wrong with them, and where. */
function canonical(bytes: Buffer, bytesMax: number): Buffer {
  if (bytes.length > bytesMax) return bytes;
  const parsed = parseStrict(bytes, jsonLimits(bytesMax));
  return parsed.ok ? jcs(parsed.value) : bytes;
}

/** The kind and its format are in a content digest, and the registry of kinds is closed: so there are as many digests as kinds and formats. */
function formsOf(bytes: Buffer): readonly (LocalBlob & { readonly digest: Digest })[] {
  return [...COMPONENT_KINDS].flatMap(([componentKind, { formatVersions }]) =>
    [...formatVersions].map((formatVersion) => ({
      ...{ componentKind, formatVersion, bytes },
      digest: componentDigest(componentKind, formatVersion, bytes),
    })),
  );
}

/** None where there is no such folder: a bundle may be empty. */
async function behaviorFiles(folder: string): Promise<readonly string[]> {
  const place = join(folder, 'behaviors');
  const entries = await readdir(place, { withFileTypes: true }).catch((thrown: unknown) => {
    if (membersOf(thrown)['code'] === 'ENOENT') return [];
    throw notThere(place, thrown);
  });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  if (files.length <= RELEASE_LIMITS.components) return files.toSorted();
  throw new CliFailure(EXIT.usage, [`${place} has ${files.length} files; a release has at most ${RELEASE_LIMITS.components} components.`]);
}
