import { Digest } from '@connector/kernel/digest';
import { CapabilityId, HandlerRef, ProtocolId } from '../identifier';
import type { AppManifest } from '../manifest';
import { compatibilityFaults, offersProtocol } from './check-compatibility';
import { handlerFaults } from './check-bindings';

describe('protocol compatibility', () => {
  it.each([
    [1, 2, true],
    [1, 3, true],
    [1, 1, false],
    [2, 2, false],
    [0, 9, false],
    [2, 0, false],
  ])('major 1 from minor 2 on against an offered %d.%d: %s (cat:MAN-12)', (major, minor, compatible) => {
    const required = { protocol_id: ProtocolId.parse('nexuscrm.records'), major: 1, minimum_minor: 2 };
    const offered = { protocolId: required.protocol_id, major, minor };
    expect(offersProtocol([offered], required)).toBe(compatible);
    expect(offersProtocol([{ ...offered, protocolId: 'nexuscrm.other' }], required)).toBe(false);
    expect(offersProtocol([], required)).toBe(false);
  });
});

describe('majors and minors of what a release provides and needs', () => {
  const HANDLER = HandlerRef.parse('io.nexuscrm.sfcrm.handler.ui.record-access.v1');
  const CAPABILITY = CapabilityId.parse('io.nexuscrm.sfcrm.ui.record-access.v1');
  const NEED = CapabilityId.parse('runtime.records.evaluate-access.v1');
  const workloadId = 'io.nexuscrm.runner';
  const serviceReleaseDigest = Digest.sha256(Buffer.from('service release'));
  const manifest = {
    required_protocols: [{ protocol_id: ProtocolId.parse('nexuscrm.records'), major: 1, minimum_minor: 2 }],
    required_engine_capabilities: [NEED],
    provided_capabilities: [
      { capability_id: CAPABILITY, kind: 'service-handler', handler_ref: HANDLER, required_runtime_capabilities: [NEED] },
    ],
    frontend_compatibility: { mode: 'none' },
  } as unknown as AppManifest;

  const offers = (minor: number, engine: string) => ({
    protocols: [{ protocolId: 'nexuscrm.records', major: 1, minor }],
    engineCapabilities: [engine],
    runtimeCapabilities: [],
  });
  const against = (minor: number, engine: string = NEED) => compatibilityFaults(manifest, offers(minor, engine)).map(({ code }) => code);
  /** What the checks of a binding say where the bound release serves this handler. */
  const served = (handlerRef: string, protocolMinor = 0, capabilityId: string = CAPABILITY) =>
    handlerFaults(
      {
        appId: 'io.nexuscrm.sfcrm',
        appReleaseDigest: serviceReleaseDigest,
        dependencies: [],
        grants: [{ workloadId, capabilities: [NEED] }],
        handlerBindings: [{ capabilityId, workloadId, serviceReleaseDigest }],
        frontendReleaseDigest: null,
      },
      manifest,
      [{ workloadId, serviceReleaseDigest, answer: { kind: 'attested', handlers: [{ handlerRef, protocolMinor }] } }],
    ).map(({ code }) => code);

  it('compatible: a minor that was raised, under the same capability and the same handler (cat:CAP-07)', () => {
    for (const minor of [2, 3, 4_294_967_295]) expect(against(minor)).toEqual([]);
    for (const minor of [0, 1, 7]) expect(served(HANDLER, minor)).toEqual([]);
  });

  it('incompatible: another major of a handler is another contract, higher or lower; the vN at its end is the major (cat:BIND-12)', () => {
    for (const major of ['v2', 'v10']) expect(served(HANDLER.replace(/v1$/, major))).toEqual(['HANDLER_NOT_ATTESTED']);
    expect(served(HANDLER)).toEqual([]);
  });

  it('incompatible: another major of a capability is another capability, never one that stands for this (cat:CAP-08)', () => {
    expect(served(HANDLER, 0, CAPABILITY.replace(/v1$/, 'v2'))).toContain('CAPABILITY_UNDECLARED');
    expect(against(2, NEED.replace(/v1$/, 'v2'))).toEqual(['ENGINE_CAPABILITY_UNKNOWN']);
  });

  it.each([
    [CAPABILITY.toUpperCase(), false],
    [CAPABILITY.replace('sfcrm', 'SFCRM'), false],
    [`${CAPABILITY} `, false],
    [CAPABILITY.replace('ui.', ''), true],
  ])(
    'refused: %j is no name for the capability, whether it is one at all (%s): none is folded, none stands for another (cat:CAP-09)',
    (other, isName) => {
      expect(CapabilityId.is(other)).toBe(isName);
      expect(served(HANDLER, 0, other)).toEqual(['HANDLER_BINDING_MISSING', 'CAPABILITY_UNDECLARED']);
      expect(against(2, other)).toEqual(['ENGINE_CAPABILITY_UNKNOWN']);
    },
  );
});
