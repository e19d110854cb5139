import { writePaths } from '@connector/kernel/paths';
import { AUDIT, REQUEST } from './steps';

/** What a workload is wanted to use, and the view that it makes. */
export const membershipPaths = writePaths({
  'publish-views': {
    code: 'publish-views',
    about: 'Make the views of an installation’s workloads from its ACTIVE tuple and what they are wanted to use, and point at them.',
    again: 'workload, lineage and catalog revision',
    steps: [
      'read cat_membership_head',
      'read cat_authorized_binding?',
      'insert cat_integration_view',
      'read cat_view_current',
      'update cat_view_current?',
      'insert cat_view_current?',
    ],
  },
  'set-membership': {
    code: 'set-membership',
    about: 'Replace the bindings that a workload is wanted to use, as the organization’s next catalog revision.',
    again: 'caller and request key; the membership that stands',
    steps: [
      'lock cat_lineage',
      ...REQUEST,
      'lock cat_installation',
      'read cat_membership_head#standing',
      'update cat_lineage#revision',
      'insert cat_revision',
      'insert cat_authorized_binding?',
      'insert cat_membership_head?',
      'update cat_membership_head?',
      'read cat_candidate#tuple?',
      AUDIT,
    ],
  },
});
