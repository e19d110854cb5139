import type { DocumentFault } from '@connector/kernel/document-fault';
import type { OfferedProtocol } from './deployment';
import type { AppManifest, RequiredProtocol } from '../manifest';
import { failed, type PlatformOffers } from './asked';

/** The same major, and no lower minor (cat:MAN-12). */
export function offersProtocol(offered: readonly OfferedProtocol[], required: RequiredProtocol): boolean {
  return offered.some(
    ({ protocolId, major, minor }) => protocolId === required.protocol_id && major === required.major && minor >= required.minimum_minor,
  );
}

export const protocolText = (required: RequiredProtocol): string =>
  `${required.protocol_id} ${required.major}.${required.minimum_minor} or a higher minor`;
export const offeredText = (offered: readonly OfferedProtocol[], protocolId: string): string =>
  offered
    .filter((one) => one.protocolId === protocolId)
    .map(({ major, minor }) => `${major}.${minor}`)
    .join(', ') || 'none';

/** cat:PREP-06: what the platform must offer for the release to run, whoever serves its handlers. */
export function compatibilityFaults(manifest: AppManifest, offers: PlatformOffers): readonly DocumentFault[] {
  const { required_protocols: protocols, required_engine_capabilities: engine, frontend_compatibility: frontend } = manifest;
  const needed = frontend.mode === 'required' ? [...protocols, frontend.host_sdk] : protocols;
  const lacking = needed.filter((required) => !offersProtocol(offers.protocols, required));
  const unknown = engine.filter((capability) => !offers.engineCapabilities.includes(capability));
  return [
    ...lacking.map((required) =>
      failed(
        'PREP-06',
        '/app_release_digest',
        'PROTOCOL_INCOMPATIBLE',
        protocolText(required),
        offeredText(offers.protocols, required.protocol_id),
      ),
    ),
    ...unknown.map((capability) => failed('PREP-06', '/app_release_digest', 'ENGINE_CAPABILITY_UNKNOWN', capability, 'none')),
  ];
}
