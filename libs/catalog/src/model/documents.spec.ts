import type { Digest } from '@connector/kernel/digest';
import { compareTuples } from '@connector/kernel/document-order';
import { type DocumentBytes, documentDigest } from '@connector/kernel/document';
import { InputFault } from '@connector/kernel/faults';
import { viewVectors } from '@connector/testing/vectors/load';
import {
  type BindingReceipt,
  bindingReceipt,
  type BindingView,
  bindingView,
  type SourceSnapshot,
  sourceSnapshot,
  type ViewBinding,
} from './documents';

const snapshot = viewVectors.source_snapshot as SourceSnapshot;
const view = viewVectors.view as unknown as BindingView;
const receipt = viewVectors.receipt as unknown as BindingReceipt;

function expectVector(made: DocumentBytes, separator: string, vector: { readonly preimage_length: number; readonly digest: Digest }): void {
  expect(made.digest).toBe(vector.digest);
  expect(made.bytes.length + separator.length + 1).toBe(vector.preimage_length);
}

describe('catalog documents', () => {
  it('the digests of the vectors: source snapshot, view, receipt (cat:INT-10)', () => {
    expectVector(sourceSnapshot.build(snapshot), sourceSnapshot.separator, viewVectors.source_snapshot_digest);
    expectVector(bindingView.build(view), bindingView.separator, viewVectors.view_digest);
    const made = bindingReceipt.build(receipt);
    expectVector(made, bindingReceipt.separator, viewVectors.receipt_digest);
    expect(made.bytes.toString('utf8')).toBe(viewVectors.receipt_bytes_utf8);
    expect(documentDigest('nexuscrm.integration-binding-receipt.v1', made.bytes)).toBe(viewVectors.receipt_digest.digest);
  });

  it('the same value read back', () => {
    expect(sourceSnapshot.parse(sourceSnapshot.build(snapshot).bytes).value).toEqual(snapshot);
    expect(bindingView.parse(bindingView.build(view).bytes).value).toEqual(view);
    expect(bindingReceipt.parse(Buffer.from(viewVectors.receipt_bytes_utf8)).value).toEqual(receipt);
  });

  it('the same bytes for shuffled bindings and references (cat:INT-05)', () => {
    const refs = (row: ViewBinding, credential_refs: readonly string[]): ViewBinding => ({ ...row, credential_refs });
    const one = { ...view, bindings: view.bindings.map((row) => refs(row, ['b', 'a'])) };
    const other = { ...view, bindings: view.bindings.map((row) => refs(row, ['a', 'b'])).reverse() };
    expect(bindingView.build(other)).toEqual(bindingView.build(one));
  });

  it('refused: a binding or a reference twice, a fifth kind, an open row, a number for an epoch (cat:INT-03, cat:INT-04, cat:INT-15)', () => {
    const [row] = view.bindings;
    if (row === undefined) throw new Error('the vector has bindings');
    const bad = [
      { bindings: [row, row] },
      { bindings: [row, { ...row, pack_payload_digest: viewVectors.view_digest.digest }] },
      { bindings: [{ ...row, credential_refs: ['a', 'a'] }] },
      { bindings: [{ ...row, kind: 'webhook' }] },
      { bindings: [{ ...row, active: true }] },
      { bindings: [{ ...row, runtime_command: null }] },
      { lineage: { ...view.lineage, activation_epoch: 3 } },
    ];
    for (const other of bad) expect(() => bindingView.build({ ...view, ...other } as BindingView)).toThrow(InputFault);
  });

  it('another receipt and the same view when only the security epoch moves (cat:INT-20)', () => {
    expect(bindingReceipt.build({ ...receipt, security_epoch: '8' }).digest).not.toBe(viewVectors.receipt_digest.digest);
    expect(bindingView.build(view).digest).toBe(viewVectors.view_digest.digest);
  });

  it('the order of external references by fields, not by the glued text (cat:A-10)', () => {
    const { canonical, literal_concatenation_would_give: glued } = viewVectors.external_ref_order;
    const key = (ref: Readonly<Record<string, string>>) => Object.values(ref);
    expect([...glued].sort((left, right) => compareTuples(key(left), key(right)))).toEqual(canonical);
  });
});
