import type { ChannelKeyFence } from '@connector/kernel/brand';
import type { ExecutionId } from '@connector/kernel/ids';
import { childrenOf } from '@connector/connector/model/inbound/children';
import { CONFLICTS_OF_RECEIPT_MAX } from '@connector/connector/model/inbound/delivery';
import { claimExecutions } from '@connector/connector/transitions/execution/claim-executions.tx';
import { recordResults } from '@connector/connector/transitions/execution/record-results.tx';
import { admitAndMaterialize, prepareDelivery } from '@connector/connector/transitions/inbound/admit-and-materialize.tx';
import { materializeReceipt } from '@connector/connector/transitions/inbound/materialize-receipts.tx';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { moveChannelKeyGate } from '@connector/connector/transitions/serving/move-channel-key-gate.tx';
import { restWork } from '@connector/connector/transitions/work/rest-work.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import type { ServedAccount } from '@connector/testing/fixtures/account';
import { underOneKey } from '@connector/testing/fixtures/conflict';
import { delivery, item, ROUTE } from '@connector/testing/fixtures/delivery';
import { readyExecutions, receiptFor } from '@connector/testing/fixtures/execution';
import { move, watchOf, type Group, type Site } from './group';

export function admit(served: ServedAccount, key: string, body: string): Part {
  const prepared = prepareDelivery(served, ROUTE, delivery(served, key, body), { kind: 'items', items: [item(0, body)] });
  return { name: 'admit', open: (db) => admitAndMaterialize(db, served, ROUTE, [prepared]) };
}

export const halt = (served: ServedAccount): Part => {
  const asked = move(served);
  return { name: 'halt', open: (db) => haltGate(db, asked) };
};

function claim(served: ServedAccount, claimant: string, executions: readonly ExecutionId[]): Part {
  return { name: 'claim', open: (db) => claimExecutions(db, served, { claimant, leaseMs: 60_000, executions }) };
}

async function record(site: Site, served: ServedAccount, execution: ExecutionId, word: string): Promise<Part> {
  const receipt = await receiptFor(site.schema, execution, word);
  return { name: 'record', open: (db) => recordResults(db, served.account, [receipt]) };
}

/** A claim whose lease is over at once. */
async function claimed(site: Site, served: ServedAccount): Promise<ExecutionId> {
  const [execution] = (await readyExecutions(site.schema, served, ['one'])) as [ExecutionId];
  await claimExecutions(site.schema.db, served, { claimant: 'c-0', leaseMs: 0, executions: [execution] });
  return execution;
}

async function rest(site: Site, served: ServedAccount): Promise<Part> {
  const [row] = await site.schema.sql("SELECT produced FROM con_account_work WHERE stage = 'execution' AND account = ?", [
    Buffer.from(served.account),
  ]);
  const seen = { stage: 'execution', account: served.account, producedSeen: BigInt(String(row?.['produced'])), dueAt: null } as const;
  return { name: 'rest', open: (db) => restWork(db, seen) };
}

async function chunk(site: Site, served: ServedAccount): Promise<() => Part> {
  const { delivery: given, children } = prepareDelivery(served, ROUTE, delivery(served, 'many', 'many'), { kind: 'deferred' });
  await admitAndMaterialize(site.schema.db, served, ROUTE, [{ delivery: given, children }]);
  const items = [item(0, 'later')];
  childrenOf({ ...served, route: ROUTE }, given.receiptId, items);
  const part = { receiptId: given.receiptId, route: ROUTE, from: 0, next: 1, last: true, items };
  return () => ({ name: 'materialize', open: (db) => materializeReceipt(db, served, part) });
}

const GATE = 'con_serving_gate';

export const INBOUND: readonly Group[] = [
  {
    name: 'admit | admit, same key',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      return { parts: [admit(served, 'msg', 'same'), admit(served, 'msg', 'same')], watch: watchOf(served) };
    },
  },
  {
    name: 'admit | admit, other bytes',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      return { parts: [admit(served, 'msg', 'one'), admit(served, 'msg', 'two')], watch: watchOf(served) };
    },
  },
  {
    name: 'admit | admit, same other bytes',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      await underOneKey(site.schema.db, served, 'msg', ['one']);
      return { parts: [admit(served, 'msg', 'two'), admit(served, 'msg', 'two')], watch: watchOf(served) };
    },
  },
  {
    name: 'admit | admit, one conflict below the bound',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      const kept = Array.from({ length: CONFLICTS_OF_RECEIPT_MAX - 1 }, (_, at) => `kept ${at}`);
      await underOneKey(site.schema.db, served, 'msg', ['one', ...kept]);
      return { parts: [admit(served, 'msg', 'two'), admit(served, 'msg', 'three')], watch: watchOf(served) };
    },
  },
  {
    name: 'admit | halt',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      return { parts: [admit(served, 'msg', 'one'), halt(served)], watch: watchOf(served) };
    },
  },
  {
    name: 'admit | move channel keys',
    meets: 'con_channel_key_gate',
    arrange: async (site) => {
      const served = await site.served();
      const to = { account: served.account, channel: 'hook', revision: 2n as ChannelKeyFence };
      const keys: Part = { name: 'move channel keys', open: (db) => moveChannelKeyGate(db, to) };
      return { parts: [admit(served, 'msg', 'one'), keys], watch: watchOf(served) };
    },
  },
  {
    name: 'move channel keys | move channel keys',
    meets: 'con_channel_key_gate',
    arrange: async (site) => {
      const served = await site.served();
      const keys = (revision: bigint): Part => ({
        name: 'move channel keys',
        open: (db) => moveChannelKeyGate(db, { account: served.account, channel: 'hook', revision: revision as ChannelKeyFence }),
      });
      return { parts: [keys(2n), keys(3n)], watch: watchOf(served) };
    },
  },
  {
    name: 'admit | rest',
    meets: 'con_account_work',
    arrange: async (site) => {
      const served = await site.served();
      return { parts: [admit(served, 'msg', 'one'), await rest(site, served)], watch: watchOf(served) };
    },
  },
  {
    name: 'materialize | materialize',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      const part = await chunk(site, served);
      return { parts: [part(), part()], watch: watchOf(served) };
    },
  },
  {
    name: 'materialize | halt',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      const part = await chunk(site, served);
      return { parts: [part(), halt(served)], watch: watchOf(served) };
    },
  },
  {
    name: 'claim | claim',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      const executions = await readyExecutions(site.schema, served, ['one']);
      return { parts: [claim(served, 'c-1', executions), claim(served, 'c-2', executions)], watch: watchOf(served) };
    },
  },
  {
    name: 'claim | halt',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      const executions = await readyExecutions(site.schema, served, ['one']);
      return { parts: [claim(served, 'c-1', executions), halt(served)], watch: watchOf(served) };
    },
  },
  {
    name: 'record | record',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      const execution = await claimed(site, served);
      const parts = [await record(site, served, execution, 'one'), await record(site, served, execution, 'two')];
      return { parts, watch: watchOf(served) };
    },
  },
  {
    name: 'record | claim again',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      const execution = await claimed(site, served);
      return { parts: [await record(site, served, execution, 'one'), claim(served, 'c-1', [execution])], watch: watchOf(served) };
    },
  },
];
