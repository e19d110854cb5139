import type { Change } from '@connector/testing/explorer/mutation';
import type { Group } from './group';

/** A planted fault: of which write path, of what kind, in which group it must show, and how it is made. */
export interface Mutant {
  readonly path: string;
  readonly kind:
    | 'clause of a CAS removed'
    | 'lock omitted'
    | 'fence not moved'
    | 'read before its lock'
    | 'duplicate swallowed'
    | 'one read made two'
    | 'less compared'
    | 'written too late';
  readonly group: string;
  readonly changes?: readonly Change[];
  /** A part that does something else in place of one of the group's: for what no change of a statement makes. */
  readonly instead?: { readonly says: string; readonly arrange: Group['arrange'] };
}

export type Edit = (door: string) => Change;

export const replaced =
  (statement: string, find: string, put: string): Edit =>
  (door) => ({ door, statement, find, put });
export const unlocked = (table: string): Edit => replaced(`lock ${table}`, ' FOR UPDATE', '');
export const early =
  (table: string): Edit =>
  (door) => ({ door, statement: `lock ${table}`, readFirst: true });
/** A 1062 that nobody sees. */
export const ignored = (table: string): Edit => replaced(`insert ${table}`, 'INSERT INTO', 'INSERT IGNORE INTO');
export const plant = (path: string, kind: Mutant['kind'], group: string, door: string, ...edits: readonly Edit[]): Mutant => ({
  path,
  kind,
  group,
  changes: edits.map((edit) => edit(door)),
});

export const [CLAUSE, LOCK, FENCE, EARLY, SWALLOWED] = [
  'clause of a CAS removed',
  'lock omitted',
  'fence not moved',
  'read before its lock',
  'duplicate swallowed',
] as const;

export const GATE = unlocked('con_serving_gate');
/** Whoever authors in an installation meets here before everything else. */
export const BARRIER = unlocked('cat_publication_barrier');
