import type { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import { type AskedInstallation, failed } from './asked';

/** Somebody who still reads the frozen source of an App, with the release to which it was converted. */
export interface OpenReader {
  readonly reader: string;
  readonly converted: Digest;
}

/** While somebody reads the frozen source of a converted App, the App stays at the release to which it was converted (cat:COEX-04). */
export function readerFaults({ appReleaseDigest }: AskedInstallation, readers: readonly OpenReader[]): readonly DocumentFault[] {
  return readers
    .filter(({ converted }) => converted !== appReleaseDigest)
    .map(({ reader, converted }) =>
      failed('COEX-04', '/app_release_digest', 'LEGACY_READER_LEFT', `${converted}, as ${reader} reads the pack`, appReleaseDigest),
    );
}
