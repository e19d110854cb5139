import { readCounted } from './canonical';
import type { ComponentDescriptor } from './bundle';
import type { FaultSink } from './faults';
import { jsonLimits, RELEASE_LIMITS } from './limits';
import { isObject } from './rules';
import { checkSlotDescriptor, readSlotBehavior, SLOT_BYTES_MAX } from './slot';

export const SLOT_KIND = 'io.nexuscrm.layout-bundle-slot.v1';
/** A behavior of no further shape, so that a slot has something to point at (decisions 12.10). */
export const RECORD_LAYOUT_KIND = 'io.nexuscrm.record-layout.v1';

/** How the behavior of one kind is verified. A kind whose bytes nobody can verify cannot be written down here (cat:DIG-04). */
export interface KindOfComponent {
  /** The versions of its bytes that `verify` knows (cat:A-06). */
  readonly formatVersions: ReadonlySet<number>;
  readonly bytesMax: number;
  /** What it asks of a descriptor beyond the base rules. Faults go to the bundle. */
  checkDescriptor(descriptor: ComponentDescriptor, at: string, sink: FaultSink): void;
  /** Tells what is wrong with the bytes themselves, of which it reads `valuesMax` values at most, and how many it read. Faults go to the behavior. */
  verify(behavior: Buffer, sink: FaultSink, valuesMax: number): number;
}

function checkFormat(known: ReadonlySet<number>, descriptor: ComponentDescriptor, at: string, sink: FaultSink): void {
  const version = descriptor.component_format_version;
  if (!known.has(version)) sink(`${at}/component_format_version`, 'KIND_UNKNOWN', 'A-06', `one of ${[...known].join(', ')}`, version);
}

const ONE: ReadonlySet<number> = new Set([1]);

/** Closed, and the same in tests and in production. */
export const COMPONENT_KINDS: ReadonlyMap<string, KindOfComponent> = new Map<string, KindOfComponent>([
  [
    SLOT_KIND,
    {
      formatVersions: ONE,
      bytesMax: SLOT_BYTES_MAX,
      checkDescriptor: checkSlotDescriptor,
      verify: (behavior, sink) => {
        readSlotBehavior(behavior, sink);
        // Of 512 bytes at most.
        return 0;
      },
    },
  ],
  [
    RECORD_LAYOUT_KIND,
    {
      formatVersions: ONE,
      bytesMax: RELEASE_LIMITS.blob,
      checkDescriptor: (descriptor, at, sink) => checkFormat(ONE, descriptor, at, sink),
      verify: (behavior, sink, valuesMax) => {
        const limits = { ...jsonLimits(RELEASE_LIMITS.blob), values: valuesMax };
        const { read, values } = readCounted(behavior, RELEASE_LIMITS.blob, sink, limits);
        if (read !== undefined && !isObject(read.value)) sink('', 'JSON_NOT_CANONICAL', 'DIG-04', 'an object', read.value);
        return values;
      },
    },
  ],
]);
