import { inKeyOrder, inTextOrder } from '@connector/kernel/document-order';
import { closed, DIGEST, listOf, oneOf, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import { type DocumentBytes, documentKind } from '@connector/kernel/document';
import { invariant } from '@connector/kernel/faults';
import type { AppManifest } from '../manifest';
import { type Candidate, inGrantOrder } from './candidate';

const LIST_MAX = 1000;
const tupleShape = closed(
  {
    schema_version: oneOf('nexuscrm.app-installation-tuple/v1'),
    organization_id: TEXT,
    app_installation_id: TEXT,
    app_id: TEXT,
    app_release_digest: DIGEST,
    dependencies: listOf(closed({ alias: TEXT, app_id: TEXT, app_release_digest: DIGEST }), LIST_MAX),
    grants: listOf(closed({ workload_id: TEXT, capabilities: listOf(TEXT, LIST_MAX) }), LIST_MAX),
    namespaces: listOf(TEXT, LIST_MAX),
    handlers: listOf(closed({ capability_id: TEXT, handler_ref: TEXT, workload_id: TEXT, service_release_digest: DIGEST }), LIST_MAX),
    schema_generation: TEXT,
  },
  { frontend_release_digest: DIGEST },
);
export type InstallationTuple = TypeOf<typeof tupleShape>;

/** Catalog's projection of a candidate: what serves once it is ACTIVE. Neither attempt nor revision nor epoch is in it. The separator is ours. */
export const tupleDocument = documentKind<InstallationTuple>({
  name: 'installation tuple',
  separator: 'nexuscrm.app-installation-tuple.v1',
  shape: tupleShape,
  arrange: (value) => ({
    ...value,
    dependencies: inKeyOrder(value.dependencies, ({ alias }) => [alias]),
    grants: inGrantOrder(value.grants),
    namespaces: inTextOrder(value.namespaces),
    handlers: inKeyOrder(value.handlers, ({ capability_id: capability }) => [capability]),
  }),
});

/** Pure: step 1 says which digest to expect, step 2 makes it again from what was committed (cat:PUBL-03). */
export function compileTuple(candidate: Candidate, manifest: AppManifest): DocumentBytes {
  const { frontend_binding: frontend } = candidate;
  return tupleDocument.build({
    schema_version: 'nexuscrm.app-installation-tuple/v1',
    organization_id: candidate.organization_id,
    app_installation_id: candidate.app_installation_id,
    app_id: candidate.app_id,
    app_release_digest: candidate.app_release_digest,
    dependencies: candidate.dependencies,
    grants: candidate.grants,
    namespaces: manifest.owned_namespaces,
    handlers: candidate.handler_bindings.map(({ capability_id, workload_id, service_release_digest }) => ({
      capability_id,
      handler_ref: handlerOf(manifest, capability_id),
      workload_id,
      service_release_digest,
    })),
    schema_generation: candidate.schema_generation,
    ...(frontend === undefined ? {} : { frontend_release_digest: frontend.frontend_release_digest }),
  });
}

/** The handler that the release declares for a capability; nobody else says one (cat:OWN-08). */
export function handlerOf({ provided_capabilities: provided }: AppManifest, capabilityId: string): string {
  const declared = provided.find(({ capability_id: capability }) => capability === capabilityId);
  invariant(declared?.handler_ref !== undefined, 'HOUSE:catalog:HandlerUndeclared', `${capabilityId} was bound and is not declared`);
  return declared.handler_ref;
}
