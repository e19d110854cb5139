import type { Digest } from '@connector/kernel/digest';
import { inKeyOrder, inTextOrder } from '@connector/kernel/document-order';
import { invariant } from '@connector/kernel/faults';
import type { Json } from '@connector/kernel/jcs';
import { Behaviors, blobBytes, checkWeight, type DeclaredSlot } from './behaviors';
import { bundleRule, type MetadataBundle } from './bundle';
import { checkAcyclic, checkDescriptor, checkSlotKeysOnce, componentsOf, type PlacedDescriptor } from './bundle-rules';
import { readDocument } from './canonical';
import { FaultList, type FaultSink, type PlacedFault } from './faults';
import type { AppId, LocalComponentKey, NamespaceId, PublisherId } from './identifier';
import { RELEASE_LIMITS } from './limits';
import { type AppManifest, manifestRule } from './manifest';
import { type ManifestNames, namesOf } from './manifest-rules';
import { appReleaseDigest, metadataBundleDigest, slotRevisionDigest } from './release-digests';
import { isDigest, isObject } from './rules';
import { slotVersion } from './slot';

/** One declared slot of a release, as the ledger of slots takes it (cat:SLOT-22 to SLOT-25). */
export interface SlotDeclaration {
  readonly localComponentKey: LocalComponentKey;
  readonly namespaceId: NamespaceId;
  readonly declarationComponentId: Digest;
  readonly definitionVersion: number;
  readonly revisionDigest: Digest;
  readonly targetComponentId: Digest;
  readonly previousTargetComponentId: Digest | null;
}

/** A release that keeps every rule which its own bytes can break. Trust, reservations and the ledger are asked elsewhere. */
export interface AppRelease {
  readonly appId: AppId;
  readonly publisherId: PublisherId;
  readonly semanticVersion: string;
  readonly manifest: AppManifest;
  readonly bundle: MetadataBundle;
  readonly manifestBytes: Buffer;
  readonly bundleBytes: Buffer;
  readonly releaseDigest: Digest;
  readonly bundleDigest: Digest;
  /** In bytewise order of the key: the order in which they are locked (cat:A-20). */
  readonly slots: readonly SlotDeclaration[];
}

export interface ReleaseInput {
  readonly manifest: Buffer;
  readonly bundle: Buffer;
  /** The behavior bytes under this content digest; undefined where nobody has uploaded them. */
  readonly blobOf: (digest: Digest) => Buffer | undefined;
}

/** `faults`: at most 100; `more`: how many beside them. */
export type CheckRelease =
  | { readonly kind: 'release'; readonly release: AppRelease }
  | { readonly kind: 'faulty'; readonly faults: readonly PlacedFault[]; readonly more: number };

const nothing = (): undefined => undefined;

/**
 * The content digests that a bundle names, each once, in bytewise order: what the caller fetches first. Empty for bytes that cannot be read;
 * `checkRelease` says why. The caller bounds what it fetches by RELEASE_LIMITS.release.
 */
export function neededBlobs(bundle: Buffer): readonly Digest[] {
  const needed = new Set<Digest>();
  const read = readDocument(bundle, RELEASE_LIMITS.bundle, nothing);
  if (read !== undefined && fewEnough(read.value, nothing)) {
    bundleRule((descriptor) => void needed.add(descriptor.content_digest)).admits(read.value, '', nothing);
  }
  return inTextOrder([...needed]);
}

/** Before the walk: the number of components is a limit, not a fault a component. */
function fewEnough(bundle: Json, sink: FaultSink): boolean {
  const components = isObject(bundle) ? bundle['components'] : undefined;
  if (!Array.isArray(components) || components.length <= RELEASE_LIMITS.components) return true;
  sink('/components', 'LIMIT_EXCEEDED', 'A-25', `at most ${RELEASE_LIMITS.components} components`, components);
  return false;
}

interface CheckedBundle {
  readonly bundle: MetadataBundle;
  readonly slots: readonly DeclaredSlot[];
}

/** Everything of a bundle but its order in time: shape, graph, manifest, behaviors. Undefined where it is not whole. */
function checkBundle(input: ReleaseInput, value: Json, names: ManifestNames, faults: FaultList): CheckedBundle | undefined {
  const sink = faults.of({ document: 'bundle' });
  if (!fewEnough(value, sink)) return undefined;
  const placed: PlacedDescriptor[] = [];
  const whole = bundleRule((descriptor, at) => void placed.push({ descriptor, at })).admits(value, '', sink);
  const components = componentsOf(value);
  const targetKind = (component: Digest): 'slot' | 'ordinary' | undefined => components.get(component);
  for (const one of placed) checkDescriptor(one, names, targetKind, sink);
  checkSlotKeysOnce(placed, sink);
  checkAcyclic(placed, sink);
  const behaviors = new Behaviors(faults, input.blobOf, targetKind);
  const weight = input.manifest.length + input.bundle.length + blobBytes(placed, input.blobOf);
  if (checkWeight(weight, sink)) for (const one of placed) behaviors.check(one);
  return whole ? { bundle: value, slots: behaviors.slots } : undefined;
}

function declarationOf(appId: AppId, { descriptor, behavior }: DeclaredSlot): SlotDeclaration {
  const definitionVersion = slotVersion(descriptor.definition_version);
  invariant(definitionVersion !== undefined, 'HOUSE:catalog:SlotVersion', 'a slot without faults has a version');
  return {
    localComponentKey: behavior.local_component_key,
    namespaceId: descriptor.namespace_id,
    declarationComponentId: descriptor.component_id,
    definitionVersion,
    revisionDigest: slotRevisionDigest(appId, descriptor),
    targetComponentId: behavior.target_component_id,
    previousTargetComponentId: behavior.previous_target_component_id ?? null,
  };
}

function releaseOf(input: ReleaseInput, manifest: AppManifest, { bundle, slots }: CheckedBundle, bundleDigest: Digest): AppRelease {
  const declared = slots.map((slot) => declarationOf(manifest.app_id, slot));
  return {
    appId: manifest.app_id,
    publisherId: manifest.publisher_id,
    semanticVersion: manifest.semantic_version,
    manifest,
    bundle,
    manifestBytes: input.manifest,
    bundleBytes: input.bundle,
    releaseDigest: appReleaseDigest(input.manifest),
    bundleDigest,
    slots: inKeyOrder(declared, (slot) => [slot.localComponentKey]),
  };
}

/** The whole check of a release: every fault of its manifest, its bundle and its behaviors at once. Pure; linear in the input. */
export function checkRelease(input: ReleaseInput): CheckRelease {
  const faults = new FaultList();
  const sink = faults.of({ document: 'manifest' });
  const manifest = readDocument(input.manifest, RELEASE_LIMITS.manifest, sink);
  const bundle = readDocument(input.bundle, RELEASE_LIMITS.bundle, faults.of({ document: 'bundle' }));
  const names = namesOf(manifest?.value);
  const wholeManifest = manifest !== undefined && manifestRule.admits(manifest.value, '', sink) ? manifest.value : undefined;

  // A digest of bytes that are not canonical would name nothing.
  const bundleDigest = bundle?.canonical === true ? metadataBundleDigest(input.bundle) : undefined;
  if (bundleDigest !== undefined && isDigest(names.bundleDigest) && names.bundleDigest !== bundleDigest) {
    sink('/metadata_bundle_digest', 'DIGEST_MISMATCH', 'MAN-05', bundleDigest, names.bundleDigest);
  }
  const wholeBundle = bundle === undefined ? undefined : checkBundle(input, bundle.value, names, faults);
  if (!faults.none || wholeManifest === undefined || wholeBundle === undefined || bundleDigest === undefined) {
    return { kind: 'faulty', faults: faults.faults, more: faults.more };
  }
  return { kind: 'release', release: releaseOf(input, wholeManifest, wholeBundle, bundleDigest) };
}
