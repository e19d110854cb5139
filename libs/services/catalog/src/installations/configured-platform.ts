import { readFile } from 'node:fs/promises';
import type { DeploymentResolver } from '@connector/catalog/contract/deployment-resolver';
import type { OfferedProtocol } from '@connector/catalog/model/installation/deployment';
import { NO_PLATFORM, type Platform, platformDocument } from '@connector/catalog/contract/platform';
import type { SchemaReadiness } from '@connector/catalog/contract/schema-readiness';
import type { PlatformOffers } from '@connector/catalog/model/installation/asked';
import { InputFault } from '@connector/kernel/faults';
import { jcs } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';

const protocolOf = ({ protocol_id: protocolId, major, minor }: Platform['protocols'][number]): OfferedProtocol => ({
  protocolId,
  major,
  minor,
});

/** The file says it in any layout; its shape is closed. InputFault where it is not read so: a service that guessed would refuse or admit wrongly. */
export async function readPlatform(file: string | undefined): Promise<Platform> {
  if (file === undefined) return NO_PLATFORM;
  const parsed = parseStrict(await readFile(file));
  if (!parsed.ok) throw new InputFault('HOUSE:catalog:Platform', `the platform file: ${parsed.code} at byte ${parsed.at}`);
  return platformDocument.parse(jcs(parsed.value)).value;
}

export function offersOf(platform: Platform): PlatformOffers {
  const { protocols, engine_capabilities: engineCapabilities, runtime_capabilities: runtimeCapabilities } = platform;
  return { protocols: protocols.map(protocolOf), engineCapabilities, runtimeCapabilities };
}

/** The deployment as it is configured: it is never unavailable, and what is not written in it is unknown. */
export function configuredDeployment({ workloads, frontends }: Platform): DeploymentResolver {
  const workloadOf = (id: string) => workloads.find(({ workload_id: workload }) => workload === id);
  return {
    workload: (id) => Promise.resolve({ kind: workloadOf(id) === undefined ? 'unknown' : 'known' }),
    serviceRelease: (id, digest) => {
      const release = workloadOf(id)?.service_releases.find(({ service_release_digest: one }) => one === digest);
      if (release === undefined) return Promise.resolve({ kind: 'unknown' });
      const handlers = release.handlers.map((one) => ({ handlerRef: one.handler_ref, protocolMinor: one.protocol_minor }));
      return Promise.resolve({ kind: 'attested', handlers });
    },
    frontendRelease: (digest) => {
      const release = frontends.find(({ frontend_release_digest: one }) => one === digest);
      if (release === undefined) return Promise.resolve({ kind: 'unknown' });
      const { host_sdk: hostSdk, contribution_schema: contributionSchema } = release;
      return Promise.resolve({ kind: 'attested', hostSdk: protocolOf(hostSdk), contributionSchema: protocolOf(contributionSchema) });
    },
  };
}

/** The schema as it is configured: one generation, and the components that it serves. */
export function configuredSchema({ schema: { generation, components } }: Platform): SchemaReadiness {
  return {
    ready: ({ needs }) => {
      const missing = needs.filter(
        ({ componentKind, formatVersion }) =>
          !components.some((one) => one.component_kind === componentKind && one.format_version === formatVersion),
      );
      return Promise.resolve(missing.length > 0 ? { kind: 'not-ready', missing } : { kind: 'ready', schemaGeneration: generation });
    },
  };
}
