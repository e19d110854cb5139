import { Digest } from '@connector/kernel/digest';
import { judge } from '../audit';
import { changed, withRows } from './changed.fixture';

const other = Digest.sha256(Buffer.from('other', 'utf8'));
const step = (name: string) =>
  withRows(({ publicationSteps: steps }) => ({
    publicationSteps: [...steps, ...steps.slice(0, 1).map((row) => ({ ...row, step: name }))],
  }));
/** Gone, with everything that it held gone too, but for this. */
const removed = (over: Parameters<typeof withRows>[0]) =>
  withRows((rows) => ({
    installations: rows.installations.map((row) => ({ ...row, state: 'REMOVED', live_app_id: null, active_attempt: null })),
    bindingStates: rows.bindingStates.map((row) => ({ ...row, state: 'RETIRED', active_capability_id: null })),
    references: rows.references.map((row) => ({ ...row, open_binding_id: null })),
    claims: rows.claims.map((row) => ({ ...row, open_namespace_id: null })),
    ...over(rows),
  }));

const PLANTED: readonly (readonly [string, () => ReturnType<typeof withRows>, RegExp])[] = [
  ['a reference to what never served', () => changed('bindingStates', { state: 'STAGED' }), /work-1 refers to .*, which is STAGED/],
  ['a reference to a binding that is not there', () => changed('references', { binding_id: 'none' }), /refers to .* none, which is absent/],
  ['a reference that is open as another', () => changed('references', { open_binding_id: 'other' }), /is open as other/],
  [
    'a binding that was let go while something refers to it',
    () => changed('bindingStates', { state: 'RETIRED' }),
    /is RETIRED, and work-1 is open and nobody decided/,
  ],
  ['an attempt that failed and whose binding stands', () => step('failed'), /failed, and what it staged is ACTIVE/],
  ['an attempt that failed and holds its namespace', () => step('failed'), /layouts is claimed by .* attempt 1, which is over/],
  ['a tombstone that holds a namespace', () => removed(({ claims }) => ({ claims })), /layouts is claimed by .*, which is over/],
  ['a tombstone with a binding', () => removed(({ bindingStates }) => ({ bindingStates })), /is REMOVED, and its binding .* is ACTIVE/],
  ['Runtime that grants to what was removed', () => removed(() => ({})), /Runtime grants to .* in org-1, where nothing is ACTIVE/],
  [
    'Runtime that grants to another release',
    () => changed('installations', { active_release_digest: other }),
    /Runtime grants to .* in org-1, where .* is ACTIVE/,
  ],
];

describe('audit of what ended', () => {
  it.each(PLANTED)('found: %s', (_name, history, sentence) => {
    expect(judge(history()).findings.filter((finding) => sentence.test(finding))).not.toEqual([]);
  });

  it('nothing: what is RETIRED by a decision, and the end of a removal or of an abandonment', () => {
    const decided = withRows(({ bindingStates, references }) => ({
      bindingStates: [...bindingStates, ...bindingStates.map((row) => ({ ...row, ...OLDER, active_capability_id: null }))],
      references: references.map((row) => ({ ...row, binding_id: 'older', open_binding_id: 'older' })),
      retentions: references.map((row) => ({ ...row, binding_id: 'older' })),
    }));
    expect(judge(decided).findings).toEqual([]);
    const ends = ['removed', 'abandoned'].map((name) => judge(step(name)).findings.filter((finding) => /journal/.test(finding)));
    expect(ends.map(({ length }) => length)).toEqual([0, 1]);
  });
});

const OLDER = { binding_id: 'older', state: 'RETIRED', ownership_epoch: 0n };
