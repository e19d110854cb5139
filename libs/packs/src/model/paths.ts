import { doors, writePaths } from '@connector/kernel/paths';

const AUDIT = 'insert pck_audit';

export const packPaths = writePaths({
  'register-pack': {
    code: 'register-pack',
    about: 'Register an immutable pack generation; the same bytes again are the same generation.',
    again: 'payload digest',
    steps: [
      'lock pck_publication_barrier',
      'insert pck_publication_barrier?',
      'insert pck_generation',
      'read pck_generation?',
      'insert pck_definition',
      'read pck_installation',
      'insert pck_installation?',
      `${AUDIT}?`,
    ],
  },
  'acquire-pack-barrier': {
    code: 'INT-18',
    about: 'Hold the pack authors of an organization off for one activation attempt, where the generations that it names stand.',
    again: 'activation attempt',
    steps: [
      'lock pck_publication_barrier',
      'read pck_generation#named',
      'update pck_publication_barrier#hold?',
      'update pck_publication_barrier#take-over?',
      `${AUDIT}?`,
    ],
  },
  'release-pack-barrier': {
    code: 'INT-17',
    about: 'Let an organization register packs again.',
    again: 'attempt and barrier fence',
    steps: ['lock pck_publication_barrier', 'update pck_publication_barrier#release', `${AUDIT}?`],
  },
  'pin-generations': {
    code: 'pin-generations',
    about: 'Say that an epoch relies on pack generations, so that nothing takes them away.',
    again: 'epoch id',
    steps: ['lock pck_generation', 'insert pck_epoch_pin', 'read pck_epoch_pin?', 'insert pck_generation_pin', 'read pck_generation_pin?'],
  },
});

export const packDoors = doors(packPaths, {
  'register-pack': { paths: ['register-pack'], by: ['packs'] },
  'pin-generations': { paths: ['pin-generations'], by: ['packs'] },
  'acquire-pack-barrier': { paths: ['acquire-pack-barrier'], by: ['packs'] },
  'release-pack-barrier': { paths: ['release-pack-barrier'], by: ['packs'] },
});
