import type { AskedInstallation } from '@connector/catalog/model/installation/asked';
import type { Attempt } from '@connector/catalog/model/installation/attempt';
import type { ExistingPlace, ExpectedBasis } from '@connector/catalog/model/installation/gathered';
import type { Refusal } from '@connector/catalog/model/installation/publication';
import type { RequestKey } from '@connector/catalog/model/request';
import { readEnd } from '@connector/catalog/reads/publication';
import { type OpenedPublication, openPublication } from '@connector/catalog/transitions/installation/open-publication.tx';
import { invariant } from '@connector/kernel/faults';
import { OperationId } from '@connector/kernel/ids';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { type Continued, continuePublication } from './continue-publication';
import { gather, type PreparationParts } from './gather';

export interface PrepareInstallation {
  readonly organization: string;
  /** null for a new installation; else the one whose next attempt this is. */
  readonly existing: ExistingPlace | null;
  readonly asked: AskedInstallation;
  /** Of the plan that somebody confirmed; left out where nobody did. */
  readonly expected?: ExpectedBasis | undefined;
}

type NotOpened = Exclude<OpenedPublication, { readonly kind: 'opened' | 'refused' }>;
export type Installed =
  /** The attempt was opened; `end` is how far it came. */
  | ({ readonly kind: 'opened'; readonly end: Continued } & Attempt)
  | ({ readonly kind: 'refused'; readonly refusal: Refusal } & Attempt)
  | NotOpened
  | { readonly kind: 'release-absent' };

/** Others may take a revision while facts are gathered; more often than this in a row is left to the caller. */
const TRIES_MAX = 5;

/** Prepares a candidate and takes its publication as far as it comes now; the rest is the journal's (cat:PUBL-09). */
export async function prepareInstallation(parts: PreparationParts, input: PrepareInstallation, request: RequestKey): Promise<Installed> {
  const commandId = OperationId.mint();
  for (let tries = 1; ; tries += 1) {
    const facts = await gather(parts, input.organization, input.asked);
    if (facts.kind !== 'gathered') return facts;
    const { release, gathered } = facts;
    const opened = await retrying(ANSWER_SOON, () => openPublication(parts.db, { ...input, release, gathered, commandId }, request));
    if (opened.kind !== 'revision-moved' || tries === TRIES_MAX) return after(parts, input.organization, opened);
  }
}

async function after(parts: PreparationParts, organization: string, opened: OpenedPublication): Promise<Installed> {
  if (opened.kind !== 'opened' && opened.kind !== 'refused') return opened;
  const { installation, attempt } = opened;
  if (opened.kind === 'opened') {
    return { kind: 'opened', installation, attempt, end: await continuePublication(parts, { organization, installation, attempt }) };
  }
  const end = await readEnd(parts.db, { organization, installation, attempt });
  invariant(end?.kind === 'refused', 'HOUSE:catalog:JournalIncomplete', 'a refused attempt has no entry');
  return { kind: 'refused', installation, attempt, refusal: end.refusal };
}
