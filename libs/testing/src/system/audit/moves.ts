import type { Machine } from '@connector/kernel/machine';
import { executionMachine } from '@connector/connector/model/execution/execution';
import { effectMachine } from '@connector/connector/model/outbound/effect';
import { permitMachine } from '@connector/connector/model/outbound/permit';
import { credentialGateMachine } from '@connector/connector/model/serving/credential-gate';
import { epochMachine } from '@connector/connector/model/serving/epoch';
import { gateMachine } from '@connector/connector/model/serving/gate';
import { type Findings, groupBy, type History } from './finding';

interface Known {
  /** The member of an item that names the row. */
  readonly member: string;
  readonly allows: (from: string, to: string) => boolean;
  /** Whether one row may make the same move again. */
  readonly once: boolean;
}
const of = <State extends string, Path extends string>(member: string, machine: Machine<State, Path>, once: boolean): Known => ({
  member,
  once,
  allows: (from, to) => machine.allows(machine.parse(from), machine.parse(to)),
});

/** What each door moves, by the machine of the row that it names. */
const DOORS: Readonly<Record<string, Known>> = {
  grant: of('effect', effectMachine, false),
  'start-sending': of('permit', permitMachine, true),
  'settle-permits': of('permit', permitMachine, true),
  'abandon-permits': of('permit', permitMachine, true),
  'finalize-effects': of('effect', effectMachine, true),
  // One execution may wait for one missing position after the other.
  'claim-lanes': of('execution', executionMachine, false),
  'dispose-gaps': of('execution', executionMachine, false),
  'record-results': of('execution', executionMachine, true),
  'halt-gate': of('gate', gateMachine, false),
  'conclude-halt': of('gate', gateMachine, false),
  'resume-gate': of('gate', gateMachine, false),
  'revoke-credential': of('credential', credentialGateMachine, false),
  'reenable-credential': of('credential', credentialGateMachine, false),
  'verify-epoch': of('epoch', epochMachine, true),
  'reject-verified': of('epoch', epochMachine, true),
  'activate-genesis': of('epoch', epochMachine, true),
};

interface Move {
  readonly row: string;
  readonly from: string;
  readonly to: string;
  readonly known: Known;
}

/** I11: only listed pairs were moved, and what moves once moved once. */
export function judgeMoves({ rows }: History, findings: Findings): void {
  const moves = rows.moves.flatMap(({ door, items }) => movesOf(door, items, findings));
  for (const { row, from, to, known } of moves)
    findings.must(known.allows(from, to), `${row} moved from ${from} to ${to}, which is no move`);
  for (const [what, held] of groupBy(moves, ({ row, from, to }) => `${row} moved from ${from} to ${to}`)) {
    findings.must(held.length === 1 || held[0]?.known.once === false, `${what} ${held.length} times`);
  }
}

function movesOf(door: string, items: Buffer, findings: Findings): readonly Move[] {
  const known = DOORS[door];
  findings.must(known !== undefined, `door ${door} moved something and nobody knows what it moves`);
  if (known === undefined) return [];
  const listed = JSON.parse(items.toString('utf8')) as readonly Readonly<Record<string, string>>[];
  return listed.flatMap((item): Move[] => {
    const { [known.member]: row, from, to } = item;
    // A gate that is born has no state before; a link conflict leaves its effect where it was.
    if (row === undefined || from === undefined || to === undefined || to === 'link-conflict') return [];
    return [{ row, from, to, known }];
  });
}

/** An account is held only when nothing of it can still be sent (con:HLTD-X). */
export function judgeGates({ rows }: History, findings: Findings): void {
  const open = groupBy(
    rows.permits.filter(({ open_account }) => open_account !== null),
    ({ account }) => account,
  );
  for (const { account, mode: word } of rows.gates) {
    const mode = gateMachine.parse(word);
    const count = open.get(account)?.length ?? 0;
    findings.must(mode !== 'v2_halted' || count === 0, `${account} is held with ${count} open permits`);
  }
}
