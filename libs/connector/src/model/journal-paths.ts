import { doors, writePaths } from '@connector/kernel/paths';

/** Writes to the journal database, which survives a restore of the main one (decisions 4, 13.6). */
export const journalPaths = writePaths({
  'declare-predecessor': {
    code: 'declare-predecessor',
    about: 'Write once whether this deployment has a predecessor.',
    again: 'service, and the declared word',
    steps: ['insert jrn_service', 'read jrn_service?'],
  },
  'intend-genesis': {
    code: 'intend-genesis',
    about: 'Name the one attempt that may begin the service.',
    again: 'service and attempt',
    steps: ['read jrn_service', 'read jrn_genesis_commit', 'insert jrn_genesis_intent', 'read jrn_genesis_intent?'],
  },
  'commit-genesis': {
    code: 'commit-genesis',
    about: 'Record that the attempt committed: an epoch was once active.',
    again: 'service and attempt',
    steps: ['read jrn_genesis_intent', 'insert jrn_genesis_commit', 'read jrn_genesis_commit?'],
  },
});

export const journalDoors = doors(journalPaths, {
  'declare-predecessor': { paths: ['declare-predecessor'], by: ['coordinator'] },
  'intend-genesis': { paths: ['intend-genesis'], by: ['coordinator'] },
  'commit-genesis': { paths: ['commit-genesis'], by: ['coordinator'] },
});
