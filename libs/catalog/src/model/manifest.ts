import { Alias, AppId, CapabilityId, HandlerRef, NamespaceId, ProtocolId, PublisherId } from './identifier';
import {
  also,
  type Closed,
  closed,
  digest,
  id,
  isObject,
  keyOfMembers,
  keyOfText,
  leaf,
  type Rule,
  type RuleType,
  setOf,
  uint32,
  word,
} from './rules';
import { checkCapability, checkRange, checkWhole, isSemver } from './manifest-rules';

const MANIFEST: Closed = { code: 'MANIFEST_NOT_CLOSED', rule: 'MAN-01' };
const FRONTEND: Closed = { code: 'FRONTEND_SHAPE', rule: 'MAN-21' };

const semver = leaf('SEMVER_NOT_CANONICAL', 'MAN-03', 'canonical SemVer 2.0.0 without build metadata', isSemver);
const bound = leaf('SEMVER_NOT_CANONICAL', 'MAN-28', 'canonical SemVer 2.0.0 without build metadata', isSemver);
const capabilities = (rule: string) => setOf(MANIFEST, id(CapabilityId, 'ID-08'), keyOfText, rule);

const protocol = closed(MANIFEST, { protocol_id: id(ProtocolId, 'A-07'), major: uint32(1, 'MAN-13'), minimum_minor: uint32(0, 'MAN-13') });

const dependency = also(
  closed(MANIFEST, {
    alias: id(Alias, 'A-08'),
    app_id: id(AppId, 'ID-07'),
    minimum_version_inclusive: bound,
    maximum_version_exclusive: bound,
    required_capabilities: capabilities('MAN-23'),
  }),
  checkRange,
);

const capability = also(
  closed(
    MANIFEST,
    {
      capability_id: id(CapabilityId, 'ID-08'),
      kind: word('KIND_UNKNOWN', 'MAN-17', 'metadata', 'service-handler'),
      required_runtime_capabilities: capabilities('MAN-23'),
    },
    { handler_ref: id(HandlerRef, 'ID-08') },
  ),
  checkCapability,
);

const noFrontend = closed(FRONTEND, { mode: word('FRONTEND_SHAPE', 'MAN-21', 'none') });
const someFrontend = closed(FRONTEND, {
  mode: leaf('FRONTEND_SHAPE', 'MAN-21', 'none or required', (node): node is 'required' => node === 'required'),
  host_sdk: protocol,
  contribution_schema: protocol,
});
type Frontend = RuleType<typeof noFrontend> | RuleType<typeof someFrontend>;
/** Two shapes and no third (cat:MAN-21): the mode says which one is meant. */
const frontend: Rule<Frontend> = {
  admits: (node, at, sink): node is Frontend =>
    isObject(node) && node['mode'] === 'none' ? noFrontend.admits(node, at, sink) : someFrontend.admits(node, at, sink),
};

export const manifestRule = also(
  closed(MANIFEST, {
    schema_version: word('SCHEMA_VERSION', 'MAN-02', 'nexuscrm.app-manifest/v1'),
    app_id: id(AppId, 'ID-07'),
    publisher_id: id(PublisherId, 'ID-04'),
    semantic_version: semver,
    metadata_bundle_digest: digest,
    dependencies: setOf(MANIFEST, dependency, keyOfMembers('alias'), 'MAN-22'),
    owned_namespaces: setOf(MANIFEST, id(NamespaceId, 'A-05'), keyOfText, 'MAN-22'),
    required_protocols: setOf(MANIFEST, protocol, keyOfMembers('protocol_id'), 'MAN-22'),
    required_engine_capabilities: setOf(MANIFEST, id(CapabilityId, 'A-07'), keyOfText, 'MAN-22'),
    provided_capabilities: setOf(MANIFEST, capability, keyOfMembers('capability_id'), 'MAN-22'),
    frontend_compatibility: frontend,
  }),
  checkWhole,
);

/** AppManifest v1 as its document writes it. */
export type AppManifest = RuleType<typeof manifestRule>;
export type AppDependency = AppManifest['dependencies'][number];
export type ProvidedCapability = AppManifest['provided_capabilities'][number];
export type RequiredProtocol = AppManifest['required_protocols'][number];
