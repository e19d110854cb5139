import { DefectFault } from './faults';
import type { DbRole } from './roles';

export type StepVerb = 'lock' | 'read' | 'insert' | 'update';

/**
 * One statement of a write path: a verb, a table, where one table is met twice a `#label`, and a `?` where only some runs need it
 * (to name a refusal, say). `lock` is SELECT … FOR UPDATE by full key, `read` a plain SELECT of facts that cannot change,
 * `update` a compare-and-swap.
 */
export type Step = `${StepVerb} ${string}`;

export interface ParsedStep {
  /** The step without its `?`: the name of the statement. */
  readonly name: string;
  readonly verb: StepVerb;
  readonly table: string;
  readonly conditional: boolean;
}

const FORM = /^(lock|read|insert|update) ([a-z][a-z0-9_]*)(#[a-z-]+)?(\?)?$/;

export function parseStep(step: string): ParsedStep {
  const match = FORM.exec(step);
  if (!match) throw new DefectFault('HOUSE:kernel:StepForm', `not a step: ${step}`);
  return { name: step.replace(/\?$/, ''), verb: match[1] as StepVerb, table: match[2] as string, conditional: match[4] !== undefined };
}

/**
 * A write path: a step of the protocol with its fence. Its statements are data; locks, grants, crash points and the import rule
 * are derived from them.
 */
export interface WritePath {
  /** The code of its rows in the requirement matrix, or its own name where the matrix has none. */
  readonly code: string;
  readonly about: string;
  /** The key under which an unknown COMMIT is settled by writing again (decisions 13.9). */
  readonly again: string;
  readonly steps: readonly Step[];
}

/** A door: one transaction, the paths that it carries in order, and who may open it (decisions 3.6). */
export interface Door {
  readonly name: string;
  readonly paths: readonly string[];
  readonly by: readonly DbRole[];
  readonly steps: readonly ParsedStep[];
  /** Statement names for the run-time check; tables for grants. */
  readonly names: ReadonlySet<string>;
}

export function writePaths<const P extends Record<string, WritePath>>(paths: P): P {
  for (const path of Object.values(paths)) for (const step of path.steps) parseStep(step);
  return paths;
}

type DoorSpec<P> = {
  readonly paths: readonly (keyof P & string)[];
  /** What the transaction does around its paths, behind their statements; another door of the same path does not. */
  readonly steps?: readonly Step[];
  readonly by: readonly DbRole[];
};

export function doors<P extends Record<string, WritePath>, const D extends Record<string, DoorSpec<P>>>(
  paths: P,
  specs: D,
): { readonly [K in keyof D]: Door } {
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => {
      const steps: ParsedStep[] = [];
      for (const step of [...spec.paths.flatMap((path) => (paths[path] as WritePath).steps), ...(spec.steps ?? [])].map(parseStep)) {
        if (!steps.some((other) => other.name === step.name)) steps.push(step);
      }
      return [name, { name, paths: spec.paths, by: spec.by, steps, names: new Set(steps.map((step) => step.name)) } satisfies Door];
    }),
  ) as unknown as { readonly [K in keyof D]: Door };
}

/** Where a process can die inside a door: before each statement, before COMMIT is written, after its answer. */
export function crashPoints(door: Door): readonly string[] {
  return [...door.steps.map((step) => `${door.name}/${step.name}`), `${door.name}/commit`, `${door.name}/committed`];
}
