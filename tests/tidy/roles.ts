import type { DbRole, Service } from '@connector/kernel/roles';

/** Which service a database user belongs to: whoever may open a door runs there. */
export const SERVICE_OF: Readonly<Record<DbRole, Service>> = {
  ingress: 'ingress',
  claimant: 'execution-claimant',
  runtime: 'runtime',
  dispatcher: 'outbound-dispatcher',
  egress: 'egress-adapter',
  coordinator: 'cutover-coordinator',
  verifier: 'cutover-coordinator',
  control: 'control',
  catalog: 'catalog',
  packs: 'catalog',
  artifacts: 'catalog',
  security: 'runtime',
  operator: 'operator',
};
