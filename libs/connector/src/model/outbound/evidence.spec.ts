import { IsolationId, TerminationId } from '@connector/kernel/ids';
import { contradiction, evidenceDigest, type CallEvidence } from './evidence';

const evidence: CallEvidence = {
  outcome: 'remote_confirmed',
  ioStarted: true,
  againAfterMs: null,
  status: 201,
  remoteIdentity: 'thing/1',
  detail: 'created',
  answer: Buffer.from('{}'),
};

describe('evidence', () => {
  it('differs: con:SETL-O every member of the evidence is in its digest', () => {
    const others: readonly CallEvidence[] = [
      { ...evidence, outcome: 'uncertain' },
      { ...evidence, ioStarted: false },
      { ...evidence, againAfterMs: 0 },
      { ...evidence, againAfterMs: 1 },
      { ...evidence, status: 200 },
      { ...evidence, remoteIdentity: null },
      { ...evidence, detail: 'made' },
      { ...evidence, answer: null },
      { ...evidence, answer: Buffer.from('') },
    ];
    const digests = [evidence, ...others].map((one) => evidenceDigest(one, null));
    expect(new Set(digests).size).toBe(others.length + 1);
    expect(evidenceDigest({ ...evidence, answer: Buffer.from('{}') }, null)).toBe(digests[0]);
  });
  it('differs: an abandonment is other evidence than a settlement, and names its receipts', () => {
    const end = { terminationId: TerminationId.mint(), isolationId: IsolationId.mint() };
    const digests = [null, end, { ...end, isolationId: IsolationId.mint() }, { ...end, terminationId: TerminationId.mint() }];
    expect(new Set(digests.map((one) => evidenceDigest(evidence, one))).size).toBe(4);
  });
  it('contradicts: a call that never began has confirmed nothing and left no doubt; only a confirmed one has an identity', () => {
    expect(contradiction(evidence)).toBeUndefined();
    expect(contradiction({ ...evidence, ioStarted: false })).toBe('remote_confirmed without I/O');
    expect(contradiction({ ...evidence, outcome: 'uncertain', ioStarted: false, remoteIdentity: null })).toBe('uncertain without I/O');
    expect(contradiction({ ...evidence, outcome: 'uncertain' })).toBe('a remote identity of uncertain');
  });
  it('contradicts: only a no-effect licenses another attempt, and a call that never began always does', () => {
    const refused = { ...evidence, outcome: 'no_effect', remoteIdentity: null } as const;
    expect([null, 0, 5_000].map((againAfterMs) => contradiction({ ...refused, againAfterMs }))).toEqual([undefined, undefined, undefined]);
    expect(contradiction({ ...evidence, againAfterMs: 0 })).toBe('another attempt after remote_confirmed');
    expect(contradiction({ ...evidence, outcome: 'uncertain', againAfterMs: 0 })).toBe('another attempt after uncertain');
    expect(contradiction({ ...refused, ioStarted: false })).toBe('nothing was sent, and never again');
  });
});
