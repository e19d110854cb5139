import { advanceAppGrants } from '@connector/security/transitions/advance-app-grants.tx';
import { setOtherInputs } from '@connector/security/transitions/set-other-inputs.tx';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import { advanceOf, grantsOf, legible, otherInputsOf } from '../../fixtures/security';
import { act, type DoorCase } from './door-case';

const GRANTS = grantsOf('org-1', { 'inst-1': ['runtime.records.read.v1'] });

/** What Runtime security binds. */
export const SECURITY_CASES: readonly DoorCase[] = [
  {
    door: 'advance-app-grants',
    way: 'the first of an organization',
    arrange: () => {
      const command = advanceOf('org-1', GRANTS);
      return Promise.resolve(act(ANSWER_SOON, (db) => advanceAppGrants(db, command), legible));
    },
  },
  {
    door: 'advance-app-grants',
    way: 'a further one',
    arrange: async ({ main }) => {
      await advanceAppGrants(main.db, advanceOf('org-1', GRANTS));
      const command = advanceOf('org-1', grantsOf('org-1', {}), 1n);
      return act(ANSWER_SOON, (db) => advanceAppGrants(db, command), legible);
    },
  },
  {
    door: 'set-other-inputs',
    arrange: async ({ main }) => {
      await advanceAppGrants(main.db, advanceOf('org-1', GRANTS));
      const input = otherInputsOf('org-1');
      return act(ANSWER_SOON, (db) => setOtherInputs(db, input), legible);
    },
  },
];
