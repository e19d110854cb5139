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
import { slotVersion, type TargetKind } from './slot';

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

/** Under a content digest the behavior bytes; undefined where nobody has uploaded them. */
type BlobOf = (digest: Digest) => Buffer | undefined;
export interface ReleaseDocuments {
  readonly manifest: Buffer;
  readonly bundle: Buffer;
}
export interface ReleaseInput extends ReleaseDocuments {
  readonly blobOf: BlobOf;
}

/** `faults`: at most 100; `more`: how many beside them. */
export type CheckRelease =
  | { readonly kind: 'release'; readonly release: AppRelease }
  | { readonly kind: 'faulty'; readonly faults: readonly PlacedFault[]; readonly more: number };

/** A release whose documents were read and checked, and whose behaviors were not. */
export interface OpenedRelease {
  /**
   * The content digests that the bundle names, each once, in bytewise order: what the caller fetches first, bounded by RELEASE_LIMITS.release. Empty
   * for bytes that cannot be read.
   */
  readonly needed: readonly Digest[];
  /** The whole check, with the behaviors: every fault of the manifest, of the bundle and of the behaviors at once. */
  check(blobOf: BlobOf): CheckRelease;
}

/** Before the walk: the number of components is a limit, not a fault a component. */
function fewEnough(bundle: Json, sink: FaultSink): boolean {
  const components = isObject(bundle) ? bundle['components'] : undefined;
  if (!Array.isArray(components) || components.length <= RELEASE_LIMITS.components) return true;
  sink('/components', 'LIMIT_EXCEEDED', 'A-25', `at most ${RELEASE_LIMITS.components} components`, components);
  return false;
}

interface ReadBundle {
  readonly placed: readonly PlacedDescriptor[];
  readonly targetKind: TargetKind;
  /** Undefined where its shape is not whole. */
  readonly bundle: MetadataBundle | undefined;
}
const NO_BUNDLE: ReadBundle = { placed: [], targetKind: () => undefined, bundle: undefined };

/** Everything of a bundle but its behaviors and its order in time: shape, graph, manifest. */
function readBundle(value: Json, names: ManifestNames, sink: FaultSink): ReadBundle {
  if (!fewEnough(value, sink)) return NO_BUNDLE;
  const placed: PlacedDescriptor[] = [];
  const bundle = bundleRule((descriptor, at) => void placed.push({ descriptor, at })).admits(value, '', sink) ? value : undefined;
  const components = componentsOf(value);
  const targetKind: TargetKind = (component) => components.get(component);
  for (const one of placed) checkDescriptor(one, names, targetKind, sink);
  checkSlotKeysOnce(placed, sink);
  checkAcyclic(placed, sink);
  return { placed, targetKind, bundle };
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

interface WholeRelease {
  readonly manifest: AppManifest;
  readonly bundle: MetadataBundle;
  readonly bundleDigest: Digest;
}

function releaseOf(
  documents: ReleaseDocuments,
  { manifest, bundle, bundleDigest }: WholeRelease,
  slots: readonly DeclaredSlot[],
): AppRelease {
  const declared = slots.map((slot) => declarationOf(manifest.app_id, slot));
  return {
    appId: manifest.app_id,
    publisherId: manifest.publisher_id,
    semanticVersion: manifest.semantic_version,
    manifest,
    bundle,
    manifestBytes: documents.manifest,
    bundleBytes: documents.bundle,
    releaseDigest: appReleaseDigest(documents.manifest),
    bundleDigest,
    slots: inKeyOrder(declared, (slot) => [slot.localComponentKey]),
  };
}

/** Reads the documents of a release once, however large, and says what else is needed to check it. Pure; linear in the input. */
export function openRelease(documents: ReleaseDocuments): OpenedRelease {
  const told = new FaultList();
  const sink = told.of({ document: 'manifest' });
  const manifest = readDocument(documents.manifest, RELEASE_LIMITS.manifest, sink);
  const bundle = readDocument(documents.bundle, RELEASE_LIMITS.bundle, told.of({ document: 'bundle' }));
  const names = namesOf(manifest?.value);
  const wholeManifest = manifest !== undefined && manifestRule.admits(manifest.value, '', sink) ? manifest.value : undefined;

  // A digest of bytes that are not canonical would name nothing.
  const bundleDigest = bundle?.canonical === true ? metadataBundleDigest(documents.bundle) : undefined;
  if (bundleDigest !== undefined && isDigest(names.bundleDigest) && names.bundleDigest !== bundleDigest) {
    sink('/metadata_bundle_digest', 'DIGEST_MISMATCH', 'MAN-05', bundleDigest, names.bundleDigest);
  }
  const read = bundle === undefined ? NO_BUNDLE : readBundle(bundle.value, names, told.of({ document: 'bundle' }));
  const check = (blobOf: BlobOf): CheckRelease => {
    const faults = told.copy();
    const slots = checkBehaviors(documents, read, blobOf, faults);
    if (!faults.none || wholeManifest === undefined || read.bundle === undefined || bundleDigest === undefined) {
      return { kind: 'faulty', faults: faults.faults, more: faults.more };
    }
    return { kind: 'release', release: releaseOf(documents, { manifest: wholeManifest, bundle: read.bundle, bundleDigest }, slots) };
  };
  return { needed: inTextOrder([...new Set(read.placed.map(({ descriptor }) => descriptor.content_digest))]), check };
}

function checkBehaviors(
  { manifest, bundle }: ReleaseDocuments,
  { placed, targetKind }: ReadBundle,
  blobOf: BlobOf,
  faults: FaultList,
): readonly DeclaredSlot[] {
  const behaviors = new Behaviors(faults, blobOf, targetKind);
  const weight = manifest.length + bundle.length + blobBytes(placed, blobOf);
  if (checkWeight(weight, faults.of({ document: 'bundle' }))) for (const one of placed) behaviors.check(one);
  return behaviors.slots;
}

/** The same at once, where the behaviors are at hand. */
export function checkRelease({ blobOf, ...documents }: ReleaseInput): CheckRelease {
  return openRelease(documents).check(blobOf);
}
