/**
 * ACT0 activate-genesis: begin a service that has no predecessor
 *
 * why     A creation rule, not a transition (decisions 10): every gate is born in v2_serving at its first fence, the epoch becomes active,
 *         one certificate says so. The journal names the one attempt that may come here (begin-service.ts).
 * paths   activate-genesis
 * fence   service row, since no lock holds an absent gate; no gate, no epoch that ever was active; epoch by (epoch_id, state, epoch_digest);
 *         the holder fence not taken by another run since, and receipts of both owners' barriers, of this attempt and of what the epoch froze
 *         (cat:INT-19); the frozen configuration's digest and accounts; every credential gate of the epoch there and enabled (con:OPEN-30, con:OPEN-47).
 * again   The operation id.
 */
import type { AccountName, BarrierHolderFence, GateFence } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { compareUtf8 } from '@connector/kernel/document-order';
import { invariant } from '@connector/kernel/faults';
import { AuditId, type CertificateId, type CredentialGenerationId, type EpochId, type OperationId } from '@connector/kernel/ids';
import { jcs } from '@connector/kernel/jcs';
import { lockRows, readQuery, readRows, updateRows } from '@connector/kernel/statement';
import { nullable } from '@connector/kernel/column';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { conEffectFeed } from '@connector/schema/connector/outbound';
import {
  conAccountWork,
  conCredentialGate,
  conEpoch,
  conEpochBinding,
  conEpochContent,
  conEpochCredential,
  conGenesisCertificate,
  conService,
  conServingGate,
} from '@connector/schema/connector/serving';
import { audit } from '../../fences/audit';
import { claimOperation, recallOperation } from '../../fences/operation';
import { accountSetDigest } from '../../model/digests/scope';
import { connectorDoors } from '../../model/paths';
import { barrierFault, type FrozenScope, type HeldBarriers } from '../../model/serving/barriers';
import { credentialGateMachine } from '../../model/serving/credential-gate';
import { epochMachine, type EpochState } from '../../model/serving/epoch';
import { SERVICE_KEY, WORK_STAGES } from '../../model/serving/work';

export interface ActivateGenesis {
  readonly operationId: OperationId;
  readonly certificateId: CertificateId;
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
  /** What whoever asked confirmed; each gets a gate. */
  readonly accounts: readonly AccountName[];
  /** What its owner answered right before this call. */
  readonly configuration: { readonly digest: Digest; readonly accounts: readonly AccountName[] };
  readonly requestedBy: string;
  readonly reason: string;
  /** What the owners answered before everything was reread; the certificate keeps both receipts. */
  readonly barriers: HeldBarriers;
  /** The certificate claims no capacity unless a proof for this engine is named. */
  readonly capacity: 'unqualified';
}

export interface GenesisActivated {
  readonly kind: 'activated';
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
  readonly certificateId: CertificateId;
}
export type ActivatedGenesis =
  | GenesisActivated
  | { readonly kind: 'account-count'; readonly accounts: number; readonly accountsMax: number }
  | { readonly kind: 'account-set-mismatch' | 'gates-exist' | 'epoch-was-active' | 'epoch-digest-differs' | 'configuration-differs' }
  /** Another run took the barriers into its hand; what they say to this one is worth nothing any more. */
  | { readonly kind: 'holder-fenced-off'; readonly holderFence: BarrierHolderFence | null }
  /** The receipt of this owner is of another attempt, or of something else than the epoch froze. */
  | { readonly kind: 'barrier-differs'; readonly owner: 'catalog' | 'packs' }
  | { readonly kind: 'epoch-not-verified'; readonly state: EpochState | 'absent' }
  | { readonly kind: 'credential-gate-missing' | 'credential-revoked'; readonly generationId: CredentialGenerationId }
  | { readonly kind: 'operation-reused' };

/** Names of 127 bytes still fit in the certificate, and gates, feeds and work rows in one door. */
const ACCOUNTS_MAX = 250;
const FIRST_FENCE = 1n as GateFence;

const SERVICE = lockRows(conService, ['revision', 'holder_fence'], 'WHERE service_key = :service_key');
const ANY_GATE = readRows(conServingGate, ['account'], 'LIMIT 1', 'any');
const WAS_ACTIVE = readRows(conEpoch, ['epoch_id'], 'WHERE state IN (:state) LIMIT 1', 'was-active');
const EPOCH = lockRows(conEpoch, ['epoch_digest', 'state'], 'WHERE epoch_id = :epoch_id');
const {
  configuration_digest,
  organization_id,
  app_installation_id,
  authorized_workload_id,
  lineage_id,
  catalog_revision,
  activation_epoch,
  view_digest,
} = conEpochContent.columns;
const FROZEN = readQuery(
  conEpochContent,
  {
    ...{ configuration_digest, organization_id, app_installation_id, authorized_workload_id },
    ...{ lineage_id, catalog_revision, activation_epoch, view_digest },
    generation_id: nullable(conEpochCredential.columns.generation_id),
  },
  `SELECT c.configuration_digest, c.organization_id, c.app_installation_id, c.authorized_workload_id, c.lineage_id, c.catalog_revision,
          c.activation_epoch, c.view_digest, g.generation_id
     FROM con_epoch_content c LEFT JOIN con_epoch_credential g ON g.epoch_id = c.epoch_id WHERE c.epoch_id = :epoch_id LIMIT 2000`,
);
const NAMED = readRows(conEpochBinding, ['pack_generation_storage_id', 'pack_payload_digest'], 'WHERE epoch_id = :epoch_id LIMIT 10000');
const CREDENTIAL_GATES = lockRows(conCredentialGate, ['generation_id', 'mode'], 'WHERE generation_id IN (:generation_id)');
const ACTIVATE = updateRows(
  conEpoch,
  `SET state = 'active', changed_at = NOW(6) WHERE epoch_id = :epoch_id AND state = 'verified' AND epoch_digest = :epoch_digest`,
  'activate',
);
const NEXT_REVISION = updateRows(conService, 'SET revision = :revision + 1 WHERE service_key = :service_key AND revision = :revision');

type Content = ReturnType<typeof FROZEN.decode>;
type Named = ReturnType<typeof NAMED.decode>;

export async function activateGenesis(db: Db, input: ActivateGenesis): Promise<ActivatedGenesis> {
  const accounts = [...input.accounts].sort(compareUtf8);
  if (accounts.length === 0 || accounts.length > ACCOUNTS_MAX) {
    return { kind: 'account-count', accounts: accounts.length, accountsMax: ACCOUNTS_MAX };
  }
  if (!sameSet(accounts, input.configuration.accounts)) return { kind: 'account-set-mismatch' };
  return db.fenced(connectorDoors['activate-genesis'], async (tx) => {
    const service = await tx.lock(SERVICE, { service_key: SERVICE_KEY });
    invariant(service !== undefined, 'HOUSE:connector:ServiceRowMissing', 'migrate creates the service row');
    const before = await recallOperation<GenesisActivated>(tx, input.operationId);
    if (before !== undefined) return sameGenesis(before, input);
    if (service.holder_fence !== input.barriers.holderFence) return { kind: 'holder-fenced-off', holderFence: service.holder_fence };
    const refused = (await begun(tx)) ?? (await epochRefused(tx, input));
    return refused ?? land(tx, input, accounts, service.revision);
  });
}

/** Exactly the configuration's accounts, each once (con:GATE-K). */
function sameSet(sorted: readonly AccountName[], others: readonly AccountName[]): boolean {
  const other = [...others].sort(compareUtf8);
  const once = sorted.every((account, at) => at === 0 || sorted[at - 1] !== account);
  return once && other.length === sorted.length && other.every((account, at) => account === sorted[at]);
}

function sameGenesis(before: GenesisActivated, input: ActivateGenesis): ActivatedGenesis {
  const same = before.certificateId === input.certificateId && before.epochId === input.epochId && before.epochDigest === input.epochDigest;
  return same ? before : { kind: 'operation-reused' };
}

/** Everybody who makes a gate or moves an epoch holds the service row, so these plain looks cannot be overtaken. */
async function begun(tx: FencedTx): Promise<ActivatedGenesis | undefined> {
  const wasActive = await tx.read(WAS_ACTIVE, { state: ['active', 'draining', 'retired'] });
  if (wasActive.length > 0) return { kind: 'epoch-was-active' };
  return (await tx.read(ANY_GATE, {})).length > 0 ? { kind: 'gates-exist' } : undefined;
}

async function epochRefused(tx: FencedTx, input: ActivateGenesis): Promise<ActivatedGenesis | undefined> {
  const epoch = await tx.lock(EPOCH, { epoch_id: input.epochId });
  if (epoch === undefined) return { kind: 'epoch-not-verified', state: 'absent' };
  const state = epochMachine.parse(epoch.state);
  if (state !== 'verified') return { kind: 'epoch-not-verified', state };
  if (epoch.epoch_digest !== input.epochDigest) return { kind: 'epoch-digest-differs' };
  const frozen = await tx.read(FROZEN, { epoch_id: input.epochId });
  const [content] = frozen;
  if (content?.configuration_digest !== input.configuration.digest) return { kind: 'configuration-differs' };
  const owner = barrierFault(scopeOf(content, await tx.read(NAMED, { epoch_id: input.epochId })), input.barriers);
  if (owner !== undefined) return { kind: 'barrier-differs', owner };
  return credentialRefused(
    tx,
    frozen.flatMap(({ generation_id }) => (generation_id === null ? [] : [generation_id])),
  );
}

function scopeOf(content: Content, named: readonly Named[]): FrozenScope {
  const generations = named.map((one) => [one.pack_generation_storage_id, one.pack_payload_digest] as const);
  return {
    organization: content.organization_id,
    installation: content.app_installation_id,
    workload: content.authorized_workload_id,
    lineage: { lineageId: content.lineage_id, catalogRevision: content.catalog_revision, activationEpoch: content.activation_epoch },
    viewDigest: content.view_digest,
    generations: [...new Map(generations)].map(([storageId, payloadDigest]) => ({ storageId, payloadDigest })),
  };
}

async function credentialRefused(tx: FencedTx, wanted: readonly CredentialGenerationId[]): Promise<ActivatedGenesis | undefined> {
  if (wanted.length === 0) return undefined;
  const gates = new Map((await tx.lockMany(CREDENTIAL_GATES, { generation_id: wanted })).map((row) => [row.generation_id, row.mode]));
  const missing = wanted.find((id) => !gates.has(id));
  if (missing !== undefined) return { kind: 'credential-gate-missing', generationId: missing };
  const revoked = wanted.find((id) => credentialGateMachine.parse(gates.get(id) ?? '') !== 'enabled');
  return revoked && { kind: 'credential-revoked', generationId: revoked };
}

async function land(tx: FencedTx, input: ActivateGenesis, accounts: readonly AccountName[], revision: bigint): Promise<ActivatedGenesis> {
  const { operationId, certificateId, epochId, epochDigest, requestedBy, reason, capacity } = input;
  const answer: GenesisActivated = { kind: 'activated', epochId, epochDigest, certificateId };
  const before = await claimOperation(tx, operationId, answer);
  if (before !== undefined) return sameGenesis(before, input);
  await tx.insert(conServingGate, gateRows(input, accounts));
  await tx.insert(
    conEffectFeed,
    accounts.map((account) => ({ account, next_seq: 1n })),
  );
  const set = { account_set_digest: accountSetDigest(accounts).digest, accounts: jcs(accounts) };
  const epoch = { epoch_id: epochId, epoch_digest: epochDigest };
  const asked = { requested_by: requestedBy, reason, capacity };
  const barriers = { catalog_barrier: input.barriers.catalog, packs_barrier: input.barriers.packs };
  await tx.insert(conGenesisCertificate, [
    { service_key: SERVICE_KEY, certificate_id: certificateId, operation_id: operationId, ...epoch, ...set, ...asked, ...barriers },
  ]);
  const landed = (await tx.cas(ACTIVATE, epoch)) && (await tx.cas(NEXT_REVISION, { service_key: SERVICE_KEY, revision }));
  invariant(landed, 'HOUSE:connector:CasUnexplained', `activate-genesis did not land on ${epochId}`);
  const served = accounts.map((account) => ({ gate: account, to: 'v2_serving' }));
  await audit(tx, '*', [{ epoch: epochId, from: 'verified', to: 'active', by: requestedBy, reason }, ...served]);
  await tx.insert(
    conAccountWork,
    WORK_STAGES.flatMap((stage) => accounts.map((account) => ({ stage, account, produced: 0n, due_at: null }))),
  );
  return answer;
}

function gateRows({ operationId, epochId, epochDigest, requestedBy, reason }: ActivateGenesis, accounts: readonly AccountName[]) {
  const prefixes = distinctPrefixes(accounts.length);
  const epoch = { epoch_id: epochId, epoch_digest: epochDigest };
  const changed = { changed_operation: operationId, changed_by: requestedBy, reason };
  return accounts.flatMap((account, at) =>
    prefixes
      .slice(at, at + 1)
      .map((prefix) => ({ account, account_prefix: prefix, mode: 'v2_serving', fence: FIRST_FENCE, ...epoch, ...changed })),
  );
}

/** The first 4 bytes of an account's ids: random, so that accounts spread over the key space, and its own, so that they never mix. */
function distinctPrefixes(count: number): readonly Buffer[] {
  const found = new Map<string, Buffer>();
  for (let tries = 0; found.size < count; tries += 1) {
    invariant(tries < count + 1000, 'HOUSE:connector:PrefixesExhausted', 'random bytes repeat themselves');
    const prefix = AuditId.bytes(AuditId.mint()).subarray(0, 4);
    found.set(prefix.toString('hex'), prefix);
  }
  return [...found.values()];
}
