import { doors, writePaths } from '@connector/kernel/paths';

export const catalogPaths = writePaths({
  'set-interim-view': {
    code: 'set-interim-view',
    about: 'Set the interim binding view of a workload as its next catalog revision.',
    again: 'installation, workload and catalog revision',
    steps: ['read cat_interim_view#head', 'insert cat_interim_view', 'read cat_interim_view?'],
  },
});

export const catalogDoors = doors(catalogPaths, { 'set-interim-view': { paths: ['set-interim-view'], by: ['catalog'] } });
