import { catalog } from '@connector/services/catalog/src/catalog.service';
import { control } from '@connector/services/control/src/control.service';
import { cutoverCoordinator } from '@connector/services/cutover-coordinator/src/cutover-coordinator.service';
import { egressAdapter } from '@connector/services/egress-adapter/src/egress-adapter.service';
import { executionClaimant } from '@connector/services/execution-claimant/src/execution-claimant.service';
import { ingress } from '@connector/services/ingress/src/ingress.service';
import { processesOf, PROXY_PORT, SERVICE_PLANS, SUPERVISOR_PORT } from '@connector/services/local/src/plan';
import { operator } from '@connector/services/operator/src/operator.service';
import { outboundDispatcher } from '@connector/services/outbound-dispatcher/src/outbound-dispatcher.service';
import { providerSimulator } from '@connector/services/provider-simulator/src/definition';
import { runtime } from '@connector/services/runtime/src/runtime.service';

const DEFINITIONS = [
  ...[catalog, control, cutoverCoordinator, egressAdapter, executionClaimant],
  ...[ingress, operator, outboundDispatcher, providerSimulator, runtime],
];

describe('plan of one machine', () => {
  it('the same: what the supervisor knows of a service is what the service says of itself', () => {
    const planned = SERVICE_PLANS.map(({ name, port, callers }) => ({ name, port, callers: [...callers].sort() }));
    const said = DEFINITIONS.map(({ name, defaultPort, callers }) => ({ name, port: defaultPort, callers: [...callers].sort() }));
    const byName = (one: { readonly name: string }, other: { readonly name: string }): number => one.name.localeCompare(other.name);
    expect(planned.toSorted(byName)).toEqual(said.toSorted(byName));
  });

  it('one each: of every service a process of its name; further ingresses have names and places of their own', () => {
    expect(processesOf().map(({ process }) => process)).toEqual(SERVICE_PLANS.map(({ name }) => name));
    const processes = processesOf(3);
    const further = processes.filter(({ process, name }) => process !== name).map(({ process, name }) => [process, name]);
    expect(further).toEqual([
      ['ingress-2', 'ingress'],
      ['ingress-3', 'ingress'],
    ]);
    expect(new Set([...processes.map(({ port }) => port), SUPERVISOR_PORT, PROXY_PORT]).size).toBe(processes.length + 2);
  });
});
