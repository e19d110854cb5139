import type { DocumentFault } from '@connector/kernel/document-fault';
import type { Digest } from '@connector/kernel/digest';
import type { FrontendReleaseAnswer, ServiceReleaseAnswer } from './deployment';
import type { AppManifest, ProvidedCapability } from '../manifest';
import { type AskedInstallation, failed } from './asked';
import { offeredText, offersProtocol, protocolText } from './check-compatibility';

type AskedHandler = AskedInstallation['handlerBindings'][number];

/** What the deployment attests of one named release of one workload. */
export interface ServiceAttestation {
  readonly workloadId: string;
  readonly serviceReleaseDigest: Digest;
  readonly answer: ServiceReleaseAnswer;
}

export function attestationFor(attestations: readonly ServiceAttestation[], asked: AskedHandler): ServiceReleaseAnswer {
  const found = attestations.find(
    ({ workloadId, serviceReleaseDigest }) => workloadId === asked.workloadId && serviceReleaseDigest === asked.serviceReleaseDigest,
  );
  return found?.answer ?? { kind: 'unknown' };
}

const HANDLER = 'service-handler';

/**
 * cat:PREP-10, cat:BIND-08: every service handler is bound once, by a workload that is authorized and holds what the handler needs, to a release
 * that attests its HandlerRef; nothing is bound that the release does not declare.
 */
export function handlerFaults(
  asked: AskedInstallation,
  manifest: AppManifest,
  attestations: readonly ServiceAttestation[],
): readonly DocumentFault[] {
  const declared = manifest.provided_capabilities.filter(({ kind }) => kind === HANDLER);
  const bound = asked.handlerBindings.map(({ capabilityId }) => capabilityId);
  const missing = declared.filter(({ capability_id: capability }) => !bound.includes(capability));
  return [
    ...missing.map(({ capability_id: capability }) =>
      failed('PREP-10', '/handler_bindings', 'HANDLER_BINDING_MISSING', `a binding of ${capability}`, 'none'),
    ),
    ...asked.handlerBindings.flatMap((binding, at) => {
      const pointer = `/handler_bindings/${at}`;
      if (bound.indexOf(binding.capabilityId) === at) return bindingFaults(binding, pointer, manifest, asked.grants, attestations);
      return [failed('PREP-10', `${pointer}/capability_id`, 'DUPLICATE', 'each capability bound once', binding.capabilityId)];
    }),
  ];
}

/** The four checks of one binding (cat:BIND-08): declared, authorized, granted, attested. */
export function bindingFaults(
  binding: AskedHandler,
  pointer: string,
  { provided_capabilities: provided }: AppManifest,
  grants: AskedInstallation['grants'],
  attestations: readonly ServiceAttestation[],
): readonly DocumentFault[] {
  const capability = provided.find(({ kind, capability_id: id }) => kind === HANDLER && id === binding.capabilityId);
  if (capability !== undefined) {
    return [...grantsOfHandler(grants, binding, capability, pointer), ...attested(binding, capability, attestations, pointer)];
  }
  const expected = 'a service handler that the release declares';
  return [failed('PREP-10', `${pointer}/capability_id`, 'CAPABILITY_UNDECLARED', expected, binding.capabilityId)];
}

function grantsOfHandler(
  grants: AskedInstallation['grants'],
  { workloadId }: AskedHandler,
  { required_runtime_capabilities: required }: ProvidedCapability,
  pointer: string,
): readonly DocumentFault[] {
  const grant = grants.find((one) => one.workloadId === workloadId);
  if (grant === undefined)
    return [
      failed('PREP-10', `${pointer}/workload_id`, 'WORKLOAD_NOT_AUTHORIZED', 'a workload that the installation authorizes', workloadId),
    ];
  return required
    .filter((capability) => !grant.capabilities.includes(capability))
    .map((capability) =>
      failed('PREP-10', `${pointer}/workload_id`, 'CAPABILITY_NOT_GRANTED', `${workloadId} granted ${capability}`, 'not granted'),
    );
}

function attested(
  binding: AskedHandler,
  { handler_ref: handler }: ProvidedCapability,
  attestations: readonly ServiceAttestation[],
  pointer: string,
): readonly DocumentFault[] {
  const answer = attestationFor(attestations, binding);
  const at = `${pointer}/service_release_digest`;
  if (answer.kind !== 'attested')
    return [failed('PREP-10', at, 'SERVICE_RELEASE_UNKNOWN', `a release that ${binding.workloadId} runs`, binding.serviceReleaseDigest)];
  if (answer.handlers.some(({ handlerRef }) => handlerRef === handler)) return [];
  const served = answer.handlers.map(({ handlerRef }) => handlerRef).join(', ') || 'none';
  return [failed('PREP-10', at, 'HANDLER_NOT_ATTESTED', `a release that serves ${handler}`, served)];
}

/** cat:PREP-11 */
export function frontendFaults(
  { frontendReleaseDigest }: Pick<AskedInstallation, 'frontendReleaseDigest'>,
  { frontend_compatibility: wanted }: AppManifest,
  answer: FrontendReleaseAnswer,
): readonly DocumentFault[] {
  const at = '/frontend_release_digest';
  if (wanted.mode === 'none')
    return frontendReleaseDigest === null
      ? []
      : [failed('PREP-11', at, 'FRONTEND_SHAPE', 'no frontend: the release has none', frontendReleaseDigest)];
  if (frontendReleaseDigest === null) return [failed('PREP-11', at, 'FRONTEND_BINDING_MISSING', 'a frontend release', 'none')];
  if (answer.kind !== 'attested')
    return [failed('PREP-11', at, 'FRONTEND_RELEASE_UNKNOWN', 'a release of this deployment', frontendReleaseDigest)];
  const pairs = [
    { offered: [answer.hostSdk], required: wanted.host_sdk },
    { offered: [answer.contributionSchema], required: wanted.contribution_schema },
  ];
  return pairs
    .filter(({ offered, required }) => !offersProtocol(offered, required))
    .map(({ offered, required }) =>
      failed('PREP-11', at, 'FRONTEND_INCOMPATIBLE', protocolText(required), offeredText(offered, required.protocol_id)),
    );
}
