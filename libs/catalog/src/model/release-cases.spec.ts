import { jcs, type Json } from '@connector/kernel/jcs';
import { type Draft, exampleRelease, type ReleaseDraft, restamp, seal } from '@connector/testing/fixtures/app-release';
import { type AppCase, appCases, type AppCaseOp } from '@connector/testing/vectors/load';
import { checkRelease } from './release';

type Container = Draft | Json[];

/** JSON Patch with two operations more: swap01 swaps the first two items of a list, dup0 puts a copy of the first before it. */
function apply(root: Container, op: Exclude<AppCaseOp, { readonly op: 'bytes' }>): void {
  const names = op.path.split('/').slice(1);
  const last = names.pop() ?? '';
  const holder = names.reduce<Container>((at, name) => (at as Draft)[name] as unknown as Container, root);
  const list = (): Json[] => (holder as Draft)[last] as Json[];
  if (op.op === 'swap01') list().splice(0, 2, ...list().slice(0, 2).reverse());
  else if (op.op === 'dup0') list().unshift(JSON.parse(JSON.stringify(list()[0])) as Json);
  else if (!('value' in op)) delete (holder as Draft)[last];
  else if (Array.isArray(holder) && last === '-') holder.push(op.value);
  else (holder as Draft)[last] = op.value;
}

function slotOf(draft: ReleaseDraft): { readonly descriptor: Draft; readonly id: string; readonly behavior: Buffer } {
  const descriptor = draft.components[2];
  if (descriptor === undefined) throw new Error('the example has a slot');
  const id = String(descriptor['component_id']);
  return { descriptor, id, behavior: draft.behaviors.get(id) ?? Buffer.alloc(0) };
}

/** The base with the operations of a case, and every digest that the case does not mean made right again. */
function prepared(one: AppCase) {
  const draft = exampleRelease();
  const bundle: Draft = { schema_version: 'nexuscrm.metadata-bundle/v1', components: draft.components };
  const slot = slotOf(draft);
  const behavior = JSON.parse(slot.behavior.toString('utf8')) as Draft;
  for (const op of one.ops) {
    if (op.op === 'bytes') draft.behaviors.set(slot.id, Buffer.from(op.value, 'utf8'));
    else apply({ manifest: draft.manifest, bundle, slot_behavior: behavior, slot_bytes: behavior }[one.on], op);
    if (op.op !== 'bytes' && op.path.endsWith('component_format_version') && op.op === 'replace' && op.value !== 0)
      restamp(draft, slot.descriptor);
  }
  if (one.on === 'slot_behavior') draft.behaviors.set(slot.id, jcs(behavior));
  if (one.on.startsWith('slot')) restamp(draft, slot.descriptor);
  const sealed = seal(draft, bundle);
  return one.on === 'manifest' ? { ...sealed, manifest: jcs(draft.manifest) } : sealed;
}

describe('the cases of the contract', () => {
  it('release: the worked example itself', () => {
    expect(checkRelease(seal(exampleRelease()))).toMatchObject({ kind: 'release', release: { appId: 'io.nexuscrm.sfcrm' } });
  });

  it.each(appCases.cases.map((one) => [one.case, one.expect, one] as const))('refused: %s with %s', (_name, code, one) => {
    const answer = checkRelease(prepared(one));
    if (answer.kind !== 'faulty') throw new Error('accepted');
    expect(answer.faults.map((fault) => fault.code)).toContain(code);
  });
});
