import { Digest } from '@connector/kernel/digest';
import { InputFault } from '@connector/kernel/faults';
import { ownerVector } from '@connector/testing/vectors/load';
import { type ApplicationResult, applicationResult, type CommitReceipt, commitReceipt } from './documents';

const result = ownerVector('application result').document as ApplicationResult;

describe('runtime documents', () => {
  it('the bytes and digests of the vectors: application result and commit receipt', () => {
    const vector = ownerVector('application result');
    expect(applicationResult.build(result)).toEqual({ bytes: Buffer.from(vector.jcs_utf8), digest: vector.digest });
    expect(applicationResult.parse(Buffer.from(vector.jcs_utf8)).value).toEqual(result);
    const receipt = ownerVector('runtime commit receipt');
    expect(commitReceipt.build(receipt.document as CommitReceipt)).toEqual({
      bytes: Buffer.from(receipt.jcs_utf8),
      digest: receipt.digest,
    });
    expect(commitReceipt.parse(Buffer.from(receipt.jcs_utf8)).value).toEqual(receipt.document);
  });

  it('another digest when outbound commands change places: they are a sequence', () => {
    const [one, two] = ['1', '2'].map((text) => Digest.sha256(Buffer.from(text))) as [Digest, Digest];
    const digests = [
      [one, two],
      [two, one],
    ].map((outbound_commands) => applicationResult.build({ ...result, outbound_commands }).digest);
    expect(digests[0]).not.toBe(digests[1]);
  });

  it('refused: an outcome outside the four, a command id with a prefix, a version that is a number or has a leading zero', () => {
    const change = { collection: 'contact', key: '0031', version: '1' };
    const bad = [
      { outcome: 'done' },
      { command_id: 'cmd_00000000000000000000000000' },
      { record_changes: [{ ...change, version: 1 }] },
      { record_changes: [{ ...change, version: '01' }] },
    ];
    for (const other of bad) expect(() => applicationResult.build({ ...result, ...other } as ApplicationResult)).toThrow(InputFault);
  });
});
