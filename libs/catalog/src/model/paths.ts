import { doors } from '@connector/kernel/paths';
import { barrierPaths } from './barrier-paths';
import { conversionPaths } from './conversion-paths';
import { installationPaths } from './installation-paths';
import { lifecyclePaths } from './lifecycle-paths';
import { membershipPaths } from './membership-paths';
import { registryPaths } from './registry-paths';

/** The doors of the App authority; their paths stand in a file an area. */
export const catalogDoors = doors(
  { ...registryPaths, ...barrierPaths, ...installationPaths, ...lifecyclePaths, ...membershipPaths, ...conversionPaths },
  {
    'register-publisher': { paths: ['register-publisher'], by: ['catalog'] },
    'add-publisher-key': { paths: ['add-publisher-key'], by: ['catalog'] },
    'revoke-publisher-key': { paths: ['revoke-publisher-key'], by: ['catalog'] },
    'open-publication': { paths: ['judge-trust', 'open-publication'], by: ['catalog'] },
    'record-compiled': { paths: ['record-compiled'], by: ['catalog'] },
    'record-acknowledged': { paths: ['record-acknowledged'], by: ['catalog'] },
    publish: { paths: ['pass-barrier', 'publish', 'publish-views'], by: ['catalog'] },
    'fail-publication': { paths: ['pass-barrier', 'fail-publication'], by: ['catalog'] },
    'abandon-candidate': { paths: ['pass-barrier', 'abandon-candidate'], by: ['catalog'] },
    'supersede-abandonment': { paths: ['pass-barrier', 'supersede-abandonment'], by: ['catalog'] },
    'finish-abandonment': { paths: ['pass-barrier', 'finish-abandonment'], by: ['catalog'] },
    'open-removal': { paths: ['pass-barrier', 'open-removal'], by: ['catalog'] },
    withdraw: { paths: ['pass-barrier', 'withdraw'], by: ['catalog'] },
    'finish-removal': { paths: ['pass-barrier', 'finish-removal'], by: ['catalog'] },
    'stage-binding': { paths: ['pass-barrier', 'stage-binding'], by: ['catalog'] },
    'activate-binding': { paths: ['pass-barrier', 'activate-binding', 'take-over-capability'], by: ['catalog'] },
    'retire-binding': { paths: ['pass-barrier', 'retire-binding'], by: ['catalog'] },
    'fail-binding': { paths: ['pass-barrier', 'fail-binding'], by: ['catalog'] },
    'open-binding-reference': { paths: ['open-binding-reference'], by: ['catalog'] },
    'close-binding-reference': { paths: ['close-binding-reference'], by: ['catalog'] },
    'decide-retention': { paths: ['decide-retention'], by: ['catalog'] },
    'acquire-barrier': { paths: ['acquire-barrier'], by: ['catalog'] },
    'release-barrier': { paths: ['release-barrier'], by: ['catalog'] },
    'register-release': { paths: ['register-release'], by: ['catalog'] },
    'offer-transfer': { paths: ['offer-transfer'], by: ['catalog'] },
    'accept-transfer': { paths: ['accept-transfer'], by: ['catalog'] },
    'recover-app': { paths: ['recover-app'], by: ['catalog'] },
    'block-release': { paths: ['block-release'], by: ['catalog'] },
    'fail-conversion': { paths: ['fail-conversion'], by: ['catalog'] },
    'retire-legacy-reader': { paths: ['retire-legacy-reader'], by: ['catalog'] },
    'delete-legacy-pack': { paths: ['delete-legacy-pack'], by: ['catalog'] },
    'set-membership': { paths: ['pass-barrier', 'set-membership', 'publish-views'], by: ['catalog'] },
  },
);
