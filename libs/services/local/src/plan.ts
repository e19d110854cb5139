import type { Service } from '@connector/kernel/roles';
import type { ConfigKey } from '@connector/platform/host/config-keys';

/** Who may hold a token: a service, or a person's command line, as an operator (`cli`) or as somebody who may less. */
export type TokenHolder = Service | 'cli' | 'publisher' | 'pack-owner' | 'reader';

/** What the supervisor has to know of a service without loading it. A test compares it with what the services say of themselves. */
export interface ServicePlan {
  readonly name: Service;
  /** Its place; another one near it when somebody else has it. */
  readonly port: number;
  /** The key by which the others find it. */
  readonly urlKey: ConfigKey;
  readonly callers: readonly TokenHolder[];
}

/** In the order in which they are stopped: what takes work in first, what others ask last. */
export const SERVICE_PLANS: readonly ServicePlan[] = [
  { name: 'ingress', port: 4410, urlKey: 'INGRESS_URL', callers: [] },
  { name: 'execution-claimant', port: 4411, urlKey: 'CLAIMANT_URL', callers: ['operator'] },
  { name: 'runtime', port: 4412, urlKey: 'RUNTIME_URL', callers: ['execution-claimant', 'catalog', 'operator'] },
  { name: 'egress-adapter', port: 4414, urlKey: 'EGRESS_URL', callers: [] },
  { name: 'outbound-dispatcher', port: 4413, urlKey: 'DISPATCHER_URL', callers: ['egress-adapter'] },
  { name: 'cutover-coordinator', port: 4415, urlKey: 'COORDINATOR_URL', callers: ['operator', 'local'] },
  { name: 'operator', port: 4418, urlKey: 'OPERATOR_URL', callers: ['cli', 'local', 'publisher', 'pack-owner', 'reader'] },
  {
    ...{ name: 'catalog', port: 4417, urlKey: 'CATALOG_URL' },
    callers: ['local', 'operator', 'cutover-coordinator', 'publisher', 'pack-owner', 'reader'],
  },
  { name: 'control', port: 4416, urlKey: 'CONTROL_URL', callers: ['local', 'operator', 'cutover-coordinator'] },
  { name: 'provider-simulator', port: 4419, urlKey: 'SIMULATOR_URL', callers: ['local', 'cli'] },
];

export const SUPERVISOR_PORT = 4420;
export const PROXY_PORT = 4421;

export type ProcessName = Service | `ingress-${number}`;

/** One process of a service: each service is one, but the ingress, which may be several. */
export interface ProcessPlan extends ServicePlan {
  readonly process: ProcessName;
}

/** All processes of one machine, in the order in which they are stopped. Every ingress after the first has its usual place behind all others. */
export function processesOf(ingresses = 1): readonly ProcessPlan[] {
  return SERVICE_PLANS.flatMap((plan) => {
    const further = plan.name === 'ingress' ? Array.from({ length: ingresses - 1 }, (_, at) => at + 2) : [];
    const more = further.map((n): ProcessPlan => ({ ...plan, process: `ingress-${n}`, port: PROXY_PORT + n - 1 }));
    return [{ ...plan, process: plan.name }, ...more];
  });
}

/** The one that calls providers: of its generations termination and isolation are proved. */
export const ADAPTER: Service = 'egress-adapter';
/** Names of whoever issues receipts; the same over restarts, for a receipt belongs to who first gave it. */
export const SUPERVISOR = 'local';
export const EGRESS_CONTROLLER = 'local-egress-proxy';
