import { doors, writePaths } from '@connector/kernel/paths';

export const artifactPaths = writePaths({
  'put-blob': {
    code: 'put-blob',
    about: 'Store the behaviour bytes of a component under their ComponentDigest.',
    again: 'component digest',
    steps: ['insert art_blob', 'read art_blob?'],
  },
});

export const artifactDoors = doors(artifactPaths, { 'put-blob': { paths: ['put-blob'], by: ['artifacts'] } });
