import { InputFault, invariant } from '@connector/kernel/faults';
import type { Json } from '@connector/kernel/jcs';
import { BodyFault, type FieldFault } from '@connector/platform/host/problem';
import type { ProblemName } from './api/problems';
import type { OwnerAnswer } from './owner-client';
import { RowProblem } from './row-problem';
import { trustRefused } from './trust-refusals';

/** Refusals that list the faults of a document. */
export type Faulty = Extract<
  ProblemName,
  'ReleaseFaulty' | 'MembershipFaulty' | 'BindingIncompatible' | 'PreparationFaulty' | 'PreparationRefused'
>;

interface Said {
  readonly detail: (body: OwnerAnswer['body']) => string;
  readonly next: string;
}
const said = (detail: string | Said['detail'], next: string): Said => ({
  detail: typeof detail === 'string' ? () => detail : detail,
  next,
});
const LOOK = 'connector installs list --organization <id>';
const at = (body: OwnerAnswer['body'], member: string): string => String(body.get(member));
const all = (body: OwnerAnswer['body'], member: string): string => {
  const held = body.get(member);
  return Array.isArray(held) ? held.join(', ') : '';
};

/** Where an installation goes from each state (cat:A-29). */
const WAYS: Readonly<Record<string, string>> = {
  PREPARING: 'by resume or abandon',
  ACTIVE: 'by upgrade, rollback or remove',
  UPGRADING: 'by resume or abandon',
  ROLLING_BACK: 'by resume or abandon',
  REMOVING: 'by resume alone',
  FAILED: 'by resume, by remove, and where it ever served by upgrade and rollback; a removal that failed goes by resume alone',
  REMOVED: 'nowhere: the App is installed anew',
};

/** What a refusal of the catalog means in words: what was expected, what was found, and what to do; the plain members go beside it. */
const SAID: Readonly<Record<string, Said>> = {
  'conflicting-publisher': said('The publisher is registered with other AppID prefixes.', 'connector publishers list'),
  'conflicting-key': said('The key is registered with another window, or for another publisher.', 'connector publishers list'),
  'key-revoked': said(
    // The reason begins with the person.
    (body) =>
      `The key was revoked at ${at(body, 'revoked_at')}, ${at(body, 'reason')}. It is not accepted again; the publisher makes a new one.`,
    'connector publishers keygen --out <file>',
  ),
  'unknown-publisher': said('No publisher of this id is registered.', 'connector publishers list'),
  'unknown-key': said('The publisher has no such key.', 'connector publishers list'),
  'unknown-transfer': said('The App has no such offer.', 'connector apps list'),
  'digest-differs': said('The bytes are not of the digest under which they were sent.', 'connector releases validate <folder>'),
  corrupt: said('The stored bytes are not of their digest any more.', 'connector releases validate <folder>'),
  'blob-corrupt': said('The stored bytes of a behavior are not of their digest any more.', 'connector releases validate <folder>'),
  'publication-open': said(
    (body) =>
      body.has('attempt')
        ? `Attempt ${at(body, 'attempt')} of ${at(body, 'installation')} is open; an organization has one publication at a time, and that one has to end first.`
        : 'The open publication of the installation staged the binding, and decides about it.',
    LOOK,
  ),
  'live-installation-exists': said((body) => `The App is installed in this organization already, as ${at(body, 'installation')}.`, LOOK),
  'no-installation': said('The organization has no such installation.', LOOK),
  'installation-absent': said('The organization has no such installation.', LOOK),
  'installation-removed': said('The installation was removed.', LOOK),
  'release-absent': said('The App has no such release.', 'connector apps get <app>'),
  'other-app': said('The release is of another App than the installation.', LOOK),
  'no-binding': said('The installation has no such binding.', LOOK),
  'no-reference': said('Nothing refers to the binding under this id.', LOOK),
  'not-active': said('The installation serves no release now, so nothing of it can be bound.', LOOK),
  'release-moved': said('The installation serves another release than the binding is of.', LOOK),
  'not-staged': said((body) => `The binding is ${at(body, 'state')}; this starts from STAGED.`, LOOK),
  'not-draining': said((body) => `The binding is ${at(body, 'state')}; this starts from DRAINING.`, LOOK),
  'not-serving': said((body) => `The binding is ${at(body, 'state')}; only what is ACTIVE or DRAINING is referred to.`, LOOK),
  'already-closed': said('The reference was closed, and is not opened again.', LOOK),
  'conflicting-reference': said(
    (body) => `Something of the kind ${at(body, 'reference_kind')} refers to the binding under this id; another has an id of its own.`,
    LOOK,
  ),
  'still-referred-to': said(
    (body) => `Still referred to by ${all(body, 'references')}. They are closed by their owners, or the retention is decided.`,
    LOOK,
  ),
  'same-release': said('The installation serves this release already; an upgrade goes to another one.', LOOK),
  'not-a-prior-release': said(
    'The installation never served this release; a rollback goes to one that its journal has as published.',
    LOOK,
  ),
  'dependents-live': said(
    (body) => `Resolved to it: ${all(body, 'installations')}. They are upgraded to something else, or removed, first.`,
    LOOK,
  ),
  'already-given-up': said(
    (body) =>
      `Its candidate was given up: attempt ${at(body, 'attempt')} takes it back from Runtime security, and the catalog goes on by itself.`,
    LOOK,
  ),
  'transition-not-allowed': said(
    (body) => `The installation is ${at(body, 'state')}; from there it goes ${WAYS[at(body, 'state')] ?? 'nowhere'}.`,
    LOOK,
  ),
};
const ABSENT: ReadonlySet<string> = new Set([
  ...['unknown-publisher', 'unknown-key', 'unknown-transfer'],
  ...['no-binding', 'no-reference', 'no-installation', 'installation-absent', 'release-absent'],
]);

/** Why the catalog did not do it: a problem of ours for each answer that is no success. `look`: where what was asked about is seen. */
export function refusalOf(answer: OwnerAnswer, faulty: Faulty = 'ReleaseFaulty', look?: string): Error {
  const { kind, body } = answer;
  if (kind === 'problem') return passedOn(answer, faulty);
  if (kind === 'conflicting-release') return versionTaken(body);
  if (kind === 'barrier-held') return heldOff(body);
  if (kind === 'refused') return trustRefused(plain(body));
  const words = SAID[kind];
  invariant(words !== undefined, 'HOUSE:operator:AnswerUnknown', `the catalog answered ${answer.status} ${kind}`);
  const [detail, nextSteps] = [
    `${words.detail(body)} Nothing was written.`,
    [words.next === LOOK && !ABSENT.has(kind) ? (look ?? LOOK) : words.next],
  ];
  if (ABSENT.has(kind)) return new RowProblem('NotFound', { detail, nextSteps });
  return new RowProblem('CatalogRefused', { detail, nextSteps, actual: plain(body) });
}

/** By an activation (cat:INT-16): nothing is wrong with what was asked for, and no time makes it possible, only the end of that attempt. */
export function heldOff(body: OwnerAnswer['body']): RowProblem {
  const actual = { attempt_id: plain(body)['attempt_id'] };
  const detail = `The activation attempt ${String(actual.attempt_id)} holds the authors of this off until it is over. Nothing was written.`;
  const nextSteps = [
    'send the same request again when that attempt is over',
    'ask for the activation again with the same ids: it goes on where it stopped, and lets go at its end',
    `connector barriers release ${String(actual.attempt_id)} --plan, if it is given up`,
  ];
  return new RowProblem('PublicationBarrierHeld', { detail, actual, headers: { 'retry-after': '5' }, nextSteps });
}

/** What was expected has moved since it was looked at. */
export function movedFrom(expected: object, { body }: OwnerAnswer, next: string): RowProblem {
  const detail = 'Something moved since you looked, so nothing was done.';
  return new RowProblem('CatalogMoved', { detail, expected, actual: plain(body), nextSteps: [next] });
}

const MOVED: ReadonlySet<string> = new Set([
  ...['expected-moved', 'revision-moved', 'state-moved', 'activation-epoch-moved', 'attempt-moved'],
]);

/** Why an act on an installation was not done; `again`: where what has moved is planned anew. */
export function actRefused(answer: OwnerAnswer, expected: object, look: string, again = look): Error {
  return MOVED.has(answer.kind) ? movedFrom(expected, answer, again) : refusalOf(answer, 'PreparationRefused', look);
}

function versionTaken(body: OwnerAnswer['body']): RowProblem {
  const detail = 'This version of the App is registered with other bytes. A version names one release for ever. Nothing was written.';
  const expected = { release_digest: plain(body)['stored_digest'] };
  const actual = { release_digest: plain(body)['given_digest'] };
  return new RowProblem('ReleaseVersionTaken', {
    detail,
    expected,
    actual,
    nextSteps: ['connector releases diff <app>@<version> <folder>'],
  });
}

/** A problem document of the catalog: its list of faults stays as it is, member by member. */
function passedOn({ status, body }: OwnerAnswer, faulty: Faulty): Error {
  const errors = fieldsOf(body.get('errors'));
  const [code, detail] = [String(body.get('code')), String(body.get('detail'))];
  if (status === 422) return new RowProblem(faulty, { detail, errors, errorsMore: Number(body.get('errors_more') ?? 0) });
  invariant(status === 400, 'HOUSE:operator:AnswerUnknown', `the catalog answered ${status} ${code}`);
  return errors.length > 0 ? new BodyFault(errors) : new InputFault(code, detail);
}

const isField = (value: unknown): value is FieldFault =>
  typeof value === 'object' && value !== null && 'pointer' in value && 'detail' in value;
const fieldsOf = (value: unknown): readonly FieldFault[] => (Array.isArray(value) ? value.filter(isField) : []);

/** The members that a row can have: text, numbers and what is not there. */
function plain(body: OwnerAnswer['body']): Readonly<Record<string, Json>> {
  const entries = [...body].filter((entry): entry is [string, Json] => entry[1] === null || typeof entry[1] !== 'object');
  return Object.fromEntries(entries);
}
