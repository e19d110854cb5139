import type { DocumentFault } from '@connector/kernel/document-fault';
import { WorkloadId } from '../identifier';
import type { AppManifest } from '../manifest';
import { type AskedInstallation, failed, type PlatformOffers } from './asked';

/** Every Runtime capability that some handler of the release declares to need: the bound of all grants (cat:INST-06, cat:A-22). */
export function grantable({ provided_capabilities: provided }: AppManifest): ReadonlySet<string> {
  return new Set(provided.flatMap(({ required_runtime_capabilities: required }) => required));
}

/** cat:PREP-08: `known` is what the deployment said of each workload. */
export function workloadFaults(asked: AskedInstallation, known: ReadonlySet<string>): readonly DocumentFault[] {
  const named = [
    ...asked.grants.map(({ workloadId }, at) => ({ workloadId, at: `/grants/${at}/workload_id` })),
    ...asked.handlerBindings.map(({ workloadId }, at) => ({ workloadId, at: `/handler_bindings/${at}/workload_id` })),
  ];
  return named.flatMap(({ workloadId, at }) => {
    if (!WorkloadId.is(workloadId)) return [failed('PREP-08', at, 'ID_NOT_CANONICAL', WorkloadId.expected, 'another text')];
    return known.has(workloadId) ? [] : [failed('PREP-08', at, 'WORKLOAD_UNKNOWN', 'a workload of this deployment', workloadId)];
  });
}

/** cat:PREP-09: a grant stays within what the release declares and what the Runtime has; each workload once, its capabilities a set. */
export function grantFaults(asked: AskedInstallation, manifest: AppManifest, offers: PlatformOffers): readonly DocumentFault[] {
  const declared = grantable(manifest);
  const workloads = asked.grants.map(({ workloadId }) => workloadId);
  return asked.grants.flatMap(({ workloadId, capabilities }, at) => [
    ...(workloads.indexOf(workloadId) === at
      ? []
      : [failed('PREP-09', `/grants/${at}/workload_id`, 'DUPLICATE', 'each workload once', workloadId)]),
    ...capabilities.flatMap((capability, place) => {
      const pointer = `/grants/${at}/capabilities/${place}`;
      if (capabilities.indexOf(capability) !== place) return [failed('PREP-09', pointer, 'DUPLICATE', 'each capability once', capability)];
      if (!declared.has(capability))
        return [failed('PREP-09', pointer, 'GRANT_EXCESS', 'a Runtime capability that a handler of the release needs', capability)];
      return offers.runtimeCapabilities.includes(capability)
        ? []
        : [failed('PREP-09', pointer, 'RUNTIME_CAPABILITY_UNKNOWN', 'a capability that the Runtime has', capability)];
    }),
  ]);
}
