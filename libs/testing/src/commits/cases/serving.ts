import type { AccountName } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { DIGEST_PROFILE } from '@connector/kernel/digest-profile';
import { AttemptId, CertificateId, CredentialGenerationId, EpochId, OperationId } from '@connector/kernel/ids';
import { activateGenesis } from '@connector/connector/transitions/serving/activate-genesis.tx';
import { commitGenesis } from '@connector/connector/transitions/serving/commit-genesis.tx';
import { concludeHalt } from '@connector/connector/transitions/serving/conclude-halt.tx';
import { declarePredecessor } from '@connector/connector/transitions/serving/declare-predecessor.tx';
import type { GateMove } from '@connector/connector/transitions/serving/gate-move';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { intendGenesis } from '@connector/connector/transitions/serving/intend-genesis.tx';
import { moveChannelKeyGate } from '@connector/connector/transitions/serving/move-channel-key-gate.tx';
import { openCredentialGate } from '@connector/connector/transitions/serving/open-credential-gate.tx';
import { prepareEpoch } from '@connector/connector/transitions/serving/prepare-epoch.tx';
import { rejectVerified } from '@connector/connector/transitions/serving/reject-verified.tx';
import { resumeGate } from '@connector/connector/transitions/serving/resume-gate.tx';
import { takeHolderFence } from '@connector/connector/transitions/serving/take-holder-fence.tx';
import { verifyEpoch } from '@connector/connector/transitions/serving/verify-epoch.tx';
import { restWork } from '@connector/connector/transitions/work/rest-work.tx';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import { FIRST_KEYS, type ServedAccount } from '../../fixtures/account';
import { heldFor } from '../../fixtures/barriers';
import { preparedEpoch, serviceRow, VECTOR_EPOCH, VECTOR_GENERATIONS, verifiedEpoch } from '../../fixtures/serving';
import { vectorEpoch } from '../../vectors/serving-epoch';
import { act, oneAccount, type DoorCase } from './door-case';

/** A move of the gate by whoever has seen it after so many earlier moves. */
const move = ({ account, fence }: ServedAccount, moves = 0n): GateMove => ({
  operationId: OperationId.mint(),
  account,
  expectedFence: (fence + moves) as GateMove['expectedFence'],
  by: 'test',
  reason: 'test',
});

const attempt = () => ({ attemptId: AttemptId.mint(), epochId: EpochId.mint(), epochDigest: Digest.sha256(Buffer.from('epoch')) });
const NO_PREDECESSOR = { predecessor: 'no_predecessor', by: 'test' } as const;

const GATE_CASES: readonly DoorCase[] = [
  {
    door: 'halt-gate',
    arrange: async ({ main }) => {
      const halt = move(await oneAccount(main));
      return act(ANSWER_SOON, (db) => haltGate(db, halt));
    },
  },
  {
    door: 'conclude-halt',
    arrange: async ({ main }) => {
      const served = await oneAccount(main);
      await haltGate(main.db, move(served));
      const conclude = move(served, 1n);
      return act(ANSWER_SOON, (db) => concludeHalt(db, conclude));
    },
  },
  {
    door: 'resume-gate',
    arrange: async ({ main }) => {
      const served = await oneAccount(main);
      await haltGate(main.db, move(served));
      await concludeHalt(main.db, move(served, 1n));
      const resume = move(served, 2n);
      return act(ANSWER_SOON, (db) => resumeGate(db, resume));
    },
  },
  {
    door: 'open-credential-gate',
    arrange: () => {
      const generation = CredentialGenerationId.mint();
      return Promise.resolve(act(ANSWER_SOON, (db) => openCredentialGate(db, generation)));
    },
  },
  ...['hook', 'new'].map(
    (channel) =>
      ({
        door: 'move-channel-key-gate',
        way: channel === 'hook' ? 'a gate that is there' : 'the first key of a channel',
        arrange: async ({ main }) => {
          const { account } = await oneAccount(main);
          const to = { account, channel, revision: (FIRST_KEYS + 1n) as typeof FIRST_KEYS };
          return act(ANSWER_SOON, (db) => moveChannelKeyGate(db, to));
        },
      }) satisfies DoorCase,
  ),
  {
    door: 'rest-work',
    arrange: async ({ main }) => {
      const { account } = await oneAccount(main);
      await main.sql("UPDATE con_account_work SET produced = 4, due_at = NOW(6) WHERE stage = 'effect'");
      // Its callers look again instead, which comes to the same: what they saw produced decides.
      return act(ANSWER_SOON, (db) => restWork(db, { stage: 'effect', account, producedSeen: 4n, dueAt: null }));
    },
  },
];

const EPOCH_CASES: readonly DoorCase[] = [
  {
    door: 'prepare-epoch',
    arrange: async ({ main }) => {
      for (const generation of VECTOR_GENERATIONS) await openCredentialGate(main.db, generation);
      const parts = vectorEpoch();
      return act(
        ANSWER_SOON,
        (db) => prepareEpoch(db, { digestProfile: DIGEST_PROFILE, parts }),
        (answer) => (answer.kind === 'already-prepared' ? { kind: 'prepared', epochDigest: answer.epochDigest } : answer),
      );
    },
  },
  ...(['verified', 'rejected'] as const).map(
    (kind) =>
      ({
        door: 'verify-epoch',
        way: kind,
        arrange: async ({ main }) => {
          const epochDigest = await preparedEpoch(main);
          const verdict = kind === 'verified' ? { kind } : { kind, reason: 'another digest' };
          const input = { operationId: OperationId.mint(), epochId: VECTOR_EPOCH, epochDigest, verdict };
          return act(ANSWER_SOON, (db) => verifyEpoch(db, { ...input, evidence: Buffer.from('{}'), requestedBy: 'test' }));
        },
      }) satisfies DoorCase,
  ),
  {
    door: 'reject-verified',
    arrange: async ({ main }) => {
      const epochDigest = await verifiedEpoch(main);
      const input = { operationId: OperationId.mint(), epochId: VECTOR_EPOCH, epochDigest, reason: 'moved', requestedBy: 'test' };
      return act(ANSWER_SOON, (db) => rejectVerified(db, input));
    },
  },
  {
    door: 'take-holder-fence',
    arrange: async ({ main }) => {
      await serviceRow(main);
      const operationId = OperationId.mint();
      return act(ANSWER_SOON, (db) => takeHolderFence(db, operationId));
    },
  },
  {
    door: 'activate-genesis',
    arrange: async ({ main }) => {
      await serviceRow(main);
      const epochDigest = await verifiedEpoch(main);
      const accounts = ['north/acme', 'south/acme'] as AccountName[];
      const asked = { requestedBy: 'test', reason: 'first start', capacity: 'unqualified' } as const;
      const ids = { operationId: OperationId.mint(), certificateId: CertificateId.mint(), epochId: VECTOR_EPOCH };
      const barriers = heldFor(vectorEpoch());
      const configuration = { digest: vectorEpoch().configuration.generationDigest, accounts };
      return act(ANSWER_SOON, (db) => activateGenesis(db, { ...asked, ...ids, epochDigest, accounts, configuration, barriers }));
    },
  },
];

const JOURNAL_CASES: readonly DoorCase[] = [
  {
    door: 'declare-predecessor',
    database: 'journal',
    arrange: () => Promise.resolve(act(ANSWER_SOON, (db) => declarePredecessor(db, NO_PREDECESSOR))),
  },
  {
    door: 'intend-genesis',
    database: 'journal',
    arrange: async ({ journal }) => {
      await declarePredecessor(journal.db, NO_PREDECESSOR);
      const one = attempt();
      return act(ANSWER_SOON, (db) => intendGenesis(db, one));
    },
  },
  {
    door: 'commit-genesis',
    database: 'journal',
    arrange: async ({ journal }) => {
      await declarePredecessor(journal.db, NO_PREDECESSOR);
      const one = attempt();
      await intendGenesis(journal.db, one);
      return act(ANSWER_SOON, (db) => commitGenesis(db, one));
    },
  },
];

/** Gates, epochs and the beginning of a service. */
export const SERVING_CASES: readonly DoorCase[] = [...GATE_CASES, ...EPOCH_CASES, ...JOURNAL_CASES];
