import {
  CommandId,
  CredentialGenerationId,
  EffectId,
  ExecutionId,
  GenerationId,
  LaneId,
  OperationId,
  OutboundCommandId,
  PermitId,
  ReceiptId,
  SendToken,
} from '@connector/kernel/ids';
import { childrenOf } from '@connector/connector/model/inbound/children';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { claimLanes } from '@connector/connector/transitions/execution/claim-lanes.tx';
import { disposeGaps } from '@connector/connector/transitions/execution/dispose-gaps.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { materializeReceipt } from '@connector/connector/transitions/inbound/materialize-receipts.tx';
import { abandonPermits } from '@connector/connector/transitions/outbound/abandon-permits.tx';
import { createEffectsOfFeed } from '@connector/connector/transitions/outbound/create-effects.tx';
import { finalizeEffects } from '@connector/connector/transitions/outbound/finalize-effects.tx';
import { grant } from '@connector/connector/transitions/outbound/grant.tx';
import { registerHolder } from '@connector/connector/transitions/outbound/register-holder.tx';
import { settlePermits } from '@connector/connector/transitions/outbound/settle-permits.tx';
import { startSending } from '@connector/connector/transitions/outbound/start-sending.tx';
import { concludeHalt } from '@connector/connector/transitions/serving/conclude-halt.tx';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { reenableCredential } from '@connector/connector/transitions/serving/reenable-credential.tx';
import { resumeGate } from '@connector/connector/transitions/serving/resume-gate.tx';
import { revokeCredential } from '@connector/connector/transitions/serving/revoke-credential.tx';
import { SERVICE_KEY } from '@connector/connector/model/serving/work';
import type { Db } from '@connector/platform/db/db';
import { commitApplication } from '@connector/runtime/transitions/commit-application.tx';
import type { TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { acceptedCommand, commitOf, outboundOf } from '@connector/testing/fixtures/application';
import { decided } from '@connector/testing/fixtures/credential';
import { delivery, item, ROUTE } from '@connector/testing/fixtures/delivery';
import { readyExecutions, receiptFor } from '@connector/testing/fixtures/execution';
import { arrive, claimLane, laneOf, orderedItem, passDeadlines, resultFor, strictRoute } from '@connector/testing/fixtures/ordered';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  isolated,
  registered,
  sending,
  settlement,
  terminated,
  type HeldPermit,
} from '@connector/testing/fixtures/outbound';
import { serviceRow } from '@connector/testing/fixtures/serving';

/** A row that a door locks or makes, by its key. */
export interface Place {
  readonly table: string;
  readonly key: Readonly<Record<string, unknown>>;
}

/** A door with an input that lets it take every lock that it has; `places` in the order in which the spec wants them held. */
export interface ReadyDoor {
  readonly name: string;
  readonly places: readonly Place[];
  open(db: Db): Promise<unknown>;
}

const place = (table: string, key: Place['key']): Place => ({ table, key });

/** Everything that a door may want, of one account, so that any two of them meet on its rows. */
export async function readyDoors(schema: TestSchema): Promise<readonly ReadyDoor[]> {
  await serviceRow(schema);
  const [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  const credential = await enabledCredential(schema);
  return [
    ...(await inbound(schema, served)),
    ...(await outbound(schema, served, credential)),
    ...serving(served),
    ...(await credentials(schema, served, credential)),
  ];
}

const cgateOf = (credential: CredentialGenerationId): Place =>
  place('con_credential_gate', { generation_id: CredentialGenerationId.bytes(credential) });
const gateOf = ({ account }: ServedAccount): Place => place('con_serving_gate', { account: Buffer.from(account) });

async function inbound(schema: TestSchema, served: ServedAccount): Promise<readonly ReadyDoor[]> {
  const [claimed, ready] = (await readyExecutions(schema, served, ['claimed', 'ready'])) as [ExecutionId, ExecutionId];
  await claimExecutions(schema.db, served, { claimant: 'c-1', leaseMs: 60_000, executions: [claimed] });
  const receipt = await receiptFor(schema, claimed);
  const many = prepareDelivery(served, ROUTE, delivery(served, 'many', 'many'), { kind: 'deferred' });
  await admitAndMaterialize(schema.db, served, ROUTE, [many]);
  const { receiptId } = many.delivery;
  const items = [item(0, 'later')];
  const one = prepareDelivery(served, ROUTE, delivery(served, 'fresh', 'fresh'), { kind: 'items', items: [item(0, 'fresh')] });
  const execution = (id: ExecutionId): Place['key'] => ({ execution_id: ExecutionId.bytes(id) });
  const { account } = served;
  return [
    {
      name: 'admit-and-materialize',
      places: [
        gateOf(served),
        place('con_channel_key_gate', { account: Buffer.from(account), channel: Buffer.from('hook') }),
        place('con_admission_key', { account: Buffer.from(account), channel: Buffer.from('hook'), transport_key: Buffer.from('fresh') }),
        place('con_receipt', { receipt_id: ReceiptId.bytes(one.delivery.receiptId) }),
      ],
      open: (db) => admitAndMaterialize(db, served, ROUTE, [one]),
    },
    {
      name: 'materialize-receipts',
      places: [gateOf(served), ...chunkPlaces(served, receiptId, items)],
      open: (db) => materializeReceipt(db, served, { receiptId, route: ROUTE, from: 0, next: 1, last: true, items }),
    },
    {
      name: 'claim-executions',
      places: [
        gateOf(served),
        place('con_execution', execution(ready)),
        place('con_execution_attempt', { ...execution(ready), ordinal: 1 }),
      ],
      open: (db) => claimExecutions(db, served, { claimant: 'c-2', leaseMs: 60_000, executions: [ready] }),
    },
    {
      name: 'record-results',
      places: [gateOf(served), place('con_execution', execution(claimed)), place('con_result_correlation', execution(claimed))],
      open: (db) => recordResults(db, account, [receipt]),
    },
    ...(await inLanes(schema, served)),
    await application(schema, served),
  ];
}

/** The same doors where order matters: a lane at work, one that is due, one with a gap, and one that a sweep finds. */
async function inLanes(schema: TestSchema, served: ServedAccount): Promise<readonly ReadyDoor[]> {
  const route = strictRoute();
  const lane = (record: string): Place => place('con_ordering_lane', { lane_id: LaneId.bytes(laneOf(served, record)) });
  const execution = (id: ExecutionId | undefined): Place['key'] => ({ execution_id: ExecutionId.bytes(id as ExecutionId) });
  const [working] = await arrive(schema.db, served, route, [{ record: 'working', at: 1 }]);
  const [due] = await arrive(schema.db, served, route, [{ record: 'due', at: 1 }]);
  const [behind] = await arrive(schema.db, served, route, [{ record: 'gap', at: 2 }]);
  for (const record of ['working', 'gap']) await claimLane(schema.db, served, laneOf(served, record));
  await passDeadlines(schema);
  const receipt = await resultFor(schema, working as ExecutionId);
  const alone = prepareDelivery(served, route, delivery(served, 'lanes', 'lanes'), { kind: 'deferred' });
  await admitAndMaterialize(schema.db, served, route, [alone]);
  const { receiptId } = alone.delivery;
  const items = [orderedItem(route, 0, { record: 'working', at: 2 })];
  const [, ...children] = chunkPlaces(served, receiptId, items, route);
  const missing = { lane_id: LaneId.bytes(laneOf(served, 'gap')), missing_position: Buffer.from('0000000000000001', 'hex') };
  return [
    {
      name: 'materialize-receipts in lanes',
      places: [gateOf(served), lane('working'), place('con_materialization', { receipt_id: ReceiptId.bytes(receiptId) }), ...children],
      open: (db) => materializeReceipt(db, served, { receiptId, route, from: 0, next: 1, last: true, items }),
    },
    {
      name: 'claim-lanes',
      places: [
        gateOf(served),
        lane('due'),
        place('con_execution', execution(due)),
        place('con_execution_attempt', { ...execution(due), ordinal: 1 }),
      ],
      open: (db) => claimLanes(db, served, { claimant: 'c-2', leaseMs: 60_000, lanes: [laneOf(served, 'due')] }),
    },
    {
      name: 'dispose-gaps',
      places: [gateOf(served), lane('gap'), place('con_execution', execution(behind)), place('con_execution_dependency', missing)],
      open: (db) => disposeGaps(db, served, [laneOf(served, 'gap')]),
    },
    {
      name: 'record-results in lanes',
      places: [
        gateOf(served),
        lane('working'),
        place('con_execution', execution(working)),
        place('con_result_correlation', execution(working)),
      ],
      open: (db) => recordResults(db, served.account, [receipt]),
    },
  ];
}

function chunkPlaces(
  served: ServedAccount,
  receiptId: ReceiptId,
  items: readonly ReturnType<typeof item>[],
  route = ROUTE,
): readonly Place[] {
  const [child] = childrenOf({ ...served, route }, receiptId, items).items;
  const receipt = { receipt_id: ReceiptId.bytes(receiptId) };
  return [
    place('con_materialization', receipt),
    place('con_component', { ...receipt, ordinal: 0 }),
    place('con_execution', { execution_id: ExecutionId.bytes(child?.executionId as ExecutionId) }),
  ];
}

async function application(schema: TestSchema, served: ServedAccount): Promise<ReadyDoor> {
  const command = await acceptedCommand(schema, served);
  const out = outboundOf(command, served);
  const commit = commitOf(served, command, { commands: [out] });
  await schema.sql('INSERT INTO run_feed_head (account, next_seq) VALUES (?, 100)', [Buffer.from(served.account)]);
  return {
    name: 'commit-application',
    places: [
      gateOf(served),
      place('run_command', { command_id: CommandId.bytes(command.commandId) }),
      place('run_outbound_command', { outbound_command_id: OutboundCommandId.bytes(out.outboundCommandId) }),
      place('run_application_result', { command_id: CommandId.bytes(command.commandId) }),
    ],
    open: (db) => commitApplication(db, commit),
  };
}

async function outbound(schema: TestSchema, served: ServedAccount, credential: CredentialGenerationId): Promise<readonly ReadyDoor[]> {
  const { db } = schema;
  const { account } = served;
  const holder = await registered(schema);
  for (const sequence of [1, 2, 3]) await authored(schema, served, sequence, credential);
  const [waits, flies, lands] = (await granted(db, served, holder)) as readonly [HeldPermit, HeldPermit, HeldPermit];
  const token = await sending(db, holder, credential, [flies, lands]);
  await settlePermits(db, settlement(served, holder, token, [lands], CONFIRMED));
  const due = await authored(schema, served, 4, credential);
  await createEffectsOfFeed(db, served, 200);
  const fresh = await authored(schema, served, 5, credential);
  await terminated(schema, holder.generationId);
  await isolated(schema, holder.generationId);
  const cgate = cgateOf(credential);
  const effect = (id: EffectId): Place => place('con_remote_effect', { effect_id: EffectId.bytes(id) });
  const permit = (held: HeldPermit): Place => place('con_dispatch_permit', { permit_id: PermitId.bytes(held.permitId) });
  const evidence = (held: HeldPermit): Place => place('con_effect_evidence', { permit_id: PermitId.bytes(held.permitId) });
  const candidates = { effectIds: [due], credentialGenerationIds: [credential] };
  const sendToken = SendToken.mint();
  return [
    {
      name: 'create-effects',
      places: [gateOf(served), place('con_effect_feed', { account: Buffer.from(account) }), effect(fresh)],
      open: (on) => createEffectsOfFeed(on, served, 200),
    },
    {
      name: 'grant',
      places: [gateOf(served), cgate, effect(due), place('con_effect_attempt', { effect_id: EffectId.bytes(due), ordinal: 1 })],
      open: (on) => grant(on, { basis: served, holder, slots: 100, candidates, newCommands: 200 }),
    },
    {
      name: 'start-sending',
      places: [cgate, permit(waits)],
      open: (on) => startSending(on, { ...holder, credentialGenerationId: credential, sendToken, permits: [waits] }),
    },
    {
      name: 'settle-permits',
      places: [gateOf(served), effect(flies.effectId), permit(flies), evidence(flies)],
      open: (on) => settlePermits(on, settlement(served, holder, token, [flies], CONFIRMED)),
    },
    {
      name: 'finalize-effects',
      places: [effect(lands.effectId), place('con_account_work', { stage: Buffer.from('finalize'), account: Buffer.from(account) })],
      open: (on) => finalizeEffects(on, { operationId: OperationId.mint(), account, effectIds: [lands.effectId] }),
    },
    {
      name: 'abandon-permits',
      places: [gateOf(served), cgate, effect(waits.effectId), permit(waits), evidence(waits)],
      open: (on) => abandonPermits(on, { operationId: OperationId.mint(), account, requestedBy: 'test', permits: [waits, flies] }),
    },
    {
      name: 'register-holder',
      places: [place('con_egress_holder', { holder_id: Buffer.from(holder.holderId) })],
      open: (on) => registerHolder(on, { holderId: holder.holderId, generationId: GenerationId.mint() }),
    },
  ];
}

function serving(served: ServedAccount): readonly ReadyDoor[] {
  const { account, fence } = served;
  const move = () => ({ operationId: OperationId.mint(), account, expectedFence: fence, by: 'test', reason: 'test' });
  return [
    { name: 'halt-gate', places: [gateOf(served)], open: (db) => haltGate(db, move()) },
    { name: 'conclude-halt', places: [gateOf(served)], open: (db) => concludeHalt(db, move()) },
    {
      name: 'resume-gate',
      places: [place('con_service', { service_key: Buffer.from(SERVICE_KEY) }), gateOf(served)],
      open: (db) => resumeGate(db, move()),
    },
  ];
}

/** The one that every other door meets is enabled; to be reenabled there is one of its own. */
async function credentials(schema: TestSchema, served: ServedAccount, enabled: CredentialGenerationId): Promise<readonly ReadyDoor[]> {
  const revoke = await decided(schema, served.account, enabled, 'revoke');
  const revoked = await enabledCredential(schema);
  await schema.sql("UPDATE con_credential_gate SET mode = 'revoked' WHERE generation_id = ?", [CredentialGenerationId.bytes(revoked)]);
  const reenable = await decided(schema, served.account, revoked, 'reenable');
  const work = place('con_account_work', { stage: Buffer.from('effect'), account: Buffer.from(served.account) });
  return [
    { name: 'revoke-credential', places: [cgateOf(enabled)], open: (db) => revokeCredential(db, revoke) },
    { name: 'reenable-credential', places: [cgateOf(revoked), work], open: (db) => reenableCredential(db, reenable) },
  ];
}
