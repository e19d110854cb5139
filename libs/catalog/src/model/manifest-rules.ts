import { type FaultSink, Said, step } from './faults';
import { isObject } from './rules';
import { compareSemver, parseSemver, type Semver } from './semver';

/** What a manifest says between its members. Each question reads raw nodes: it is asked also of an object that has faults of its own. */
type Members = Readonly<Record<string, unknown>>;

export function isSemver(node: unknown): node is string {
  return semverOf(node) !== undefined;
}

function semverOf(node: unknown): Semver | undefined {
  return typeof node === 'string' ? parseSemver(node) : undefined;
}

function listAt(node: Members, name: string): readonly unknown[] {
  const value = node[name];
  return Array.isArray(value) ? value : [];
}

/** cat:MAN-08. Bounds that cannot be read have said so themselves. */
export function checkRange(dependency: Members, at: string, sink: FaultSink): boolean {
  const minimum = semverOf(dependency['minimum_version_inclusive']);
  const maximum = semverOf(dependency['maximum_version_exclusive']);
  if (minimum === undefined || maximum === undefined || compareSemver(minimum, maximum) < 0) return true;
  sink(step(at, 'maximum_version_exclusive'), 'RANGE_INVALID', 'MAN-08', `above ${minimum.text}`, maximum.text);
  return false;
}

/** cat:MAN-18: metadata declares no handler and asks nothing of the Runtime. cat:MAN-19: a service handler does both. */
export function checkCapability(capability: Members, at: string, sink: FaultSink): boolean {
  const isHandler = capability['kind'] === 'service-handler';
  if (!isHandler && capability['kind'] !== 'metadata') return true;
  const rule = isHandler ? 'MAN-19' : 'MAN-18';
  const refuse = (name: string, expected: string): void => sink(step(at, name), 'CAPABILITY_SHAPE', rule, expected, capability[name]);

  const handler = capability['handler_ref'];
  const hasHandler = handler !== undefined && (!isHandler || (handler !== '' && handler !== null));
  const hasNeeds = listAt(capability, 'required_runtime_capabilities').length > 0;
  if (hasHandler !== isHandler) refuse('handler_ref', isHandler ? 'a handler of a service-handler' : 'no handler of metadata');
  if (hasNeeds !== isHandler) refuse('required_runtime_capabilities', isHandler ? 'at least one' : 'an empty list');
  return hasHandler === isHandler && hasNeeds === isHandler;
}

/** cat:MAN-27, as far as one manifest can show a cycle. */
function checkNoSelfDependency(manifest: Members, at: string, sink: FaultSink): boolean {
  const self = manifest['app_id'];
  const own = [...listAt(manifest, 'dependencies').entries()].filter(([, item]) => isObject(item) && item['app_id'] === self);
  for (const [index] of own) sink(`${at}/dependencies/${index}/app_id`, 'DEPENDENCY_CYCLE', 'MAN-27', 'another App', self);
  return own.length === 0 || typeof self !== 'string';
}

/** cat:A-22. */
function checkHandlersOnce(manifest: Members, at: string, sink: FaultSink): boolean {
  const seen = new Set<unknown>();
  let good = true;
  for (const [index, item] of listAt(manifest, 'provided_capabilities').entries()) {
    const handler = isObject(item) ? item['handler_ref'] : undefined;
    if (typeof handler !== 'string') continue;
    if (seen.has(handler)) sink(`${at}/provided_capabilities/${index}/handler_ref`, 'DUPLICATE', 'A-22', 'each once', new Said('again'));
    good = !seen.has(handler) && good;
    seen.add(handler);
  }
  return good;
}

export function checkWhole(manifest: Members, at: string, sink: FaultSink): boolean {
  const good = checkNoSelfDependency(manifest, at, sink);
  return checkHandlersOnce(manifest, at, sink) && good;
}

/** What the bundle is measured by. Undefined where the manifest does not say it legibly: then the bundle is not blamed for it. */
export interface ManifestNames {
  readonly aliases: ReadonlySet<unknown> | undefined;
  readonly namespaces: ReadonlySet<unknown> | undefined;
  readonly bundleDigest: unknown;
}

export function namesOf(manifest: unknown): ManifestNames {
  if (!isObject(manifest)) return { aliases: undefined, namespaces: undefined, bundleDigest: undefined };
  const { dependencies, owned_namespaces: namespaces, metadata_bundle_digest: bundleDigest } = manifest;
  return {
    aliases: Array.isArray(dependencies)
      ? new Set(dependencies.map((item: unknown) => (isObject(item) ? item['alias'] : undefined)))
      : undefined,
    namespaces: Array.isArray(namespaces) ? new Set(namespaces) : undefined,
    bundleDigest,
  };
}
