import { writePaths } from '@connector/kernel/paths';
import { MAY_TAKE_REVISION } from './steps';

/** What lives in an organization, as step 1 asks it. */
const ORGANIZATION = ['read cat_installation#live?', 'read cat_candidate#active?', 'read cat_namespace_claim#open?'] as const;
/** An attempt that ended: what it staged and claimed goes with it, and what Runtime may hold of it is taken back by another. */
export const END_ATTEMPT = [
  'insert cat_publication_step?',
  'update cat_binding_state#fail?',
  'read cat_namespace_claim#open?',
  'update cat_namespace_claim#close?',
] as const;

/** What giving up writes: a candidate that is abandoned, and an installation that is removed. */
export const lifecyclePaths = writePaths({
  'abandon-candidate': {
    code: 'INST-T05',
    about: 'Give a candidate up; what was ACTIVE stays.',
    again: 'the request key',
    steps: [
      'lock cat_lineage',
      'read cat_request',
      'lock cat_installation?',
      'read cat_candidate#ending?',
      'read cat_publication_step?',
      ...END_ATTEMPT,
      'update cat_lineage#close?',
      'read cat_installation#live?',
      'read cat_candidate#active?',
      'insert cat_candidate?',
      'update cat_lineage#open?',
      'update cat_installation#abandon?',
      'update cat_installation#take-back?',
      'update cat_installation#give-up?',
      'insert cat_audit?',
      'insert cat_request?',
    ],
  },
  'supersede-abandonment': {
    code: 'A-31',
    about: 'Another command in the place of an abandonment’s that was stale.',
    again: 'installation and attempt',
    steps: [
      'lock cat_lineage',
      'lock cat_installation?',
      'read cat_candidate#ending?',
      'insert cat_publication_step?',
      'update cat_lineage#close?',
      ...ORGANIZATION,
      'insert cat_candidate?',
      'update cat_lineage#open?',
      'update cat_installation#supersede?',
      'insert cat_audit?',
    ],
  },
  'finish-abandonment': {
    code: 'INST-T08',
    about: 'End the abandonment of a candidate that Runtime holds no more.',
    again: 'installation and attempt',
    steps: [
      'lock cat_lineage',
      'lock cat_installation?',
      'read cat_publication_step',
      'read cat_candidate#withdrawal?',
      'update cat_installation#active-again?',
      'update cat_lineage#close?',
      'insert cat_publication_step?',
      'insert cat_audit?',
    ],
  },
  'open-removal': {
    code: 'INST-T09',
    about: 'Freeze what withdraws an installation from serving.',
    again: 'the request key',
    steps: [
      'lock cat_lineage',
      'read cat_request',
      'lock cat_installation?',
      ...ORGANIZATION,
      'read cat_candidate#last?',
      'insert cat_candidate?',
      'insert cat_publication_step?',
      'update cat_installation#remove?',
      'update cat_lineage#open?',
      'insert cat_audit?',
      'insert cat_request?',
    ],
  },
  withdraw: {
    code: 'A-28',
    about: 'Publish the revision in which an installation does not serve.',
    again: 'installation and attempt',
    steps: [
      'lock cat_lineage',
      'lock cat_installation?',
      'read cat_publication_step',
      'read cat_candidate#withdrawal?',
      'read cat_binding_state#active?',
      'update cat_binding_state#drain?',
      'update cat_binding_state#fail?',
      ...MAY_TAKE_REVISION,
      'update cat_installation#withdraw?',
      'update cat_lineage#close?',
      'insert cat_publication_step?',
      'insert cat_audit?',
    ],
  },
  'finish-removal': {
    code: 'INST-T10',
    about: 'Free the reservation of an installation that nothing refers to any more.',
    again: 'installation',
    steps: [
      'lock cat_lineage',
      'lock cat_installation?',
      'read cat_publication_step?',
      'read cat_binding_state#held?',
      'read cat_namespace_claim#open?',
      'update cat_namespace_claim#close?',
      'update cat_installation#finish?',
      'insert cat_publication_step?',
      'insert cat_audit?',
    ],
  },
});
