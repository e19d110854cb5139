import type { AccountName, GateFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { CertificateId, CredentialGenerationId, OperationId } from '@connector/kernel/ids';
import { activateGenesis } from '@connector/connector/transitions/serving/activate-genesis.tx';
import { concludeHalt } from '@connector/connector/transitions/serving/conclude-halt.tx';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { openCredentialGate } from '@connector/connector/transitions/serving/open-credential-gate.tx';
import { prepareEpoch } from '@connector/connector/transitions/serving/prepare-epoch.tx';
import { rejectVerified } from '@connector/connector/transitions/serving/reject-verified.tx';
import { resumeGate } from '@connector/connector/transitions/serving/resume-gate.tx';
import { takeHolderFence } from '@connector/connector/transitions/serving/take-holder-fence.tx';
import { verifyEpoch } from '@connector/connector/transitions/serving/verify-epoch.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import type { ServedAccount } from '@connector/testing/fixtures/account';
import { heldFor } from '@connector/testing/fixtures/barriers';
import { preparedEpoch, VECTOR_ACCOUNTS, VECTOR_EPOCH, VECTOR_GENERATIONS, verifiedEpoch } from '@connector/testing/fixtures/serving';
import { vectorEpoch } from '@connector/testing/vectors/serving-epoch';
import { move, watchOf, type Group, type Site } from './group';
import { admit, halt } from './groups-inbound';
import type { Watch } from './rows';

const BEGINNING: Watch = { accounts: VECTOR_ACCOUNTS, credentials: VECTOR_GENERATIONS, epochs: [VECTOR_EPOCH] };

function genesis(epochDigest: Digest): Part {
  const accounts = VECTOR_ACCOUNTS;
  const configuration = { digest: vectorEpoch().configuration.generationDigest, accounts };
  const ids = { operationId: OperationId.mint(), certificateId: CertificateId.mint(), epochId: VECTOR_EPOCH, epochDigest };
  const barriers = heldFor(vectorEpoch());
  const asked = { requestedBy: 'test', reason: 'explored', capacity: 'unqualified' as const, barriers };
  return { name: 'genesis', open: (db) => activateGenesis(db, { ...ids, accounts, configuration, ...asked }) };
}

/** Another run takes the owners' barriers into its hand. */
function takesOver(): Part {
  const operationId = OperationId.mint();
  return { name: 'take holder fence', open: (db) => takeHolderFence(db, operationId) };
}

/** Whoever admits to the account as genesis will leave it. */
async function future(site: Site, epochDigest: Digest): Promise<ServedAccount> {
  const [account] = VECTOR_ACCOUNTS as [AccountName];
  await site.schema.sql('INSERT INTO con_channel_key_gate (account, channel, fence) VALUES (?, ?, 1)', [Buffer.from(account), 'hook']);
  return { account, accountPrefix: Buffer.from([1, 2, 3, 4]), fence: 1n as GateFence, epochId: VECTOR_EPOCH, epochDigest };
}

function verify(epochDigest: Digest, verdict: Parameters<typeof verifyEpoch>[1]['verdict']): Part {
  const input = {
    operationId: OperationId.mint(),
    epochId: VECTOR_EPOCH,
    epochDigest,
    verdict,
    evidence: Buffer.from('{}'),
    requestedBy: 'test',
  };
  return { name: 'verify', open: (db) => verifyEpoch(db, input) };
}

export const SERVING: readonly Group[] = [
  {
    name: 'halt | halt',
    meets: 'con_serving_gate',
    arrange: async (site) => {
      const served = await site.served();
      return { parts: [halt(served), halt(served)], watch: watchOf(served) };
    },
  },
  {
    name: 'resume | resume',
    meets: 'con_service',
    arrange: async (site) => {
      const served = await site.served();
      await haltGate(site.schema.db, move(served));
      await concludeHalt(site.schema.db, move(served, 1n));
      const resume = (): Part => {
        const asked = move(served, 2n);
        return { name: 'resume', open: (db) => resumeGate(db, asked) };
      };
      return { parts: [resume(), resume()], watch: watchOf(served) };
    },
  },
  {
    name: 'open credential gate | open credential gate',
    meets: 'con_credential_gate',
    arrange: async () => {
      const generation = CredentialGenerationId.mint();
      const open = (): Part => ({ name: 'open credential gate', open: (db) => openCredentialGate(db, generation) });
      return { parts: [open(), open()], watch: { accounts: ['nobody/here' as AccountName], credentials: [generation] } };
    },
  },
  {
    name: 'prepare | prepare',
    meets: 'con_epoch',
    once: true,
    arrange: async (site) => {
      for (const id of VECTOR_GENERATIONS) await openCredentialGate(site.schema.db, id);
      const candidate = { digestProfile: 'nexuscrm.connector-digest-profile.v2', parts: vectorEpoch() } as const;
      const prepare = (): Part => ({ name: 'prepare', open: (db) => prepareEpoch(db, candidate) });
      return { parts: [prepare(), prepare()], watch: BEGINNING };
    },
  },
  {
    name: 'verify | verify',
    meets: 'con_epoch',
    once: true,
    arrange: async (site) => {
      const digest = await preparedEpoch(site.schema);
      return { parts: [verify(digest, { kind: 'verified' }), verify(digest, { kind: 'verified' })], watch: BEGINNING };
    },
  },
  {
    name: 'genesis | genesis',
    meets: 'con_service',
    once: true,
    arrange: async (site) => {
      const digest = await verifiedEpoch(site.schema);
      return { parts: [genesis(digest), genesis(digest)], watch: BEGINNING };
    },
  },
  {
    name: 'take holder fence | take holder fence',
    meets: 'con_service',
    once: true,
    arrange: () => Promise.resolve({ parts: [takesOver(), takesOver()], watch: BEGINNING }),
  },
  {
    name: 'genesis | take holder fence',
    meets: 'con_service',
    once: true,
    arrange: async (site) => ({ parts: [genesis(await verifiedEpoch(site.schema)), takesOver()], watch: BEGINNING }),
  },
  {
    name: 'genesis | reject',
    meets: 'con_epoch',
    once: true,
    arrange: async (site) => {
      const epochDigest = await verifiedEpoch(site.schema);
      const input = { operationId: OperationId.mint(), epochId: VECTOR_EPOCH, epochDigest, reason: 'drifted', requestedBy: 'test' };
      const reject: Part = { name: 'reject', open: (db) => rejectVerified(db, input) };
      return { parts: [genesis(epochDigest), reject], watch: BEGINNING };
    },
  },
  {
    name: 'genesis | admit',
    meets: 'con_serving_gate',
    once: true,
    arrange: async (site) => {
      const epochDigest = await verifiedEpoch(site.schema);
      const served = await future(site, epochDigest);
      return { parts: [genesis(epochDigest), admit(served, 'msg', 'one')], watch: BEGINNING };
    },
  },
];
