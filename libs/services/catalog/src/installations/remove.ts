import type { Attempt } from '@connector/catalog/model/installation/attempt';
import { type RequestKey, requestOf } from '@connector/catalog/model/request';
import { retireBinding } from '@connector/catalog/transitions/binding/retire-binding.tx';
import { type FinishedRemoval, type FinishRemoval, finishRemoval } from '@connector/catalog/transitions/installation/finish-removal.tx';
import { type OpenedRemoval, openRemoval } from '@connector/catalog/transitions/installation/open-removal.tx';
import { OperationId } from '@connector/kernel/ids';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { BEHIND_BARRIER } from './attempt-end';
import { type Continued, continuePublication } from './continue-publication';
import { answered } from './gather';
import type { PublicationParts } from './publication-parts';
import type { SeenInstallation } from './standing';

/** How far a removal came: REMOVED, or it waits for what still refers to its bindings, or for an owner. */
export type Removal = Continued | { readonly kind: 'removed' } | { readonly kind: 'gates-open'; readonly bindings: readonly string[] };
export type Removed = ({ readonly kind: 'opened'; readonly end: Removal } & Attempt) | Exclude<OpenedRemoval, { readonly kind: 'opened' }>;

/**
 * Gives an installation up: a projection without its grants, a revision without it, and then what still refers to it (cat:INST-T09, cat:INST-T10).
 * RetryableFault `HOUSE:catalog:OwnerUnavailable` where Runtime security does not say at which epoch it is: nothing was written then.
 */
export async function removeInstallation(parts: PublicationParts, seen: SeenInstallation, request: RequestKey): Promise<Removed> {
  const { organization, installation, expectedState: state, expectedActivationEpoch: activationEpoch, expected } = seen;
  const basis = answered('security', await parts.security.readHead(organization));
  const input = { organization, installation, state, activationEpoch, basis, expected, commandId: OperationId.mint() };
  const opened = await retrying(ANSWER_SOON, () => openRemoval(parts.db, input, request));
  if (opened.kind !== 'opened') return opened;
  return { ...opened, end: await continueRemoval(parts, { organization, installation, attempt: opened.attempt }) };
}

export async function continueRemoval(parts: PublicationParts, attempt: Attempt & { readonly organization: string }): Promise<Removal> {
  const end = await continuePublication(parts, attempt);
  const { organization, installation } = attempt;
  return end.kind === 'published' ? passGates(parts, { organization, installation }) : end;
}

/** Of what was withdrawn: its bindings retire as soon as nothing refers to them; looked at again until none is left. */
export async function passGates({ db }: PublicationParts, of: FinishRemoval): Promise<Removal> {
  const found = await retrying(ANSWER_SOON, () => finishRemoval(db, of));
  if (found.kind !== 'gates-open') return told(found);
  for (const bindingId of found.bindings) {
    const request = requestOf('catalog', `retire-${bindingId}`, { door: 'retire-binding', ...of, bindingId });
    await retrying(ANSWER_SOON, () => retireBinding(db, { ...of, bindingId }, request));
  }
  return told(await retrying(ANSWER_SOON, () => finishRemoval(db, of)));
}

function told(answer: FinishedRemoval): Removal {
  if (answer.kind === 'barrier-held') return BEHIND_BARRIER;
  if (answer.kind === 'removed' || answer.kind === 'already-removed') return { kind: 'removed' };
  return answer.kind === 'gates-open' ? answer : { kind: 'not-open' };
}
