import { GenerationId } from '@connector/kernel/ids';
import { childrenOf } from '@connector/connector/model/inbound/children';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { materializeReceipt } from '@connector/connector/transitions/inbound/materialize-receipts.tx';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import { acceptCommand } from '@connector/runtime/transitions/accept-command.tx';
import { leaveCommand } from '@connector/runtime/transitions/leave-command.tx';
import { startCommand } from '@connector/runtime/transitions/start-command.tx';
import { commitApplication } from '@connector/runtime/transitions/commit-application.tx';
import { acceptedCommand, commitOf, outboundOf } from '../../fixtures/application';
import { delivery, item, ROUTE } from '../../fixtures/delivery';
import { readyExecutions, receiptFor, runtimeCommand } from '../../fixtures/execution';
import { act, known, oneAccount, type DoorCase } from './door-case';

/** From a delivery to what the application made of it. */
export const INBOUND_CASES: readonly DoorCase[] = [
  {
    door: 'admit-and-materialize',
    way: 'two deliveries whose items are made at once',
    arrange: async ({ main }) => {
      const served = await oneAccount(main);
      const prepared = ['one', 'two'].map((key) =>
        prepareDelivery(served, ROUTE, delivery(served, key, key), { kind: 'items', items: [item(0, key)] }),
      );
      return act(ANSWER_SOON, (db) => admitAndMaterialize(db, served, ROUTE, prepared));
    },
  },
  {
    door: 'admit-and-materialize',
    way: 'a body that is left to the sweep',
    arrange: async ({ main }) => {
      const served = await oneAccount(main);
      const prepared = prepareDelivery(served, ROUTE, delivery(served, 'many', 'many'), { kind: 'deferred' });
      return act(ANSWER_SOON, (db) => admitAndMaterialize(db, served, ROUTE, [prepared]));
    },
  },
  {
    door: 'admit-and-materialize',
    way: 'other bytes under a used key, twice',
    arrange: async ({ main }) => {
      const served = await oneAccount(main);
      const [held, ...others] = ['one', 'two', 'three', 'two'].map((body) =>
        prepareDelivery(served, ROUTE, delivery(served, 'key', body), { kind: 'items', items: [item(0, body)] }),
      );
      await admitAndMaterialize(main.db, served, ROUTE, [known(held)]);
      return act(ANSWER_SOON, (db) => admitAndMaterialize(db, served, ROUTE, others));
    },
  },
  {
    door: 'materialize-receipts',
    arrange: async ({ main }) => {
      const served = await oneAccount(main);
      const prepared = prepareDelivery(served, ROUTE, delivery(served, 'many', 'many'), { kind: 'deferred' });
      await admitAndMaterialize(main.db, served, ROUTE, [prepared]);
      const { receiptId } = prepared.delivery;
      const chunk = { receiptId, route: ROUTE, from: 0, next: 2, last: true, items: [item(0, 'one'), item(1, 'two')] };
      const children = childrenOf({ ...served, route: ROUTE }, receiptId, chunk.items).items.length;
      // The sweep learns that the receipt is past this chunk; how many items it made is in the rows.
      return act(
        ANSWER_SOON,
        (db) => materializeReceipt(db, served, chunk),
        (answer) =>
          answer.kind === 'materialized' || (answer.kind === 'moved' && answer.nextOrdinal === null) ? { past: children } : answer,
      );
    },
  },
  {
    door: 'claim-executions',
    arrange: async ({ main }) => {
      const served = await oneAccount(main);
      const executions = await readyExecutions(main, served, ['one', 'two']);
      const claim = { claimant: 'c-1', leaseMs: 60_000, executions };
      // An execution that its own lost claim leased is not submitted now but when the lease is over, as the same command (decisions 13.7).
      return act(
        ANSWER_SOON,
        (db) => claimExecutions(db, served, claim),
        (answer) => (answer.kind === 'claimed' || answer.kind === 'not-due' ? { kind: 'leased' } : answer),
      );
    },
  },
  {
    door: 'record-results',
    arrange: async ({ main }) => {
      const served = await oneAccount(main);
      const executions = await readyExecutions(main, served, ['one', 'two']);
      await claimExecutions(main.db, served, { claimant: 'c-1', leaseMs: 60_000, executions });
      const receipts = [await receiptFor(main, known(executions[0])), await receiptFor(main, known(executions[1]), 'other')];
      return act(ANSWER_SOON, (db) => recordResults(db, served.account, receipts));
    },
  },
  {
    door: 'accept-command',
    arrange: async ({ main }) => {
      const command = runtimeCommand(await oneAccount(main), Buffer.from('"input"'));
      const by = GenerationId.mint();
      // Found there, it is started by a door of its own; whether to wait for company is no part of the answer.
      return act(
        ANSWER_SOON,
        (db) => acceptCommand(db, command, by),
        ({ kind }) => ({ kind }),
      );
    },
  },
  {
    door: 'start-command',
    way: 'the first start after its acceptance',
    arrange: async ({ main }) => {
      const { commandId } = await acceptedCommand(main, await oneAccount(main));
      const by = GenerationId.mint();
      return act(ANSWER_SOON, (db) => startCommand(db, commandId, by));
    },
  },
  {
    door: 'start-command',
    way: 'a further one',
    arrange: async ({ main }) => {
      const { commandId } = await acceptedCommand(main, await oneAccount(main));
      await startCommand(main.db, commandId, GenerationId.mint());
      const by = GenerationId.mint();
      return act(ANSWER_SOON, (db) => startCommand(db, commandId, by));
    },
  },
  {
    door: 'leave-command',
    way: 'the start of its acceptance',
    arrange: async ({ main }) => {
      const by = GenerationId.mint();
      const { commandId } = await acceptedCommand(main, await oneAccount(main), 'input', by);
      return act(ANSWER_SOON, (db) => leaveCommand(db, commandId, by));
    },
  },
  {
    door: 'leave-command',
    way: 'a further one',
    arrange: async ({ main }) => {
      const { commandId } = await acceptedCommand(main, await oneAccount(main));
      const by = GenerationId.mint();
      await startCommand(main.db, commandId, by);
      return act(ANSWER_SOON, (db) => leaveCommand(db, commandId, by));
    },
  },
  {
    door: 'commit-application',
    arrange: async ({ main }) => {
      const served = await oneAccount(main);
      const command = await acceptedCommand(main, served);
      const key = { collection: 'thing', key: 'a' };
      const commit = commitOf(served, command, {
        records: [{ ...key, version: null, value: null }],
        changes: [{ ...key, value: { seq: 1 } }],
        commands: [outboundOf(command, served), outboundOf(command, served, { slot: 'other' })],
      });
      return act(ANSWER_SOON, (db) => commitApplication(db, commit));
    },
  },
];
