import { doors, writePaths } from '@connector/kernel/paths';

export const packPaths = writePaths({
  'register-pack': {
    code: 'register-pack',
    about: 'Register an immutable pack generation; the same bytes again are the same generation.',
    again: 'payload digest',
    steps: ['read pck_installation', 'insert pck_installation?', 'insert pck_generation', 'read pck_generation?', 'insert pck_definition'],
  },
});

export const packDoors = doors(packPaths, { 'register-pack': { paths: ['register-pack'], by: ['packs'] } });
