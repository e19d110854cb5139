import { jcs, type Json } from '@connector/kernel/jcs';
import { type Draft, exampleRelease, restamp, seal } from '@connector/testing/fixtures/app-release';
import { changed, component, faultsOf, slotBehavior, slotBytes, told } from '@connector/testing/fixtures/release-faults';
import { appVectors } from '@connector/testing/vectors/load';
import { COMPONENT_KINDS, SLOT_KIND } from './component-kinds';
import { checkRelease, type ReleaseInput } from './release';
import { componentId, slotRevisionDigest } from './release-digests';

const { layout_a: a, layout_b: b, slot_v1: slot } = appVectors.components;
const [A, B, SLOT] = [a.component_id.digest, b.component_id.digest, slot.component_id.digest];
const of = (member: string, value: Json) => changed((draft) => void (component(draft, 2)[member] = value));
const set = (member: string, value: Json) => slotBehavior((behavior) => void (behavior[member] = value));
const codes = (input: ReleaseInput): readonly string[] => faultsOf(input).map(({ code }) => code);
const KEY = `key256:${'a'.repeat(64)}`;

/** The example with a second slot that declares this key in this namespace and points at what is given. */
function second(key: string, namespace: string, target: string): ReleaseInput {
  return changed((draft) => {
    const descriptor: Draft = { ...component(draft, 2), namespace_id: namespace, business_key: key, local_dependencies: [target] };
    descriptor['component_id'] = componentId(namespace, SLOT_KIND, key);
    const behavior = { schema_version: 'nexuscrm.layout-bundle-slot/v1', local_component_key: key, target_component_id: target };
    draft.behaviors.set(String(descriptor['component_id']), jcs(behavior));
    restamp(draft, descriptor);
    draft.components.push(descriptor);
    draft.components.sort((left, right) => (String(left['component_id']) < String(right['component_id']) ? -1 : 1));
  });
}

/** The slot at a later version, pointing back at what is given. */
function later(previous: string | undefined, version = '2'): ReleaseInput {
  return changed((draft) => {
    const one = component(draft, 2);
    one['definition_version'] = version;
    const behavior = JSON.parse(String(draft.behaviors.get(SLOT))) as Draft;
    draft.behaviors.set(SLOT, jcs(previous === undefined ? behavior : { ...behavior, previous_target_component_id: previous }));
    restamp(draft, one);
  });
}

describe('layout bundle slots', () => {
  it('registered: the kind has a verifier for its one format (cat:SLOT-01, cat:DIG-04)', () => {
    expect([...COMPONENT_KINDS.keys()]).toEqual(['io.nexuscrm.layout-bundle-slot.v1', 'io.nexuscrm.record-layout.v1']);
    expect(COMPONENT_KINDS.get(SLOT_KIND)?.formatVersions).toEqual(new Set([1]));
  });

  it('release: the declaration as the ledger takes it (cat:SLOT-15, cat:SLOT-17)', () => {
    const answer = checkRelease(seal(exampleRelease('1.1.0')));
    expect(answer).toMatchObject({
      release: {
        slots: [
          {
            localComponentKey: appVectors.identifiers.local_component_key,
            namespaceId: 'io.nexuscrm.sfcrm.slots',
            declarationComponentId: SLOT,
            definitionVersion: 2,
            revisionDigest: appVectors.slot_successors.slot_v2_a_to_b.layout_bundle_slot_revision_digest,
            targetComponentId: B,
            previousTargetComponentId: A,
          },
        ],
      },
    });
  });

  it('release: several slots, in bytewise order of their keys whatever the order of their components (cat:A-20)', () => {
    for (const key of ['0', '5', 'b', 'f'].map((digit) => `key256:${digit.repeat(64)}`)) {
      const answer = checkRelease(second(key, 'io.nexuscrm.sfcrm.slots', A));
      const found = answer.kind === 'release' ? answer.release.slots.map((one) => one.localComponentKey) : [];
      expect(found).toEqual([key, appVectors.identifiers.local_component_key].sort());
      expect(found).toHaveLength(2);
    }
  });

  it('refused: a business key that is no local component key (cat:SLOT-02)', () => {
    for (const key of ['account', KEY.toUpperCase(), `sha256:${'a'.repeat(64)}`])
      expect(codes(second(key, 'io.nexuscrm.sfcrm.slots', A))).toContain('SLOT_DESCRIPTOR');
  });

  it('refused: another format, a reference outside, another policy (cat:SLOT-03, cat:SLOT-04, cat:SLOT-05, cat:SLOT-06)', () => {
    const format = changed((draft) => {
      component(draft, 2)['component_format_version'] = 2;
      restamp(draft, component(draft, 2));
    });
    expect(told(format)).toEqual(['SLOT_DESCRIPTOR bundle /components/2/component_format_version']);
    const at = (member: string) => [`SLOT_DESCRIPTOR bundle /components/2/${member}`];
    expect(told(of('external_component_refs', component(exampleRelease(), 0)['external_component_refs'] ?? null))).toEqual(
      at('external_component_refs'),
    );
    expect(told(of('override_policy', 'preserve-authorized-overrides'))).toEqual(at('override_policy'));
    expect(told(of('removal_policy', 'remove-if-unreferenced'))).toEqual(at('removal_policy'));
  });

  it('refused: one key declared in two namespaces, which gives two component IDs (cat:SLOT-07)', () => {
    const key = appVectors.identifiers.local_component_key;
    expect(codes(second(key, 'io.nexuscrm.sfcrm.layouts', A))).toEqual(['SLOT_KEY']);
    expect(checkRelease(second(KEY, 'io.nexuscrm.sfcrm.layouts', A)).kind).toBe('release');
  });

  it('refused: behavior bytes that are not the canonical form of exactly the object (cat:SLOT-08, cat:SLOT-16)', () => {
    const text = slot.behavior_jcs_utf8;
    const pretty = JSON.stringify(JSON.parse(text), null, 1);
    for (const bytes of [pretty, `${text}\n`, ` ${text}`, `\ufeff${text}`, 'any bytes whose digest matches', ''])
      expect(told(slotBytes(Buffer.from(bytes)))).toContain('JSON_NOT_CANONICAL behavior ');
    expect(told(set('note', 'x'))).toEqual(['SLOT_NOT_CLOSED behavior /note']);
    expect(told(set('schema_version', 'nexuscrm.layout-bundle-slot/v2'))).toEqual(['SCHEMA_VERSION behavior /schema_version']);
    for (const name of ['schema_version', 'local_component_key', 'target_component_id'])
      expect(told(slotBehavior((behavior) => delete behavior[name]))).toEqual([`SLOT_NOT_CLOSED behavior /${name}`]);
    expect(codes(slotBytes(Buffer.from('[]')))).toEqual(['SLOT_NOT_CLOSED']);
    expect(told(slotBytes(Buffer.alloc(513, 0x20)))).toEqual(['LIMIT_EXCEEDED bundle /components/2/content_digest']);
  });

  it('refused: a key in the behavior that is not the business key (cat:SLOT-09)', () => {
    expect(told(set('local_component_key', KEY))).toEqual(['SLOT_KEY behavior /local_component_key']);
  });

  it('refused: a predecessor at version 1, null for one, none at a later version (cat:SLOT-10)', () => {
    const at = 'behavior /previous_target_component_id';
    expect(told(set('previous_target_component_id', B))).toEqual([`SLOT_PREDECESSOR ${at}`]);
    expect(told(set('previous_target_component_id', null))).toEqual([`SLOT_NOT_CLOSED ${at}`]);
    for (const version of ['2', '3', '4294967295']) expect(told(later(undefined, version))).toEqual([`SLOT_PREDECESSOR ${at}`]);
    expect(checkRelease(later(B, '4294967295')).kind).toBe('release');
  });

  it('refused: a target that is its own predecessor (cat:SLOT-12)', () => {
    expect(told(later(A))).toEqual(['SLOT_PREDECESSOR behavior /previous_target_component_id']);
    expect(checkRelease(later(B)).kind).toBe('release');
  });

  it('refused: a version that is no uint32 in shortest decimal (cat:A-09, cat:A-19)', () => {
    for (const version of ['01', '0', '4294967296', 'a', '1.0', '99999999999'])
      expect(told(of('definition_version', version))).toContain('DEFINITION_VERSION bundle /components/2/definition_version');
  });

  it('refused: local dependencies that are not exactly the target (cat:SLOT-13)', () => {
    const at = '/components/2/local_dependencies';
    expect(told(of('local_dependencies', []))).toEqual([`SLOT_LOCAL_DEPENDENCY bundle ${at}`]);
    expect(told(of('local_dependencies', [A, B]))).toEqual([`SLOT_LOCAL_DEPENDENCY bundle ${at}`]);
    expect(told(of('local_dependencies', [B]))).toEqual([`SLOT_LOCAL_DEPENDENCY bundle ${at}/0`]);
  });

  it('refused: the five unclear targets, no two with the same codes (cat:SLOT-11, cat:SLOT-14)', () => {
    const unclear = {
      none: slotBehavior((behavior) => delete behavior['target_component_id']),
      outside: set('target_component_id', `sha256:${'0'.repeat(64)}`),
      itself: set('target_component_id', SLOT),
      twice: of('local_dependencies', [A, A]),
      oneOfTwo: of('local_dependencies', [A, B]),
    };
    const answers = Object.values(unclear).map((input) => codes(input).join(' '));
    expect(answers).toEqual([
      'SLOT_NOT_CLOSED',
      'SLOT_TARGET SLOT_LOCAL_DEPENDENCY',
      'SLOT_TARGET SLOT_TARGET_IS_SLOT SLOT_LOCAL_DEPENDENCY',
      'DUPLICATE',
      'SLOT_LOCAL_DEPENDENCY',
    ]);
    expect(codes(second(KEY, 'io.nexuscrm.sfcrm.slots', SLOT))).toEqual(['SLOT_TARGET', 'SLOT_TARGET_IS_SLOT']);
  });

  it('another revision digest when any member of the descriptor changes (cat:SLOT-20, cat:SLOT-21)', () => {
    const digests = Object.keys(slot.descriptor).map((name) =>
      slotRevisionDigest('io.nexuscrm.sfcrm', { ...slot.descriptor, [name]: 'changed' }),
    );
    const all = new Set([
      ...digests,
      slotRevisionDigest('io.nexuscrm.other', slot.descriptor),
      slot.layout_bundle_slot_revision_digest.digest,
    ]);
    expect(all.size).toBe(digests.length + 2);
  });
});
