import { type Members, membersOf } from '../members';

/** What a plan expects: a confirmation says it again, so that the plan is made again from it and found to have the digest. */
export const expectedOf = (planned: Members): Members => membersOf(membersOf(planned['plan'])['expected']);
