import { appendFileSync, closeSync, ftruncateSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DefectFault } from '@connector/kernel/faults';
import type { Line } from './entry';

const KINDS: ReadonlySet<unknown> = new Set<Line['kind']>(['arrived', 'changed', 'executed', 'reset']);

/** The ledger's file: JSON lines, only ever appended. Without a path nothing is kept. */
export class Journal {
  private file: number | undefined;

  constructor(private readonly path: string | undefined) {
    if (path === undefined) return;
    mkdirSync(dirname(path), { recursive: true });
    this.file = openSync(path, 'a+', 0o600);
  }

  /** What an earlier process wrote. A last line without its end was cut by a kill: that step never showed outside, so it is taken away. */
  read(): readonly Line[] {
    if (this.file === undefined || this.path === undefined) return [];
    const bytes = readFileSync(this.path);
    const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
    if (whole.length < bytes.length) ftruncateSync(this.file, whole.length);
    return whole.toString('utf8').split('\n').slice(0, -1).map(lineOf);
  }

  append(line: Line): void {
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }

  /** A connection that ends with the process may still want to append: its entry stays as the last line left it. */
  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }
}

function lineOf(text: string, at: number): Line {
  const value: unknown = JSON.parse(text);
  if (!isLine(value)) throw new DefectFault('HOUSE:simulator:LedgerUnreadable', `line ${at + 1} of the ledger is none of ours`);
  return value;
}

/** Our own file, of this version: the kind and the number say enough. */
function isLine(value: unknown): value is Line {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && KINDS.has(value.kind) && 'n' in value && typeof value.n === 'number'
  );
}
