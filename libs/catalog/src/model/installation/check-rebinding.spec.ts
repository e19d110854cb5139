import { Digest } from '@connector/kernel/digest';
import { emptyRelease } from '@connector/testing/fixtures/app-release';
import type { AppManifest } from '../manifest';
import { FRONTEND } from './binding';
import { rebindingFaults } from './check-rebinding';

const APP = 'dev.example.one';
const protocol = (protocol_id: string) => ({ protocol_id, major: 1, minimum_minor: 0 });
const offered = (protocolId: string) => ({ protocolId, major: 1, minor: 0 });
const manifest = {
  ...emptyRelease(APP, 'dev.example').manifest,
  frontend_compatibility: { mode: 'required', host_sdk: protocol('dev.host'), contribution_schema: protocol('dev.parts') },
} as unknown as AppManifest;
const grants = [{ workloadId: 'dev.example.runner', capabilities: ['runtime.records.write.v1'] }];
const artifactDigest = Digest.sha256(Buffer.from('artifact'));
const HANDLER = { capabilityId: `${APP}.work.v1`, workloadId: 'dev.example.runner', artifactDigest };
const FRONT = { capabilityId: FRONTEND, workloadId: null, artifactDigest };
const ofService = {
  plane: 'service',
  answer: { kind: 'attested', handlers: [{ handlerRef: `${APP}.handler.work.v1`, protocolMinor: 0 }] },
} as const;
const ofFrontend = {
  plane: 'frontend',
  answer: { kind: 'attested', hostSdk: offered('dev.host'), contributionSchema: offered('dev.parts') },
} as const;

describe('rebindingFaults', () => {
  it('none: a handler by what a service attests, a frontend by what a frontend attests', () => {
    expect(rebindingFaults(HANDLER, manifest, grants, ofService)).toEqual([]);
    expect(rebindingFaults(FRONT, manifest, grants, ofFrontend)).toEqual([]);
  });

  it('unknown: cat:BIND-08 what the other plane attests, however well, is of no known release', () => {
    const codes = (faults: ReturnType<typeof rebindingFaults>) => faults.map(({ code }) => code);
    expect(codes(rebindingFaults(HANDLER, manifest, grants, ofFrontend))).toEqual(['SERVICE_RELEASE_UNKNOWN']);
    expect(codes(rebindingFaults(FRONT, manifest, grants, ofService))).toEqual(['FRONTEND_RELEASE_UNKNOWN']);
  });
});
