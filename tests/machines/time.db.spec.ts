import type { GateFence } from '@connector/kernel/brand';
import { AttemptId, type ExecutionId, OperationId } from '@connector/kernel/ids';
import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import { publish } from '@connector/catalog/transitions/installation/publish.tx';
import { setMembership } from '@connector/catalog/transitions/set-membership.tx';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { disposeGaps } from '@connector/connector/transitions/execution/dispose-gaps.tx';
import { abandonPermits } from '@connector/connector/transitions/outbound/abandon-permits.tx';
import { createEffectsOfFeed } from '@connector/connector/transitions/outbound/create-effects.tx';
import { finalizeEffects } from '@connector/connector/transitions/outbound/finalize-effects.tx';
import { concludeHalt } from '@connector/connector/transitions/serving/conclude-halt.tx';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { openCredentialGate } from '@connector/connector/transitions/serving/open-credential-gate.tx';
import { registerPack } from '@connector/packs/transitions/register-pack.tx';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { BarrierSite, PackBarrierSite } from '@connector/testing/fixtures/barrier-site';
import { readyExecutions } from '@connector/testing/fixtures/execution';
import { arrive, claimLane, laneOf, strictRoute } from '@connector/testing/fixtures/ordered';
import { revoke, UNCERTAIN } from '@connector/testing/fixtures/outbound';
import { askedFor, publicationWorld } from '@connector/testing/fixtures/publication';
import { notedPack } from '@connector/testing/fixtures/registered-pack';
import { serviceRow, verifiedEpoch } from '@connector/testing/fixtures/serving';
import { machines } from '../tidy/model';
import { Calls, type Call, type Sending } from './outbound';
import { Tap } from './tap';

/** Where each machine has its state, and what else of the row is safety. */
const STATES: Readonly<Record<string, readonly [table: string, columns: string]>> = {
  AccountServingGate: ['con_serving_gate', 'account AS k, mode, fence'],
  ServingEpoch: ['con_epoch', 'epoch_id AS k, state'],
  CredentialGenerationDispatchGate: ['con_credential_gate', 'generation_id AS k, mode, fence'],
  Execution: ['con_execution', 'execution_id AS k, state, command_id'],
  ExecutionDependency: ['con_execution_dependency', 'lane_id AS k, missing_position, state, disposition'],
  RemoteEffect: ['con_remote_effect', 'effect_id AS k, state, attempt_count'],
  DispatchPermit: ['con_dispatch_permit', 'permit_id AS k, state, open_account, holder_id, holder_fence, send_token'],
  RemoteLink: ['con_remote_link', 'link_id AS k, state'],
  AppInstallation: ['cat_installation', 'app_installation_id AS k, state, attempt, active_attempt, activation_epoch'],
  HandlerBinding: ['cat_binding_state', 'binding_id AS k, state, ownership_epoch, active_capability_id'],
  PublicationBarrier: ['cat_publication_barrier', 'app_installation_id AS k, state, barrier_fence, holder_fence, attempt_id'],
  PackPublicationBarrier: ['pck_publication_barrier', 'organization_id AS k, state, barrier_fence, holder_fence, attempt_id'],
};

let schema: TestSchema;
let tap: Tap;
let halting: { readonly granted: Call; readonly sending: Sending };
let uncertain: Call;
let atWork: ServedAccount;
let gap: ServedAccount;
let opened: OpenAttempt;
let held: { readonly catalog: BarrierSite; readonly packs: PackBarrierSite };
let leased: { readonly served: ServedAccount; readonly executionId: ExecutionId };

/** Something in every state that waits: for a call, for evidence, for a receipt, for a person, for a result. */
beforeAll(async () => {
  schema = await mainSchema();
  tap = new Tap(schema);
  await serviceRow(schema);
  await verifiedEpoch(schema);
  const calls = new Calls(schema, tap);
  halting = { granted: await calls.granted(), sending: await calls.sending() };
  for (const { served } of Object.values(halting)) await haltGate(tap.db, move(served, served.fence));
  uncertain = await calls.settled(UNCERTAIN);
  await revoke(schema, uncertain.credential);
  const [served] = (await serveAccounts(schema, ['lease/acme'])) as [ServedAccount];
  const [executionId] = (await readyExecutions(schema, served, ['a'])) as [ExecutionId];
  leased = { served, executionId };
  await claim();
  [atWork, gap] = (await serveAccounts(schema, ['work/acme', 'gap/acme'])) as [ServedAccount, ServedAccount];
  await arrive(
    tap.db,
    atWork,
    strictRoute(),
    [1, 2].map((at) => ({ record: 'r1', at })),
  );
  await arrive(tap.db, gap, strictRoute(), [{ record: 'r1', at: 2 }]);
  for (const served of [atWork, gap]) await claimLane(tap.db, served, laneOf(served, 'r1'));
  // A publication that nobody goes on with, and the staged binding that it would activate.
  const world = await publicationWorld(schema);
  opened = await world.opened('org', askedFor(await world.release()));
  // An activation that nobody goes on with.
  held = { catalog: await BarrierSite.open(schema), packs: await PackBarrierSite.open(schema) };
  for (const site of Object.values(held)) await site.acquire(2);
});
afterAll(async () => {
  await tap.close();
  await schema.close();
});

const move = ({ account }: ServedAccount, fence: bigint) => ({
  operationId: OperationId.mint(),
  account,
  expectedFence: fence as GateFence,
  by: 'test',
  reason: 'test',
});
const claim = () => claimExecutions(tap.db, leased.served, { claimant: 'c-1', leaseMs: 60_000, executions: [leased.executionId] });

/** Every moment that any row has, moved to this one. */
async function age(moment: string): Promise<number> {
  const columns = await schema.sql(
    "SELECT table_name AS t, column_name AS c FROM information_schema.columns WHERE table_schema = ? AND data_type = 'datetime'",
    [schema.database],
  );
  for (const { t, c } of columns) await schema.sql(`UPDATE ${String(t)} SET ${String(c)} = ? WHERE ${String(c)} IS NOT NULL`, [moment]);
  return columns.length;
}

async function states(): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  for (const [name, [table, columns]] of Object.entries(STATES))
    found[name] = (await schema.sql(`SELECT ${columns} FROM ${table}`)).map((row) => JSON.stringify(row)).sort();
  return found;
}

/** Whatever the loops of the services would open now, with nothing new to say to it. */
async function everybodyLooks(): Promise<readonly unknown[]> {
  const abandon = ({ served, permit }: Call) =>
    abandonPermits(tap.db, { operationId: OperationId.mint(), account: served.account, requestedBy: 'test', permits: [permit] });
  const answers: unknown[] = [];
  for (const call of Object.values(halting)) {
    answers.push(await concludeHalt(tap.db, move(call.served, 8n)), await abandon(call));
    answers.push(await createEffectsOfFeed(tap.db, call.served, 200), await new Calls(schema, tap).grant(call));
  }
  const { served, permit } = uncertain;
  answers.push(await finalizeEffects(tap.db, { operationId: OperationId.mint(), account: served.account, effectIds: [permit.effectId] }));
  answers.push(await createEffectsOfFeed(tap.db, served, 200), await new Calls(schema, tap).grant(uncertain));
  answers.push(await publish(schema.db, { ...opened, schemaGeneration: '7' }));
  answers.push(await openCredentialGate(tap.db, uncertain.credential), await disposeGaps(tap.db, atWork, [laneOf(atWork, 'r1')]));
  for (const site of Object.values(held)) answers.push(await site.acquire(3, { attemptId: AttemptId.mint() }), await site.release(1));
  answers.push(await setMembership(tap.db, held.catalog.wants()), await registerPack(tap.db, notedPack('2.0.0')));
  return answers;
}

describe('time', () => {
  it.each(['2001-01-01 00:00:00', '2999-01-01 00:00:00'])(
    'unmoved: con:INV-19 con:PRMT-05 con:HLTD-X cat:INT-17 every moment of every row set to %s, no door moves a state, a fence or a permit',
    async (moment) => {
      const before = await states();
      const answers = await everybodyLooks();
      expect(await age(moment)).toBeGreaterThan(30);
      expect(await everybodyLooks()).toEqual(answers);
      expect(await states()).toEqual(before);
    },
  );

  it('seen: every machine that there is stands in that comparison, in a state that waits', async () => {
    expect((await machines()).map(({ machine }) => machine.name).sort()).toEqual(Object.keys(STATES).sort());
    const all = Object.values(await states()).flat();
    expect(all.length).toBeGreaterThanOrEqual(12);
  });

  it('claimed: con:INV-19 con:CLM-X the one thing that time gives: the same execution may be claimed again', async () => {
    await age('2999-01-01 00:00:00');
    expect(await claim()).toMatchObject([{ kind: 'not-due' }]);
    const before = await states();
    await age('2001-01-01 00:00:00');
    expect(await claim()).toMatchObject([{ kind: 'claimed', attempt: 2 }]);
    expect(await states()).toEqual(before);
  });

  it('quarantined: con:XDEP-02 con:CLM-X the other one: the deadline that a contract froze; a lane at work has none', async () => {
    await age('2999-01-01 00:00:00');
    expect(await disposeGaps(tap.db, gap, [laneOf(gap, 'r1')])).toMatchObject([{ kind: 'not-due' }]);
    await age('2001-01-01 00:00:00');
    expect(await disposeGaps(tap.db, atWork, [laneOf(atWork, 'r1')])).toEqual([{ kind: 'at-work' }]);
    expect(await disposeGaps(tap.db, gap, [laneOf(gap, 'r1')])).toMatchObject([{ kind: 'quarantined' }]);
  });
});
