import { closed, DIGEST, listOf, oneOf, type Shape, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import { documentKind } from '@connector/kernel/document';

const LIST_MAX = 1000;
const UINT32: Shape<number> = { schema: { type: 'integer', minimum: 0, maximum: 4_294_967_295 } };
const protocolShape = closed({ protocol_id: TEXT, major: UINT32, minor: UINT32 });
const handlerShape = closed({ handler_ref: TEXT, protocol_minor: UINT32 });
const serviceReleaseShape = closed({ service_release_digest: DIGEST, handlers: listOf(handlerShape, LIST_MAX) });

const platformShape = closed({
  schema_version: oneOf('nexuscrm.catalog-platform/v1'),
  protocols: listOf(protocolShape, LIST_MAX),
  engine_capabilities: listOf(TEXT, LIST_MAX),
  runtime_capabilities: listOf(TEXT, LIST_MAX),
  schema: closed({ generation: TEXT, components: listOf(closed({ component_kind: TEXT, format_version: UINT32 }), LIST_MAX) }),
  workloads: listOf(closed({ workload_id: TEXT, service_releases: listOf(serviceReleaseShape, LIST_MAX) }), LIST_MAX),
  frontends: listOf(closed({ frontend_release_digest: DIGEST, host_sdk: protocolShape, contribution_schema: protocolShape }), LIST_MAX),
});
/** What a deployment is configured to say of itself, where nothing answers for it: protocols, capabilities, schema, workloads, frontends. */
export type Platform = TypeOf<typeof platformShape>;

export const platformDocument = documentKind<Platform>({
  name: 'platform',
  separator: 'nexuscrm.catalog-platform.v1',
  shape: platformShape,
});

/** A deployment of which nothing is known: every installation that needs anything is refused by name (cat:MAN-30). */
export const NO_PLATFORM: Platform = {
  schema_version: 'nexuscrm.catalog-platform/v1',
  protocols: [],
  engine_capabilities: [],
  runtime_capabilities: [],
  schema: { generation: '0', components: [] },
  workloads: [],
  frontends: [],
};
