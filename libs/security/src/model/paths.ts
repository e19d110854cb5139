import { doors, writePaths } from '@connector/kernel/paths';

/** Both raise the epoch of one organization under its head, and differ in which input they replace. */
const STEPS = [
  'lock sec_head',
  'insert sec_head?',
  'read sec_command',
  'read sec_projection#bound?',
  'read sec_projection?',
  'insert sec_command',
  'insert sec_projection',
  'update sec_head',
] as const;

export const securityPaths = writePaths({
  'advance-app-grants': {
    code: 'advance-app-grants',
    about: 'Bind the App grants that Catalog committed to the next security epoch of their organization.',
    again: 'command id and payload',
    steps: STEPS,
  },
  'set-other-inputs': {
    code: 'set-other-inputs',
    about: 'Replace the security inputs that come from no App; they too are a new epoch.',
    again: 'operation id and payload',
    steps: STEPS,
  },
});

export const securityDoors = doors(securityPaths, {
  'advance-app-grants': { paths: ['advance-app-grants'], by: ['security'] },
  'set-other-inputs': { paths: ['set-other-inputs'], by: ['security'] },
});
