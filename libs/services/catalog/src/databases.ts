/** The databases of this process, one a user: the tokens by which controllers are given them. */
export const CATALOG_DB = Symbol('catalog-db');
export const PACKS_DB = Symbol('packs-db');
