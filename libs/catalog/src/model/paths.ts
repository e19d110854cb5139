import { doors } from '@connector/kernel/paths';
import { installationPaths } from './installation-paths';
import { lifecyclePaths } from './lifecycle-paths';
import { membershipPaths } from './membership-paths';
import { registryPaths } from './registry-paths';

/** The doors of the App authority; their paths stand in a file an area. */
export const catalogDoors = doors(
  { ...registryPaths, ...installationPaths, ...lifecyclePaths, ...membershipPaths },
  {
    'register-publisher': { paths: ['register-publisher'], by: ['catalog'] },
    'add-publisher-key': { paths: ['add-publisher-key'], by: ['catalog'] },
    'revoke-publisher-key': { paths: ['revoke-publisher-key'], by: ['catalog'] },
    'open-publication': { paths: ['judge-trust', 'open-publication'], by: ['catalog'] },
    'record-compiled': { paths: ['record-compiled'], by: ['catalog'] },
    'record-acknowledged': { paths: ['record-acknowledged'], by: ['catalog'] },
    publish: { paths: ['publish', 'publish-views'], by: ['catalog'] },
    'fail-publication': { paths: ['fail-publication'], by: ['catalog'] },
    'abandon-candidate': { paths: ['abandon-candidate'], by: ['catalog'] },
    'supersede-abandonment': { paths: ['supersede-abandonment'], by: ['catalog'] },
    'finish-abandonment': { paths: ['finish-abandonment'], by: ['catalog'] },
    'open-removal': { paths: ['open-removal'], by: ['catalog'] },
    withdraw: { paths: ['withdraw'], by: ['catalog'] },
    'finish-removal': { paths: ['finish-removal'], by: ['catalog'] },
    'stage-binding': { paths: ['stage-binding'], by: ['catalog'] },
    'activate-binding': { paths: ['activate-binding'], by: ['catalog'] },
    'retire-binding': { paths: ['retire-binding'], by: ['catalog'] },
    'fail-binding': { paths: ['fail-binding'], by: ['catalog'] },
    'open-binding-reference': { paths: ['open-binding-reference'], by: ['catalog'] },
    'close-binding-reference': { paths: ['close-binding-reference'], by: ['catalog'] },
    'decide-retention': { paths: ['decide-retention'], by: ['catalog'] },
    'register-release': { paths: ['register-release'], by: ['catalog'] },
    'offer-transfer': { paths: ['offer-transfer'], by: ['catalog'] },
    'accept-transfer': { paths: ['accept-transfer'], by: ['catalog'] },
    'recover-app': { paths: ['recover-app'], by: ['catalog'] },
    'block-release': { paths: ['block-release'], by: ['catalog'] },
    'set-membership': { paths: ['set-membership', 'publish-views'], by: ['catalog'] },
  },
);
