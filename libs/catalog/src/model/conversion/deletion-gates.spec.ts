import { Digest } from '@connector/kernel/digest';
import { allEvidence, AUTHORITY, CAPABILITY, LEGACY_PACK } from '@connector/testing/fixtures/conversion';
import {
  DELETION_GATES,
  type DeletionEvidence,
  type DeletionFacts,
  EVIDENCE,
  type EvidenceKind,
  passDeletionGates,
  readEvidence,
} from './deletion-gates';

const digest = (text: string): Digest => Digest.sha256(Buffer.from(text));
const KEY = { organization: 'org-1', packInstallId: LEGACY_PACK, appliedPayloadHash: digest('hash'), appReleaseDigest: digest('release') };
const read = readEvidence(allEvidence(KEY), AUTHORITY.publicKey, KEY);
const evidence = read.kind === 'evidence' ? read.evidence : [];
const FACTS: DeletionFacts = {
  key: KEY,
  releaseFaults: [],
  capabilities: [
    { capability_id: CAPABILITY, owner: 'app' },
    { capability_id: 'io.nexuscrm.mail.v1', owner: 'retained', retained_by: 'io.nexuscrm.mail' },
  ],
  served: [CAPABILITY],
  openReaders: [],
  retained: [],
  evidence,
};
const closedBy = (change: Partial<DeletionFacts>): readonly string[] => {
  const { kind, gates } = passDeletionGates({ ...FACTS, ...change });
  const closed = gates.filter(({ missing }) => missing.length > 0).map(({ rule }) => rule);
  expect(kind).toBe(closed.length === 0 ? 'passed' : 'closed');
  return closed;
};
const less = (kind: EvidenceKind) => ({ evidence: evidence.filter((one) => one.evidence !== kind) });
const counting = (kind: EvidenceKind, of: string) => ({
  evidence: evidence.map((one): DeletionEvidence =>
    one.evidence === kind ? { ...one, counts: one.counts.map((row) => (row.of === of ? { of, count: 1 } : row)) } : one,
  ),
});
const silent = (kind: EvidenceKind, of: string) => ({
  evidence: evidence.map((one): DeletionEvidence =>
    one.evidence === kind ? { ...one, counts: one.counts.filter((row) => row.of !== of) } : one,
  ),
});

describe('the gates of a deletion', () => {
  it('passed: cat:COEX-13 the seven of the contract, in its order, and nothing is deleted by less', () => {
    expect(DELETION_GATES.map(({ rule }) => rule)).toEqual([6, 7, 8, 9, 10, 11, 12].map((at) => `COEX-${String(at).padStart(2, '0')}`));
    expect(closedBy({})).toEqual([]);
    expect(closedBy({ evidence: [] })).toEqual(['COEX-06', 'COEX-07', 'COEX-08', 'COEX-10', 'COEX-12']);
  });

  it.each<[string, string, Partial<DeletionFacts>]>([
    ['COEX-06', 'the release is not what was registered', { releaseFaults: ['BLOB_ABSENT'] }],
    ['COEX-06', 'nobody signed its publication', less('r1b-publication')],
    ['COEX-07', 'nobody signed the tests of the conversion', less('a1c-tests')],
    ['COEX-08', 'nobody signed the parity of the view', less('p7b-parity')],
    ['COEX-08', 'nobody signed the cut-over', less('p7c-cutover')],
    ['COEX-09', 'the App does not serve what it owns', { served: [] }],
    ['COEX-09', 'a capability is in the legacy path', { capabilities: [{ capability_id: 'io.nexuscrm.reports.v1', owner: 'legacy' }] }],
    ['COEX-10', 'nobody signed what is reachable', less('reachability')],
    ['COEX-11', 'a handler drains', { retained: ['handler 1'] }],
    ['COEX-12', 'a reader is in the ledger', { openReaders: ['reader'] }],
    ['COEX-12', 'nobody signed the guard', less('repository-guard')],
  ])('closed: cat:COEX-13 cat:%s alone: %s', (rule, _what, change) => {
    expect(closedBy(change)).toEqual([rule]);
  });

  const RULE: Readonly<Record<EvidenceKind, string>> = {
    'r1b-publication': 'COEX-06',
    'a1c-tests': 'COEX-07',
    'p7b-parity': 'COEX-08',
    'p7c-cutover': 'COEX-08',
    reachability: 'COEX-10',
    'repository-guard': 'COEX-12',
  };
  const COUNTED = Object.entries(EVIDENCE).flatMap(([kind, names]) => names.map((of) => [kind as EvidenceKind, of] as const));
  it.each(COUNTED)(
    'closed: cat:COEX-06 cat:COEX-07 cat:COEX-08 cat:COEX-10 cat:COEX-12 %s counts one of %s, or does not count it',
    (kind, of) => {
      expect(closedBy(counting(kind, of))).toEqual([RULE[kind]]);
      expect(closedBy(silent(kind, of))).toEqual([RULE[kind]]);
    },
  );

  it('refused: evidence of another organization, release or hash, and what somebody else signed', () => {
    expect(evidence).toHaveLength(Object.keys(EVIDENCE).length);
    for (const other of [{ organization: 'org-2' }, { appReleaseDigest: digest('x') }, { appliedPayloadHash: digest('x') }]) {
      expect(readEvidence(allEvidence(KEY), AUTHORITY.publicKey, { ...KEY, ...other })).toEqual({ kind: 'refused', at: 0 });
    }
    expect(readEvidence(allEvidence(KEY), Buffer.alloc(32), KEY)).toEqual({ kind: 'refused', at: 0 });
  });
});
