import { parseStep } from '@connector/kernel/paths';
import type { Model, OwnedDoor } from '../model';
import type { Source } from '../repo';
import { StatementFinder } from '../statements';
import { transitionFiles } from './write-paths';

const listed = (steps: readonly string[]): Set<string> => new Set(steps.map((step) => parseStep(step).name));

/** Statements of a door that every run needs; those of some runs only may be another door's, where a path has several. */
function needed(door: OwnedDoor): string[] {
  return door.steps.filter((step) => !step.conditional).map((step) => step.name);
}

/**
 * What a door runs is what its paths list: nothing else, and every step at least in one door. What a step runs is among what its
 * path lists, since the locks of a path may be taken once by its door.
 */
export function unlistedStatements({ paths, doors, tables }: Model, files: readonly Source[]): string[] {
  const finder = new StatementFinder(files, tables);
  const run = new Map<OwnedDoor, ReadonlySet<string>>();
  const wrong: string[] = [];
  for (const { file, owner, name, kind } of transitionFiles(files)) {
    const runs = finder.reachedFrom(file);
    const path = paths.find((one) => one.owner === owner && one.name === name);
    const door = kind === 'tx' ? doors.find((one) => one.owner === owner && one.name === name) : undefined;
    const row = kind === 'step' ? path && listed(path.steps) : door?.names;
    if (row === undefined) continue;
    for (const step of runs) if (!row.has(step)) wrong.push(`${file.path} runs ${step}, which its row does not list`);
    if (door === undefined) continue;
    run.set(door, runs);
    for (const step of needed(door)) if (!runs.has(step)) wrong.push(`${file.path} never runs ${step}, which its row lists`);
  }
  return [...wrong, ...neverRun(paths, run)];
}

/** Steps of some runs only, that no door runs at all; looked at once every door of the path is there. */
function neverRun(paths: Model['paths'], run: ReadonlyMap<OwnedDoor, ReadonlySet<string>>): string[] {
  const there = [...run];
  return paths.flatMap((path) => {
    const carriers = there.filter(([door]) => door.owner === path.owner && door.paths.includes(path.name));
    if (carriers.length === 0) return [];
    const steps = path.steps.map(parseStep).filter((step) => step.conditional && !carriers.some(([, runs]) => runs.has(step.name)));
    return steps.map((step) => `no door of ${path.name} runs ${step.name}, which its row lists`);
  });
}
