import type { Instant } from '@connector/kernel/brand';
import type { Lineage, LineageCounts, LineageNode } from './lineage';

/** How a tree is drawn; ASCII where a terminal has no box characters. */
const BRANCH = { last: '└─ ', other: '├─ ', under: '   ', beside: '│  ' };
const TEXT_WIDTH = 84;
const STATE_WIDTH = 18;

/** The lineage as lines of text: an indented tree, the state and the time from the receipt on beside it (experience 3(c)). */
export function renderLineage(lineage: Lineage): readonly string[] {
  const { root } = lineage;
  const lines = [line(root, '', root.at, true), ...childLines(root, '', root.at)];
  return [...lines, '', `${countsText(lineage.counts)}          epoch ${lineage.epoch}`];
}

function childLines(node: LineageNode, indent: string, from: Instant | null): readonly string[] {
  const lines = node.children.flatMap((child, at) => {
    const last = at === node.children.length - 1 && !node.more;
    const [head, below] = last ? [BRANCH.last, BRANCH.under] : [BRANCH.other, BRANCH.beside];
    return [line(child, `${indent}${head}`, from, false), ...childLines(child, `${indent}${below}`, from)];
  });
  return node.more ? [...lines, `${indent}${BRANCH.last}… more, not listed`] : lines;
}

function line({ id, text, state, at, note }: LineageNode, front: string, from: Instant | null, isRoot: boolean): string {
  const left = `${front}${id === null ? '' : `${id}  `}${text}`;
  const time = at === null ? '' : isRoot ? clock(at) : after(from, at);
  const right = `${(state ?? '').padEnd(STATE_WIDTH)}  ${time.padEnd(9)}${note === null ? '' : `  ${note}`}`;
  return `${left.padEnd(TEXT_WIDTH)}  ${right}`.trimEnd();
}

const clock = (at: Instant): string => at.slice(11, 23);

/** Time since the receipt, the finer the shorter. */
export function after(from: Instant | null, at: Instant): string {
  if (from === null) return '';
  const ms = Math.round(Date.parse(at) - Date.parse(from));
  const sign = ms < 0 ? '-' : '+';
  const size = Math.abs(ms);
  if (size < 1_000) return `${sign}${size} ms`;
  return size < 120_000 ? `${sign}${(size / 1_000).toFixed(1)} s` : `${sign}${Math.floor(size / 60_000)} min`;
}

function countsText({ events, refused, repeated, conflicts, waiting, outcomes }: LineageCounts): string {
  const parts = [
    `${events} ${events === 1 ? 'event' : 'events'}`,
    ...Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(repeated > 0 ? [`${repeated} known before`] : []),
    ...(conflicts > 0 ? [`${conflicts} conflicting`] : []),
    `${waiting} waiting`,
  ];
  return parts.join(' · ');
}
