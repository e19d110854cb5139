import { parseStep } from '@connector/kernel/paths';
import type { Model } from '../model';
import type { Source } from '../repo';
import { StatementFinder } from '../statements';
import { transitionFiles } from './write-paths';

const listed = (steps: readonly string[]): Set<string> => new Set(steps.map((step) => parseStep(step).name));

/**
 * What a door runs is what its row lists, its paths and what it does around them: nothing else, and every one of them. What a step
 * runs is among what its path lists, since the locks of a path may be taken once by its door.
 */
export function unlistedStatements({ paths, doors, tables }: Model, files: readonly Source[]): string[] {
  const finder = new StatementFinder(files, tables);
  const wrong: string[] = [];
  for (const { file, owner, name, kind } of transitionFiles(files)) {
    const runs = finder.reachedFrom(file);
    const path = paths.find((one) => one.owner === owner && one.name === name);
    const door = kind === 'tx' ? doors.find((one) => one.owner === owner && one.name === name) : undefined;
    const row = kind === 'step' ? path && listed(path.steps) : door?.names;
    if (row === undefined) continue;
    for (const step of runs) if (!row.has(step)) wrong.push(`${file.path} runs ${step}, which its row does not list`);
    for (const step of door?.names ?? []) if (!runs.has(step)) wrong.push(`${file.path} never runs ${step}, which its row lists`);
  }
  return wrong;
}
