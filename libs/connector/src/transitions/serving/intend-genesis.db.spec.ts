import { Digest } from '@connector/kernel/digest';
import { AttemptId, EpochId } from '@connector/kernel/ids';
import { journalSchema, type TestSchema } from '@connector/testing/database';
import { countOf } from '@connector/testing/fixtures/serving';
import type { GenesisAttempt } from '../../model/serving/genesis';
import { commitGenesis } from './commit-genesis.tx';
import { declarePredecessor } from './declare-predecessor.tx';
import { intendGenesis } from './intend-genesis.tx';

let journal: TestSchema;

beforeAll(async () => {
  journal = await journalSchema();
});
beforeEach(() => journal.reset());
afterAll(() => journal.close());

const attempt = (): GenesisAttempt => ({
  attemptId: AttemptId.mint(),
  epochId: EpochId.mint(),
  epochDigest: Digest.sha256(Buffer.from('epoch')),
});
const declare = (predecessor: 'no_predecessor' | 'v1' = 'no_predecessor') => declarePredecessor(journal.db, { predecessor, by: 'ops' });

describe('declare-predecessor', () => {
  it('declared: the first word is written', async () => {
    expect(await declare()).toEqual({ kind: 'declared' });
  });

  it('already-declared: the same word again changes nothing', async () => {
    await declare();
    expect(await declare()).toEqual({ kind: 'already-declared' });
    expect(await countOf(journal, 'jrn_service')).toBe(1);
  });

  it('conflicting-declaration: the first word stands for ever', async () => {
    await declare('v1');
    expect(await declare()).toEqual({ kind: 'conflicting-declaration', predecessor: 'v1' });
  });
});

describe('intend-genesis', () => {
  it('intended: the first attempt is named', async () => {
    await declare();
    expect(await intendGenesis(journal.db, attempt())).toEqual({ kind: 'intended' });
    expect(await countOf(journal, 'jrn_genesis_intent')).toBe(1);
  });

  it('already-intended: the same attempt again resumes', async () => {
    await declare();
    const ours = attempt();
    await intendGenesis(journal.db, ours);
    expect(await intendGenesis(journal.db, ours)).toEqual({ kind: 'already-intended' });
  });

  it('predecessor-undeclared: nobody has said what was here before', async () => {
    expect(await intendGenesis(journal.db, attempt())).toEqual({ kind: 'predecessor-undeclared' });
    expect(await countOf(journal, 'jrn_genesis_intent')).toBe(0);
  });

  it('predecessor-declared: then only the cutover begins to serve', async () => {
    await declare('v1');
    expect(await intendGenesis(journal.db, attempt())).toEqual({ kind: 'predecessor-declared', predecessor: 'v1' });
    expect(await countOf(journal, 'jrn_genesis_intent')).toBe(0);
  });

  it('other-attempt: only the attempt that is written resumes, with its own epoch', async () => {
    await declare();
    const first = attempt();
    await intendGenesis(journal.db, first);
    expect(await intendGenesis(journal.db, attempt())).toEqual({ kind: 'other-attempt', attemptId: first.attemptId });
    expect(await intendGenesis(journal.db, { ...first, epochId: EpochId.mint() })).toMatchObject({ kind: 'other-attempt' });
    expect(await intendGenesis(journal.db, { ...first, epochDigest: Digest.sha256(Buffer.from('x')) })).toMatchObject({
      kind: 'other-attempt',
    });
  });

  it('other-attempt: of concurrent attempts one is written', async () => {
    await declare();
    const kinds = (await Promise.all([1, 2, 3].map(() => intendGenesis(journal.db, attempt())))).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['intended', 'other-attempt', 'other-attempt']);
  });

  it('already-committed: the attempt that committed is told that it is done', async () => {
    await declare();
    const ours = attempt();
    await intendGenesis(journal.db, ours);
    await commitGenesis(journal.db, ours);
    expect(await intendGenesis(journal.db, ours)).toEqual({ kind: 'already-committed' });
  });

  it('epoch-was-active: after a commit no other attempt begins', async () => {
    await declare();
    const ours = attempt();
    await intendGenesis(journal.db, ours);
    await commitGenesis(journal.db, ours);
    expect(await intendGenesis(journal.db, attempt())).toEqual({ kind: 'epoch-was-active', attemptId: ours.attemptId });
  });
});

describe('commit-genesis', () => {
  it('committed: the attempt that is named', async () => {
    await declare();
    const ours = attempt();
    await intendGenesis(journal.db, ours);
    expect(await commitGenesis(journal.db, ours)).toEqual({ kind: 'committed' });
  });

  it('already-committed: the same attempt again changes nothing', async () => {
    await declare();
    const ours = attempt();
    await intendGenesis(journal.db, ours);
    await commitGenesis(journal.db, ours);
    expect(await commitGenesis(journal.db, ours)).toEqual({ kind: 'already-committed' });
    expect(await countOf(journal, 'jrn_genesis_commit')).toBe(1);
  });

  it('not-intended: no attempt was named', async () => {
    expect(await commitGenesis(journal.db, attempt())).toEqual({ kind: 'not-intended' });
  });

  it('other-attempt: another attempt is named', async () => {
    await declare();
    const first = attempt();
    await intendGenesis(journal.db, first);
    expect(await commitGenesis(journal.db, attempt())).toEqual({ kind: 'other-attempt', attemptId: first.attemptId });
    expect(await countOf(journal, 'jrn_genesis_commit')).toBe(0);
  });
});
