import type { DeploymentResolver } from '@connector/catalog/contract/deployment-resolver';
import type { SchemaReadiness } from '@connector/catalog/contract/schema-readiness';
import { Digest } from '@connector/kernel/digest';
import { platform, SERVICE_RELEASE, WORKLOAD } from './fixtures/publication';

const LAYOUT = 'io.nexuscrm.record-layout.v1';
const FRONTEND = Digest.sha256(Buffer.from('frontend'));
const UNKNOWN = Digest.sha256(Buffer.from('nothing'));
const sdk = { protocol_id: 'dev.example.host-sdk', major: 1, minor: 2 };

/** The deployment that every adapter is made of here. */
export const CONFORMANCE_PLATFORM = platform({
  schema: { generation: '9', components: [{ component_kind: LAYOUT, format_version: 1 }] },
  frontends: [{ frontend_release_digest: FRONTEND, host_sdk: sdk, contribution_schema: { ...sdk, protocol_id: 'dev.example.parts' } }],
});

/** What every deployment resolver does, whatever it asks. */
export function deploymentConforms(name: string, make: () => DeploymentResolver): void {
  describe(`deployment resolver › ${name}`, () => {
    it('known: a workload of the deployment, byte for byte; every other name is unknown (cat:PREP-08, cat:BIND-15)', async () => {
      expect(await make().workload(WORKLOAD)).toEqual({ kind: 'known' });
      for (const other of [`${WORKLOAD} `, WORKLOAD.toUpperCase(), '']) expect(await make().workload(other)).toEqual({ kind: 'unknown' });
    });

    it('attested: exactly the HandlerRefs that this release of this workload serves, and no address (cat:BIND-13, cat:BIND-16)', async () => {
      const answer = await make().serviceRelease(WORKLOAD, SERVICE_RELEASE);
      expect(answer).toMatchObject({ kind: 'attested' });
      expect(answer.kind === 'attested' && answer.handlers.map(({ handlerRef }) => handlerRef)).toContain(
        'dev.example.workbench.handler.work.v1',
      );
      expect(JSON.stringify(answer)).not.toContain('://');
    });

    it('unknown: another digest of the workload, and the digest under another workload', async () => {
      expect(await make().serviceRelease(WORKLOAD, UNKNOWN)).toEqual({ kind: 'unknown' });
      expect(await make().serviceRelease('dev.other', SERVICE_RELEASE)).toEqual({ kind: 'unknown' });
    });

    it('attested: a frontend release with its two protocols; another one is unknown (cat:A-35)', async () => {
      expect(await make().frontendRelease(FRONTEND)).toEqual({
        kind: 'attested',
        hostSdk: { protocolId: sdk.protocol_id, major: 1, minor: 2 },
        contributionSchema: { protocolId: 'dev.example.parts', major: 1, minor: 2 },
      });
      expect(await make().frontendRelease(UNKNOWN)).toEqual({ kind: 'unknown' });
    });

    it('same: the same question twice', async () => {
      const resolver = make();
      expect(await resolver.serviceRelease(WORKLOAD, SERVICE_RELEASE)).toEqual(await resolver.serviceRelease(WORKLOAD, SERVICE_RELEASE));
    });
  });
}

/** What every schema owner does. */
export function schemaConforms(name: string, make: () => SchemaReadiness): void {
  const ask = (...needs: readonly { readonly componentKind: string; readonly formatVersion: number }[]) =>
    make().ready({ organization: 'org-1', appReleaseDigest: UNKNOWN, needs });
  describe(`schema readiness › ${name}`, () => {
    it('ready: with the generation that serves all needs, also where there are none (cat:PREP-07)', async () => {
      expect(await ask({ componentKind: LAYOUT, formatVersion: 1 })).toEqual({ kind: 'ready', schemaGeneration: '9' });
      expect(await ask()).toEqual({ kind: 'ready', schemaGeneration: '9' });
    });

    it('not-ready: another format of a served kind and a kind that is not served, each named', async () => {
      const missing = [
        { componentKind: LAYOUT, formatVersion: 2 },
        { componentKind: 'dev.other.kind.v1', formatVersion: 1 },
      ];
      expect(await ask({ componentKind: LAYOUT, formatVersion: 1 }, ...missing)).toEqual({ kind: 'not-ready', missing });
    });
  });
}
