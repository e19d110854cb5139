import { Digest } from '@connector/kernel/digest';
import { changed, found, GENERATION_OF_PRIMARY, VECTOR_ACCOUNTS, VECTOR_EPOCH, vectorAnswers } from '@connector/testing/fixtures/serving';
import { vectorEpoch } from '@connector/testing/vectors/serving-epoch';
import { profiledVector } from '@connector/testing/vectors/load';
import { servingEpochDigest } from '../digests/serving-epoch';
import type { CredentialAnswer, OwnerAnswers, OwnerName } from './owner-answers';
import { compareEpoch, verificationEvidence, type EpochVerdict, type StoredEpoch } from './verification';

const OTHER = Digest.sha256(Buffer.from('other'));
const STORED: StoredEpoch = {
  epochId: VECTOR_EPOCH,
  epochDigest: profiledVector('serving epoch').digest,
  digestProfile: 'nexuscrm.connector-digest-profile.v2',
  parts: vectorEpoch(),
};
const compare = (change: (answers: OwnerAnswers) => OwnerAnswers, stored = STORED): EpochVerdict =>
  compareEpoch(stored, found(change(vectorAnswers())));
const whole = (answers: OwnerAnswers): OwnerAnswers => answers;

describe('compare-epoch', () => {
  it('verified: con:EPOCH-01 con:VERI-P the owners’ fresh answers are the candidate, byte for byte', () => {
    expect(compare(whole)).toEqual({ kind: 'verified', accounts: VECTOR_ACCOUNTS });
  });

  it.each<OwnerName>(['catalog', 'packs', 'configuration', 'credentials'])(
    'unavailable: con:EPOCH-03 con:VERI-X %s gave no answer, and that says nothing about the candidate',
    (owner) => {
      expect(compareEpoch(STORED, { kind: 'unavailable', owner })).toEqual({ kind: 'unavailable', owner });
    },
  );

  it.each<OwnerName>(['catalog', 'packs', 'configuration', 'credentials'])(
    'rejected: con:EPOCH-02 %s says that the fact is absent',
    (owner) => {
      expect(compareEpoch(STORED, { kind: 'rejected', owner, code: 'ABSENT' })).toEqual({ kind: 'rejected', reason: `${owner}: ABSENT` });
    },
  );

  it('rejected: con:VERI-X a receipt that only a caller echoes is none: the owner’s own bytes differ', () => {
    const echoed = {
      ...STORED,
      parts: { ...STORED.parts, configuration: { ...STORED.parts.configuration, receipt: Buffer.from('echo') } },
    };
    expect(compareEpoch(echoed, found(vectorAnswers()))).toEqual({ kind: 'rejected', reason: 'candidate: digest-differs' });
    const odd = (answers: OwnerAnswers): OwnerAnswers => ({
      ...answers,
      configuration: { ...answers.configuration, receiptDigest: OTHER },
    });
    expect(compare(odd)).toEqual({ kind: 'rejected', reason: 'differs: configuration' });
  });

  it('rejected: con:VERI-X con:BIND-K a newer view is not accepted because its revision is sufficient', () => {
    const newer = (answers: OwnerAnswers): OwnerAnswers => {
      const raise = (bytes: Buffer): Buffer =>
        changed(bytes, (document) => ((document['lineage'] as Record<string, string>)['catalog_revision'] = '43'));
      return {
        ...answers,
        view: { ...answers.view, viewBytes: raise(answers.view.viewBytes), receiptBytes: raise(answers.view.receiptBytes) },
      };
    };
    expect(compare(newer)).toEqual({ kind: 'rejected', reason: 'differs: catalog' });
  });

  it('rejected: con:VERI-X a binding that the candidate leaves out', () => {
    const { bindings, proofs } = STORED.parts;
    const parts = { ...STORED.parts, bindings: bindings.slice(0, 3), proofs: proofs.slice(0, 3) };
    expect(compareEpoch({ ...STORED, parts, epochDigest: digestOf(parts) }, found(vectorAnswers()))).toEqual({
      kind: 'rejected',
      reason: 'differs: bindings',
    });
  });

  it('rejected: con:VERI-X an account that the candidate’s configuration leaves out', () => {
    const more = (answers: OwnerAnswers): OwnerAnswers => ({
      ...answers,
      configuration: {
        ...answers.configuration,
        documentBytes: changed(answers.configuration.documentBytes, (document) => {
          const accounts = document['accounts'] as Record<string, unknown>[];
          accounts.push({ ...accounts[0], account: 'north', routes: [], mappings: [], channels: [] });
        }),
        generationDigest: OTHER,
        receiptBytes: changed(answers.configuration.receiptBytes, (receipt) => (receipt['generation_digest'] = OTHER)),
      },
    });
    expect(compare(more)).toEqual({ kind: 'rejected', reason: 'differs: configuration' });
  });

  it('rejected: con:VERI-X a credential generation is found by its id, and another one for the same reference is stale', () => {
    const rotated = (answers: OwnerAnswers): OwnerAnswers => {
      const answer = answers.credentials.get(GENERATION_OF_PRIMARY) as CredentialAnswer;
      const receiptBytes = changed(answer.receiptBytes, (receipt) => (receipt['secret_version'] = 'newer'));
      return { ...answers, credentials: new Map([...answers.credentials, [GENERATION_OF_PRIMARY, { ...answer, receiptBytes }]]) };
    };
    expect(compare(rotated)).toEqual({ kind: 'rejected', reason: 'differs: credentials' });
  });

  it.each(['nexuscrm.connector-digest-profile.v1', '', 'nexuscrm.connector-digest-profile.v3'])(
    'rejected: con:VERI-X con:DIG-13 profile "%s" is not compared',
    (digestProfile) => {
      expect(compare(whole, { ...STORED, digestProfile })).toEqual({ kind: 'rejected', reason: 'unsupported-profile' });
    },
  );

  it('rejected: con:VERI-X stored parts that are no epoch, or not of the stored digest', () => {
    const proofs = STORED.parts.proofs.slice(1);
    expect(compare(whole, { ...STORED, parts: { ...STORED.parts, proofs } })).toMatchObject({ reason: 'candidate: proof-differs' });
    expect(compare(whole, { ...STORED, epochDigest: OTHER })).toEqual({ kind: 'rejected', reason: 'candidate: digest-differs' });
  });

  it('evidence: canonical bytes that name verdict and reason, the same each time (con:VERI-W)', () => {
    const verdict = { kind: 'rejected', reason: 'differs: catalog' } as const;
    const evidence = verificationEvidence(STORED, verdict);
    expect(evidence).toEqual(verificationEvidence(STORED, verdict));
    expect(JSON.parse(evidence.toString('utf8'))).toMatchObject({
      verdict: 'rejected',
      reason: 'differs: catalog',
      epoch_digest: STORED.epochDigest,
    });
  });
});

/** Of parts that are another, well-formed epoch. */
function digestOf(parts: StoredEpoch['parts']): Digest {
  const digested = servingEpochDigest(parts);
  expect(digested.kind).toBe('digested');
  return digested.kind === 'digested' ? digested.digest : OTHER;
}
