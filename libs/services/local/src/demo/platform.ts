import { platformDocument } from '@connector/catalog/contract/platform';
import { SCOPE, WORKBENCH } from './world';

/** What the deployment on one machine says of itself (decisions 12.4): one workload, whose one release is the Runtime that runs here. */
export function workbenchPlatform(): Buffer {
  return platformDocument.build({
    schema_version: 'nexuscrm.catalog-platform/v1',
    protocols: [],
    engine_capabilities: [],
    runtime_capabilities: [WORKBENCH.runtimeCapability],
    schema: { generation: '1', components: [] },
    workloads: [
      {
        workload_id: SCOPE.workload,
        service_releases: [
          { service_release_digest: WORKBENCH.serviceRelease, handlers: [{ handler_ref: WORKBENCH.handler, protocol_minor: 0 }] },
        ],
      },
    ],
    frontends: [],
  }).bytes;
}
