import type { Digest } from '@connector/kernel/digest';
import type { ComponentDescriptor } from './bundle';
import type { PlacedDescriptor } from './bundle-rules';
import { COMPONENT_KINDS, type KindOfComponent, SLOT_KIND } from './component-kinds';
import type { FaultList, FaultSink } from './faults';
import { RELEASE_LIMITS } from './limits';
import { componentDigest } from './release-digests';
import { checkSlotPair, readSlotBehavior, type SlotBehavior, type TargetKind } from './slot';

type BlobOf = (digest: Digest) => Buffer | undefined;
export interface DeclaredSlot {
  readonly descriptor: ComponentDescriptor;
  readonly behavior: SlotBehavior;
}

/** Each content digest once: a release that names one blob ten thousand times weighs it once. */
export function blobBytes(descriptors: readonly PlacedDescriptor[], blobOf: BlobOf): number {
  const distinct = new Set(descriptors.map(({ descriptor }) => descriptor.content_digest));
  return [...distinct].reduce((sum, name) => sum + (blobOf(name)?.length ?? 0), 0);
}

/** Verifies the behavior of every component, and returns the slots that are whole (cat:REG-04, SLOT-15). */
export class Behaviors {
  readonly slots: DeclaredSlot[] = [];
  private readonly bundle: FaultSink;
  /** By kind, format and digest, whether the bytes are the ones that are named: many components may share them, they are hashed and read once. */
  private readonly known = new Map<string, boolean>();
  /** How many values the behaviors that are still to be read may hold together. */
  private values: number = RELEASE_LIMITS.values;

  constructor(
    private readonly faults: FaultList,
    private readonly blobOf: BlobOf,
    private readonly targetKind: TargetKind,
  ) {
    this.bundle = faults.of({ document: 'bundle' });
  }

  check({ descriptor, at }: PlacedDescriptor): void {
    const kind = COMPONENT_KINDS.get(descriptor.component_kind);
    if (kind === undefined) {
      return this.bundle(
        `${at}/component_kind`,
        'KIND_UNKNOWN',
        'DIG-04',
        [...COMPONENT_KINDS.keys()].join(' or '),
        descriptor.component_kind,
      );
    }
    kind.checkDescriptor(descriptor, at, this.bundle);
    const blob = this.blobOf(descriptor.content_digest);
    if (blob === undefined) {
      return this.bundle(`${at}/content_digest`, 'BLOB_MISSING', 'BUN-15', 'uploaded behavior bytes', descriptor.content_digest);
    }
    if (this.verified(descriptor, kind, blob, at) && descriptor.component_kind === SLOT_KIND) this.slot(descriptor, blob, at);
  }

  private verified(descriptor: ComponentDescriptor, kind: KindOfComponent, blob: Buffer, at: string): boolean {
    const { component_kind: name, component_format_version: version, content_digest: digest } = descriptor;
    // Of a format that nobody knows nothing is hashed: the format is in the digest, so one blob could be named under any number of them.
    if (!kind.formatVersions.has(version)) return false;
    const key = `${name} ${version} ${digest}`;
    const before = this.known.get(key);
    if (before !== undefined) return before;
    const same = this.isNamed(descriptor, kind, blob, at);
    this.known.set(key, same);
    const sink = this.faults.of({ document: 'behavior', component: descriptor.component_id });
    if (same) this.values = Math.max(0, this.values - kind.verify(blob, sink, this.values));
    return same;
  }

  /** The size first: what is over the limit is not hashed. */
  private isNamed(descriptor: ComponentDescriptor, kind: KindOfComponent, blob: Buffer, at: string): boolean {
    const refuse = (code: string, rule: string, expected: string, found: unknown): false => {
      this.bundle(`${at}/content_digest`, code, rule, expected, found);
      return false;
    };
    if (blob.length > kind.bytesMax) return refuse('LIMIT_EXCEEDED', 'A-25', `at most ${kind.bytesMax} bytes of behavior`, blob.length);
    const { component_kind: name, component_format_version: version, content_digest: named } = descriptor;
    const actual = componentDigest(name, version, blob);
    return actual === named || refuse('DIGEST_MISMATCH', 'DIG-06', actual, named);
  }

  private slot(descriptor: ComponentDescriptor, blob: Buffer, at: string): void {
    // Its own faults have been told once; here only what it says is wanted.
    const behavior = readSlotBehavior(blob, () => undefined);
    if (behavior === undefined) return;
    const sink = this.faults.of({ document: 'behavior', component: descriptor.component_id });
    checkSlotPair(descriptor, behavior, this.targetKind, { at, bundle: this.bundle, behavior: sink });
    this.slots.push({ descriptor, behavior });
  }
}

/** The weight of all that a release is made of, before any of it is hashed. */
export function checkWeight(bytes: number, sink: FaultSink): boolean {
  if (bytes > RELEASE_LIMITS.release) sink('', 'LIMIT_EXCEEDED', 'A-25', `at most ${RELEASE_LIMITS.release} bytes in all`, bytes);
  return bytes <= RELEASE_LIMITS.release;
}
