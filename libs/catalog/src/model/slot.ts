import type { Digest } from '@connector/kernel/digest';
import type { ComponentDescriptor } from './bundle';
import { readDocument } from './canonical';
import { type FaultSink, Said } from './faults';
import { LocalComponentKey } from './identifier';
import { UINT32_MAX } from './limits';
import { type Closed, closed, digest, id, type RuleType, word } from './rules';

/** The component kind that declares a lasting layout slot of an App (cat:SLOT-01 to SLOT-16). */

const SLOT: Closed = { code: 'SLOT_NOT_CLOSED', rule: 'SLOT-08' };
/** Its closed shape of fixed-width members is never longer; tested before it is hashed. */
export const SLOT_BYTES_MAX = 512;

const slotRule = closed(
  SLOT,
  {
    schema_version: word('SCHEMA_VERSION', 'SLOT-08', 'nexuscrm.layout-bundle-slot/v1'),
    local_component_key: id(LocalComponentKey, 'ID-15'),
    target_component_id: digest,
  },
  { previous_target_component_id: digest },
);
export type SlotBehavior = RuleType<typeof slotRule>;

/** The behavior where its shape is whole; its own faults are told. A matching hash proves none of this (cat:SLOT-16). */
export function readSlotBehavior(bytes: Buffer, sink: FaultSink): SlotBehavior | undefined {
  const read = readDocument(bytes, SLOT_BYTES_MAX, sink);
  return read !== undefined && slotRule.admits(read.value, '', sink) ? read.value : undefined;
}

const VERSION = /^[1-9][0-9]{0,9}$/;

/** cat: a positive uint32 in shortest decimal. */
export function slotVersion(definitionVersion: string): number | undefined {
  const value = VERSION.test(definitionVersion) ? Number(definitionVersion) : undefined;
  return value !== undefined && value <= UINT32_MAX ? value : undefined;
}

/** What the kind fixes in a descriptor. */
export function checkSlotDescriptor(descriptor: ComponentDescriptor, at: string, sink: FaultSink): void {
  const refuse = (member: keyof ComponentDescriptor, rule: string, expected: string): void =>
    sink(`${at}/${member}`, 'SLOT_DESCRIPTOR', rule, expected, descriptor[member]);
  if (!LocalComponentKey.is(descriptor.business_key)) refuse('business_key', 'SLOT-02', LocalComponentKey.expected);
  if (descriptor.component_format_version !== 1) refuse('component_format_version', 'SLOT-03', '1');
  if (descriptor.external_component_refs.length > 0) refuse('external_component_refs', 'SLOT-04', 'an empty list');
  if (descriptor.override_policy !== 'replace') refuse('override_policy', 'SLOT-05', 'replace');
  if (descriptor.removal_policy !== 'block-if-referenced-or-overridden') {
    refuse('removal_policy', 'SLOT-06', 'block-if-referenced-or-overridden');
  }
  if (slotVersion(descriptor.definition_version) === undefined) {
    sink(`${at}/definition_version`, 'DEFINITION_VERSION', 'A-09', `1 to ${UINT32_MAX}, no leading zero`, descriptor.definition_version);
  }
  if (descriptor.local_dependencies.length !== 1) {
    sink(`${at}/local_dependencies`, 'SLOT_LOCAL_DEPENDENCY', 'SLOT-13', 'exactly the target', descriptor.local_dependencies);
  }
}

/** What a component of the bundle is to a slot that points at it; undefined: not in the bundle. */
export type TargetKind = (component: Digest) => 'slot' | 'ordinary' | undefined;

/** What descriptor and behavior say of each other, and of the rest of the bundle. */
export function checkSlotPair(
  descriptor: ComponentDescriptor,
  behavior: SlotBehavior,
  targetKind: TargetKind,
  sinks: { readonly at: string; readonly bundle: FaultSink; readonly behavior: FaultSink },
): void {
  if (behavior.local_component_key !== descriptor.business_key) {
    sinks.behavior('/local_component_key', 'SLOT_KEY', 'SLOT-09', 'the business key of the descriptor', behavior.local_component_key);
  }
  checkTarget(behavior, targetKind, sinks.behavior);
  const [only, ...rest] = descriptor.local_dependencies;
  if (only !== undefined && rest.length === 0 && only !== behavior.target_component_id) {
    sinks.bundle(`${sinks.at}/local_dependencies/0`, 'SLOT_LOCAL_DEPENDENCY', 'SLOT-13', 'the target of the slot', only);
  }
  checkPredecessor(slotVersion(descriptor.definition_version), behavior, sinks.behavior);
}

function checkTarget(behavior: SlotBehavior, targetKind: TargetKind, sink: FaultSink): void {
  const target = behavior.target_component_id;
  const kind = targetKind(target);
  if (kind === 'ordinary') return;
  sink('/target_component_id', 'SLOT_TARGET', 'SLOT-11', 'a component of this bundle that is no slot', target);
  if (kind === 'slot') sink('/target_component_id', 'SLOT_TARGET_IS_SLOT', 'SLOT-14', 'no slot, itself or another', new Said('a slot'));
}

function checkPredecessor(version: number | undefined, behavior: SlotBehavior, sink: FaultSink): void {
  if (version === undefined) return;
  const previous = behavior.previous_target_component_id;
  const refuse = (rule: string, expected: string): void =>
    sink('/previous_target_component_id', 'SLOT_PREDECESSOR', rule, expected, previous);
  if (version === 1 && previous !== undefined) refuse('SLOT-10', 'no such member at version 1');
  if (version > 1 && previous === undefined) refuse('SLOT-10', 'the target of the version before');
  if (previous !== undefined && previous === behavior.target_component_id) refuse('SLOT-12', 'another component than the target');
}
