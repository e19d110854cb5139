import type { Migration } from './migration';
import { catalog } from './main-0006-publication-barriers/catalog';
import { packs } from './main-0006-publication-barriers/packs';
import { serving } from './main-0006-publication-barriers/serving';

/** Breaking: a writer that does not know the barriers would author past one that is held. */
export const mainPublicationBarriers: Migration = {
  revision: 6,
  name: 'publication-barriers',
  breaking: true,
  statements: [...catalog, ...packs, ...serving],
};
