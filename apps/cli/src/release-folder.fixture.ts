import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface FolderContent {
  readonly manifestBytes: Buffer;
  readonly bundleBytes: Buffer;
  readonly blobs: readonly { readonly bytes: Buffer }[];
}

/** A release as its author keeps it: canonical, or in the layout of a person's editor. */
export async function writeRelease(folder: string, release: FolderContent, layout: 'canonical' | 'readable' = 'canonical'): Promise<void> {
  const text = (bytes: Buffer): string | Buffer =>
    layout === 'canonical' ? bytes : `${JSON.stringify(JSON.parse(bytes.toString('utf8')), null, 2)}\n`;
  await mkdir(join(folder, 'behaviors'), { recursive: true });
  await writeFile(join(folder, 'manifest.json'), text(release.manifestBytes));
  await writeFile(join(folder, 'bundle.json'), text(release.bundleBytes));
  for (const [at, { bytes }] of release.blobs.entries()) await writeFile(join(folder, 'behaviors', `part-${at}.json`), text(bytes));
}
