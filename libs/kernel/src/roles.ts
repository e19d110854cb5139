/** The services: one app, one process, one port each. */
export const SERVICES = [
  'ingress',
  'execution-claimant',
  'runtime',
  'outbound-dispatcher',
  'egress-adapter',
  'cutover-coordinator',
  'control',
  'catalog',
  'operator',
  'provider-simulator',
  'local',
] as const;
export type Service = (typeof SERVICES)[number];

/** The database users. A process that hosts two owners has two (decisions 4, 12.1); who may write what follows from the doors. */
export const DB_ROLES = [
  'ingress',
  'claimant',
  'runtime',
  'dispatcher',
  'egress',
  'coordinator',
  'verifier',
  'control',
  'catalog',
  'packs',
  'artifacts',
  'security',
  'operator',
] as const;
export type DbRole = (typeof DB_ROLES)[number];
