import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DefectFault } from '@connector/kernel/faults';
import { jcs } from '@connector/kernel/jcs';
import { type Lineage, type LineageNode, nodesOf } from '@connector/connector/model/lineage/lineage';
import type { ServiceClient } from '@connector/platform/http/service-client';
import type { Ending } from '../ending';
import type { LocalSystem } from '../start-local';
import { ask, textOf } from './ask';
import { sendWebhook } from './webhook';
import { channelOf } from './world';

const LOOK_EVERY_MS = 50;
const WITHIN_MS = 30_000;
const RECORDS = 1_000_000;
const TEXT_CHARS = 58;
const STATE_CHARS = 16;

type Say = (line: string) => void;

/** Sends one signed webhook from outside and prints what became of it, row by row as the rows appear. */
export async function tellStory(system: LocalSystem, ending: Ending, say: Say): Promise<void> {
  // A record that nobody told of before: every start has a story of its own.
  const recordId = `rec-${randomInt(RECORDS)}`;
  const body = jcs({ changes: [{ recordId, seq: 1, email: 'ada@example.test', name: 'Ada Example' }] });
  const sent = await sendWebhook(system, channelOf('hook'), body);
  if (sent.status !== 202)
    throw new DefectFault('HOUSE:local:WebhookRefused', `the webhook was answered ${sent.status}: ${JSON.stringify(sent.body)}`);
  const receipt = textOf(Object(sent.body), 'receipt_id');
  const operator = await system.client('operator');
  const told = new Set<string>();
  for (const until = performance.now() + WITHIN_MS; ; await pause(LOOK_EVERY_MS)) {
    const lineage = await lineageOf(operator, receipt);
    tellNew(lineage, told, say);
    if (isComplete(lineage)) return conclude(lineage, say);
    if (ending.isAsked || performance.now() > until) return say(`               not complete yet:  npx connector explain ${receipt}`);
  }
}

/** The operator answers with the tree as it types it; both are of one release. */
async function lineageOf(operator: ServiceClient, receipt: string): Promise<Lineage> {
  const { status, body } = await ask(operator, 'GET', `/v1/lineage/${receipt}`);
  if (!isLineage(body)) throw new DefectFault('HOUSE:local:LineageAnswer', `the operator answered ${status}`);
  return body;
}

function isLineage(body: object): body is Lineage {
  return Reflect.get(body, 'schema') === 'connector.lineage/v1';
}

/** Nothing that came out of the receipt owes anything any more. */
function isComplete({ root, counts }: Lineage): boolean {
  const made = counts.events + counts.refused + counts.repeated > 0;
  return made && [...nodesOf(root)].every((node) => node.kind !== 'pending' && isAtRest(node) && !owesEffect(node));
}

/** A command is written once and for all; what comes of it is told with its effect. */
function owesEffect({ kind, children }: LineageNode): boolean {
  return kind === 'command' && children.length === 0;
}

const MOVING: ReadonlySet<string> = new Set(['ready', 'waiting', 'prepared', 'dispatching', 'granted', 'sending']);

/** What an attempt proved stands; an effect that it confirmed is still to be finalized, and a result with a remark to be recorded. */
function isAtRest({ kind, state, note }: LineageNode): boolean {
  if (state === null || kind === 'command') return true;
  if (kind === 'result') return note === null;
  return !MOVING.has(state) && (state !== 'remote_confirmed' || kind === 'attempt');
}

/** What hangs on an effect is told with it: the tree is read level by level, and a call may end between two of them. */
function resting(node: LineageNode): readonly LineageNode[] {
  if (isAtRest(node)) return [node, ...node.children.flatMap(resting)];
  return node.kind === 'effect' ? [] : node.children.flatMap(resting);
}

/** A row is told once, when it has come to rest; what came to rest between two looks in the order of its times. */
function tellNew({ root }: Lineage, told: Set<string>, say: Say): void {
  const keyOf = ({ kind, id, text }: LineageNode): string => `${kind} ${id ?? text}`;
  const fresh = resting(root).filter((node) => !told.has(keyOf(node)));
  for (const node of fresh) told.add(keyOf(node));
  for (const node of fresh.toSorted((one, other) => (one.at ?? '').localeCompare(other.at ?? ''))) say(lineOf(node));
}

const ARROWS: Readonly<Record<string, string>> = { receipt: '-->', attempt: '<--' };

function lineOf({ kind, id, text, state, at, note }: LineageNode): string {
  const parts = [timeOf(at).padEnd(12), (ARROWS[kind] ?? '').padEnd(3), text.replace(/\s+/g, ' ').slice(0, TEXT_CHARS).padEnd(TEXT_CHARS)];
  const shown = kind === 'command' ? '' : (state ?? '');
  const end = [shown.padEnd(STATE_CHARS), (id ?? '').padEnd(30), note ?? ''];
  return [...parts, ...end].join('  ').trimEnd();
}

/** 2026-01-31T14:20:01.118206Z: the database's clock to the millisecond. */
const timeOf = (at: string | null): string => at?.slice(11, 23) ?? '';

function conclude({ root }: Lineage, say: Say): void {
  const times = [...nodesOf(root)].flatMap(({ at }) => (at === null ? [] : [Date.parse(at)]));
  const last = Math.max(...times);
  say(`${' '.repeat(17)}  lineage complete in ${last - Math.min(...times)} ms        npx connector lineage ${root.id ?? ''}`);
}
