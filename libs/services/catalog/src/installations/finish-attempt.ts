import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import { candidateDocument } from '@connector/catalog/model/installation/candidate';
import { storedBundle } from '@connector/catalog/model/stored-manifest';
import type { Frozen } from '@connector/catalog/reads/publication';
import { readReleaseBytes } from '@connector/catalog/reads/release-bytes';
import { finishAbandonment } from '@connector/catalog/transitions/installation/finish-abandonment.tx';
import { publish } from '@connector/catalog/transitions/installation/publish.tx';
import { withdraw } from '@connector/catalog/transitions/installation/withdraw.tx';
import { invariant } from '@connector/kernel/faults';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { BEHIND_BARRIER, type Continued, fail, frozenOf } from './attempt-end';
import { needsOf, type PublicationParts } from './publication-parts';

/** Step 4, by what the attempt is for. */
export async function finishNow(parts: PublicationParts, attempt: OpenAttempt): Promise<Continued | undefined> {
  const frozen = await frozenOf(parts, attempt);
  if (frozen.kind === 'removal') return afterStep4(parts, attempt, await retrying(ANSWER_SOON, () => withdraw(parts.db, attempt)));
  if (frozen.kind === 'abandonment') {
    return afterStep4(parts, attempt, await retrying(ANSWER_SOON, () => finishAbandonment(parts.db, attempt)));
  }
  return publishNow(parts, attempt, frozen);
}

/** Against the schema as it is now. */
async function publishNow(parts: PublicationParts, attempt: OpenAttempt, { document }: Frozen): Promise<Continued | undefined> {
  const { value: candidate } = candidateDocument.parse(document);
  const release = await readReleaseBytes(parts.db, candidate.app_id, candidate.app_release_digest);
  invariant(release !== undefined, 'HOUSE:catalog:RowVanished', 'a registered release is not there');
  const needs = needsOf(storedBundle(release.bundle));
  const question = { organization: attempt.organization, appReleaseDigest: candidate.app_release_digest, needs };
  const schema = await parts.schema.ready(question);
  if (schema.kind === 'unavailable') return { kind: 'waiting', for: 'schema' };
  if (schema.kind === 'not-ready')
    return fail(parts, attempt, 'SCHEMA_NOT_READY', `${schema.missing.length} component kinds are not served`);
  const { schemaGeneration } = schema;
  return afterStep4(parts, attempt, await retrying(ANSWER_SOON, () => publish(parts.db, { ...attempt, schemaGeneration })));
}

/** Every other answer is in the journal, which is looked at next. */
function afterStep4(
  parts: PublicationParts,
  attempt: OpenAttempt,
  answer: { readonly kind: string; readonly with?: string },
): Promise<Continued | undefined> | undefined {
  if (answer.kind === 'barrier-held') return Promise.resolve(BEHIND_BARRIER);
  if (answer.kind !== 'disagrees') return undefined;
  const code = answer.with === 'schema-generation' ? 'SCHEMA_GENERATION_MOVED' : 'ACKNOWLEDGEMENT_DIFFERS';
  return fail(parts, attempt, code, `${answer.with} is not what was expected`);
}
