import type { Machine } from '@connector/kernel/machine';
import { byName, code, codes, table } from './markdown';
import type { Facts } from './source';

/** One page a machine: the picture, and under it which door moves what. */
export function machinePictures(facts: Facts): ReadonlyMap<string, string> {
  const machines = facts.machines.toSorted(byName(({ machine }) => machine.name));
  const pages = machines.map(({ file, machine }) => [pageOf(machine), page(facts, file, machine)] as const);
  return new Map([['docs/machines/README.md', index(machines)], ...pages]);
}

const slugOf = (name: string): string => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
const pageOf = ({ name }: Machine<string, string>): string => `docs/machines/${slugOf(name)}.md`;

interface Move {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}
const movesOf = ({ moves }: Machine<string, string>): readonly Move[] =>
  Object.entries(moves).flatMap(([path, pairs]) => pairs.map(([from, to]) => ({ path, from, to })));

function index(machines: Facts['machines']): string {
  const rows = machines.map(({ file, machine }) => [
    `[${machine.name}](${slugOf(machine.name)}.md)`,
    machine.states.length,
    movesOf(machine).length,
    code(machine.initial),
    codes(machine.terminal),
    code(file),
  ]);
  return ['# State machines', MADE, table(['machine', 'states', 'moves', 'begins', 'ends', 'declared in'], rows), ''].join('\n\n');
}

const MADE =
  'Made by `npm run facts` from the machines themselves; `npm run verify` fails while the two differ. A move that is not listed does not exist.';

function page({ doors }: Facts, file: string, machine: Machine<string, string>): string {
  const rows = movesOf(machine).map(({ path, from, to }) => {
    const through = doors.filter(({ door }) => door.paths.includes(path));
    const by = [...new Set(through.flatMap(({ door }) => door.by))];
    return [
      code(from),
      code(to),
      code(path),
      through.length === 0 ? 'not built yet' : codes(through.map(({ door }) => door.name)),
      codes(by),
    ];
  });
  return [
    `# ${machine.name}`,
    `Declared in ${code(file)}. ${MADE}`,
    picture(machine),
    table(['from', 'to', 'by the path', 'through the door', 'opened by'], rows),
    '',
  ].join('\n\n');
}

function picture(machine: Machine<string, string>): string {
  const lines = movesOf(machine).map(({ path, from, to }) => `    ${from} --> ${to}: ${path}`);
  const ends = machine.terminal.map((state) => `    ${state} --> [*]`);
  return ['```mermaid', 'stateDiagram-v2', `    [*] --> ${machine.initial}`, ...lines, ...ends, '```'].join('\n');
}
