import type { Digest } from '@connector/kernel/digest';
import { exampleRelease, seal } from '@connector/testing/fixtures/app-release';
import { appCases, appVectors } from '@connector/testing/vectors/load';
import { NamespaceId } from './identifier';
import { checkRelease, type SlotDeclaration } from './release';
import { type PlaceSlot, placeSlot, type SlotHead } from './slot-ledger';

const { ledger_after_1_0_0_1_1_0_1_2_0: after, slot_successors: successors } = appVectors;
const FORK = successors.fork_at_v1;

function declared(version: '1.0.0' | '1.1.0' | '1.2.0' | '1.3.0'): SlotDeclaration {
  const answer = checkRelease(seal(exampleRelease(version)));
  const slot = answer.kind === 'release' ? answer.release.slots[0] : undefined;
  if (slot === undefined) throw new Error('the example has a slot');
  return slot;
}
const [v1, v2, v3] = [declared('1.0.0'), declared('1.1.0'), declared('1.2.0')];
const fork: SlotDeclaration = { ...v1, revisionDigest: FORK.layout_bundle_slot_revision_digest, targetComponentId: v2.targetComponentId };
const other = `sha256:${'c'.repeat(64)}` as Digest;

/** A ledger of one slot, as the database would keep it. */
class Ledger {
  head: SlotHead | undefined;
  readonly revisions = new Map<number, SlotDeclaration>();

  register(slot: SlotDeclaration): PlaceSlot['kind'] {
    const placed = placeSlot(this.head, this.revisions.get(slot.definitionVersion)?.revisionDigest, slot);
    if (placed.kind === 'first' || placed.kind === 'successor') {
      this.revisions.set(slot.definitionVersion, slot);
      this.head = slot;
    }
    return placed.kind;
  }

  static of(...slots: readonly SlotDeclaration[]): Ledger {
    const ledger = new Ledger();
    for (const slot of slots) ledger.register(slot);
    return ledger;
  }
}

describe('slot ledger', () => {
  it('first, successor, successor, reuse: the accepted sequence of the contract, its head stays (cat:SLOT-26, cat:SLOT-27, cat:SLOT-29, cat:SLOT-38)', () => {
    const ledger = new Ledger();
    expect([v1, v2, v3, declared('1.3.0')].map((slot) => ledger.register(slot))).toEqual(['first', 'successor', 'successor', 'reuse']);
    expect(ledger.head).toMatchObject({
      definitionVersion: after.head.head_definition_version,
      revisionDigest: after.head.head_revision_digest,
    });
    const rows = [...ledger.revisions.values()].map((slot) => ({
      definition_version: slot.definitionVersion,
      revision_digest: slot.revisionDigest,
      target_component_id: slot.targetComponentId,
      previous_target_component_id: slot.previousTargetComponentId,
    }));
    expect(rows).toEqual(after.revisions);
    expect(after.reservation).toEqual({
      app_id: 'io.nexuscrm.sfcrm',
      local_component_key: v1.localComponentKey,
      declaration_component_id: v1.declarationComponentId,
      namespace_id: v1.namespaceId,
    });
    expect(appCases.slot_ledger_sequences[0]?.expect).toBe('accepted; head stays 3');
  });

  it('SLOT_FORK: another digest at a version that stands, at the head and below it (cat:SLOT-21, cat:SLOT-28, cat:SLOT-37)', () => {
    expect(Ledger.of(v1).register(fork)).toBe('SLOT_FORK');
    expect(Ledger.of(v1, v2, v3).register(fork)).toBe('SLOT_FORK');
    expect(Ledger.of(v1, v2).register({ ...v2, revisionDigest: other })).toBe('SLOT_FORK');
    expect(appCases.slot_ledger_sequences[1]?.expect).toBe('SLOT_FORK');
  });

  it('SLOT_GAP: a later version into nothing, or beyond the next (cat:SLOT-26, cat:SLOT-29, cat:SLOT-34)', () => {
    expect(new Ledger().register(v3)).toBe('SLOT_GAP');
    expect(new Ledger().register({ ...v1, previousTargetComponentId: other })).toBe('SLOT_GAP');
    expect(Ledger.of(v1).register(v3)).toBe('SLOT_GAP');
    expect(appCases.slot_ledger_sequences[2]?.expect).toBe('SLOT_GAP');
  });

  it('SLOT_REBOUND: another declaration or another namespace under a reserved key, a known revision too (cat:SLOT-18, cat:SLOT-21, cat:SLOT-30)', () => {
    const ledger = Ledger.of(v1);
    for (const slot of [v1, v2]) {
      expect(ledger.register({ ...slot, declarationComponentId: other })).toBe('SLOT_REBOUND');
      expect(ledger.register({ ...slot, namespaceId: NamespaceId.parse('io.nexuscrm.elsewhere') })).toBe('SLOT_REBOUND');
    }
  });

  it('SLOT_PREDECESSOR: a successor that names another target than the one before it (cat:SLOT-31, cat:SLOT-35)', () => {
    for (const previousTargetComponentId of [other, null, v2.targetComponentId])
      expect(Ledger.of(v1).register({ ...v2, previousTargetComponentId })).toBe('SLOT_PREDECESSOR');
    expect(Ledger.of(v1, v2).register({ ...v3, previousTargetComponentId: v1.targetComponentId })).toBe('SLOT_PREDECESSOR');
  });

  it('SLOT_TARGET_UNCHANGED: a successor that points where the head points (cat:SLOT-32)', () => {
    expect(Ledger.of(v1).register({ ...v2, targetComponentId: v1.targetComponentId })).toBe('SLOT_TARGET_UNCHANGED');
  });

  it('SLOT_VERSION_OVERFLOW: a head at 2^32-1 cannot advance, and is still reused (cat:A-19, cat:SLOT-34)', () => {
    const head = { ...v1, definitionVersion: 4_294_967_295 };
    expect(placeSlot(head, undefined, { ...v2, definitionVersion: 4_294_967_296 })).toEqual({ kind: 'SLOT_VERSION_OVERFLOW' });
    expect(placeSlot(head, v1.revisionDigest, head)).toEqual({ kind: 'reuse' });
  });

  it('successor: names both values that the head must still have (cat:SLOT-33)', () => {
    expect(placeSlot(v1, undefined, v2)).toEqual({ kind: 'successor', expectedHeadVersion: 1, expectedHeadDigest: v1.revisionDigest });
  });

  it('reuse: after a release without the slot any version again, or the one next (cat:SLOT-36, cat:SLOT-40, cat:SLOT-41)', () => {
    for (const slot of [v1, v2]) expect(Ledger.of(v1, v2).register(slot)).toBe('reuse');
    expect(Ledger.of(v1, v2).register(v3)).toBe('successor');
  });
});
