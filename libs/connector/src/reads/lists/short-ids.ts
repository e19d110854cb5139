import type { AccountName } from '@connector/kernel/brand';
import { id } from '@connector/kernel/column';
import {
  CommandId,
  EventId,
  EffectId,
  ExecutionId,
  LaneId,
  LinkId,
  OutboundCommandId,
  PermitId,
  ProjectionId,
  ReceiptId,
} from '@connector/kernel/ids';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conExecution } from '@connector/schema/connector/execution';
import { conProjection, conReceipt } from '@connector/schema/connector/inbound';
import { conOrderingLane } from '@connector/schema/connector/ordering';
import { conDispatchPermit, conRemoteEffect, conRemoteLink } from '@connector/schema/connector/outbound';

/** Rows of one account that are looked at for a short id, the newest of the last day. */
const LOOK_MAX = 2_000;
const DAY = 'NOW(6) - INTERVAL 1 DAY';
const FORM = /^([a-z]{3})_(?:…|\.\.\.)?([0-9a-z]{6})$/;

const recent = (from: string, column: string, at: string): string =>
  `SELECT ${column} FROM ${from} WHERE ${at.split('.')[0]}.account = :account AND ${at} > ${DAY} ORDER BY ${at} DESC LIMIT ${LOOK_MAX}`;
const RECEIPTS = readQuery(
  conReceipt,
  { id: id(ReceiptId) },
  recent(`${conReceipt.name} r`, 'r.receipt_id AS id', 'r.admitted_at'),
  'recent',
);
const EXECUTIONS = readQuery(
  conExecution,
  { execution: id(ExecutionId), projection: id(ProjectionId), command: id(CommandId), event: id(EventId) },
  recent(
    `${conExecution.name} x JOIN ${conProjection.name} p ON p.projection_id = x.projection_id`,
    'x.execution_id AS execution, x.projection_id AS projection, x.command_id AS command, p.event_id AS event',
    'x.minted_at',
  ),
  'recent',
);
const LANES = readQuery(
  conOrderingLane,
  { id: id(LaneId) },
  recent(`${conOrderingLane.name} l`, 'l.lane_id AS id', 'l.opened_at'),
  'recent',
);
const EFFECTS = readQuery(
  conRemoteEffect,
  { effect: id(EffectId), command: id(OutboundCommandId) },
  recent(`${conRemoteEffect.name} e`, 'e.effect_id AS effect, e.outbound_command_id AS command', 'e.created_at'),
  'recent',
);
const PERMITS = readQuery(
  conDispatchPermit,
  { id: id(PermitId) },
  recent(`${conDispatchPermit.name} p`, 'p.permit_id AS id', 'p.granted_at'),
  'recent',
);
const LINKS = readQuery(
  conRemoteLink,
  { id: id(LinkId) },
  recent(`${conRemoteEffect.name} e JOIN ${conRemoteLink.name} l ON l.effect_id = e.effect_id`, 'l.link_id AS id', 'e.created_at'),
  'recent',
);

type Recent = (db: Db, account: AccountName) => Promise<readonly string[]>;
const RECENT: ReadonlyMap<string, Recent> = new Map<string, Recent>([
  ['rcp', async (db, account) => (await db.read(RECEIPTS, { account })).map((row) => row.id)],
  ['evt', async (db, account) => (await db.read(EXECUTIONS, { account })).map((row) => row.event)],
  ['prj', async (db, account) => (await db.read(EXECUTIONS, { account })).map((row) => row.projection)],
  ['exe', async (db, account) => (await db.read(EXECUTIONS, { account })).map((row) => row.execution)],
  ['cmd', async (db, account) => (await db.read(EXECUTIONS, { account })).map((row) => row.command)],
  ['lan', async (db, account) => (await db.read(LANES, { account })).map((row) => row.id)],
  ['obc', async (db, account) => (await db.read(EFFECTS, { account })).map((row) => row.command)],
  ['eff', async (db, account) => (await db.read(EFFECTS, { account })).map((row) => row.effect)],
  ['prm', async (db, account) => (await db.read(PERMITS, { account })).map((row) => row.id)],
  ['lnk', async (db, account) => (await db.read(LINKS, { account })).map((row) => row.id)],
]);

/** A short id, prefix and last six characters, as `exe_9c1d0f` or `exe_…9c1d0f`; undefined where the text is none. */
export function shortId(text: string): { readonly prefix: string; readonly tail: string } | undefined {
  const match = FORM.exec(text);
  const [, prefix, tail] = match ?? [];
  return prefix === undefined || tail === undefined || !RECENT.has(prefix) ? undefined : { prefix, tail };
}

/** The ids of the last day's rows that end so, of these accounts, each once; a bounded look, so none found does not say that none is. */
export async function longIds(
  db: Db,
  short: { readonly prefix: string; readonly tail: string },
  accounts: readonly AccountName[],
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const account of accounts) {
    const ids = (await RECENT.get(short.prefix)?.(db, account)) ?? [];
    for (const each of ids) if (each.endsWith(short.tail)) found.add(each);
  }
  return [...found];
}
