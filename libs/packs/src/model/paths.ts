import { doors, writePaths } from '@connector/kernel/paths';

export const packPaths = writePaths({
  'register-pack': {
    code: 'register-pack',
    about: 'Register an immutable pack generation; the same bytes again are the same generation.',
    again: 'payload digest',
    steps: ['read pck_installation', 'insert pck_installation?', 'insert pck_generation', 'read pck_generation?', 'insert pck_definition'],
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
});
