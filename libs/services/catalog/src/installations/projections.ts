import { candidateDocument } from '@connector/catalog/model/installation/candidate';
import { isReleaseKind } from '@connector/catalog/model/installation/candidate-kind';
import { compileTuple } from '@connector/catalog/model/installation/tuple';
import { withdrawalDocument } from '@connector/catalog/model/installation/withdrawal';
import { appReleaseDigest } from '@connector/catalog/model/release-digests';
import { storedManifest } from '@connector/catalog/model/stored-manifest';
import type { Frozen } from '@connector/catalog/reads/publication';
import { readReleaseBytes } from '@connector/catalog/reads/release-bytes';
import type { Digest } from '@connector/kernel/digest';
import type { DocumentBytes } from '@connector/kernel/document';
import { InputFault } from '@connector/kernel/faults';
import { projectionOf } from '@connector/security/contract/projection';
import type { PublicationParts } from './publication-parts';

interface Projections {
  readonly tuple: DocumentBytes;
  readonly projectionDigest: Digest;
}

/** What serves once the attempt is published, made from what step 1 froze. undefined where a stored document is not what its digest says. */
export async function projectionsOf(parts: PublicationParts, frozen: Frozen): Promise<Projections | undefined> {
  try {
    const tuple = isReleaseKind(frozen.kind) ? await tupleOf(parts, frozen) : withdrawalOf(frozen);
    return tuple && { tuple, projectionDigest: projectionOf(frozen.appGrants, frozen.otherInputsDigest).digest };
  } catch (thrown) {
    if (thrown instanceof InputFault) return undefined;
    throw thrown;
  }
}

async function tupleOf({ db }: PublicationParts, frozen: Frozen): Promise<DocumentBytes | undefined> {
  const { value: candidate, digest } = candidateDocument.parse(frozen.document);
  const release = await readReleaseBytes(db, candidate.app_id, candidate.app_release_digest);
  const stored = release !== undefined && appReleaseDigest(release.manifest) === candidate.app_release_digest;
  return stored && digest === frozen.documentDigest ? compileTuple(candidate, storedManifest(release.manifest)) : undefined;
}

function withdrawalOf({ document, documentDigest }: Frozen): DocumentBytes | undefined {
  const { digest } = withdrawalDocument.parse(document);
  return digest === documentDigest ? { bytes: document, digest } : undefined;
}
