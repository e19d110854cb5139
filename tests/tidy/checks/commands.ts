import type { Command } from 'commander';
import type { Source } from '../repo';

/** What a reader may type: the scripts of package.json, the commands of the command line, and which paths there are. */
export interface Typeable {
  readonly scripts: ReadonlySet<string>;
  readonly program: Command;
  hasPath(prefix: string): boolean;
}

const isPage = (path: string): boolean => /^(README|CONTRIBUTING|docs\/.*)\.md$/.test(path);
/** In a page as `npx connector …`; in the code as a text that begins so: what a refusal or a reason tells people to type. */
const IN_PAGES = /\bnpx connector ([^`|\n]*)/g;
const IN_CODE = /['"`](?:npx )?connector ([a-z-]+(?:['"`]| [^'"`\n]*))/g;
const NPM = /\bnpm (run [a-z][\w:-]*|start|test)\b(?: -- ([\w./-]+))?/g;
const JEST = /\bnpx jest ([\w./-]+)/g;

/** Commands that pages and texts name and that cannot be typed. */
export function untypeable(files: readonly Source[], typeable: Typeable): readonly string[] {
  return files.flatMap(({ path, text }) => {
    const lines = isPage(path) ? [...text.matchAll(IN_PAGES)] : [...text.matchAll(IN_CODE)];
    const commands = lines.flatMap(([, line = '']) =>
      wrongOf(typeable.program, line).map((why) => `${path}: connector ${line.trim()}: ${why}`),
    );
    return isPage(path) ? [...commands, ...scripts(path, text, typeable)] : commands;
  });
}

function scripts(path: string, text: string, { scripts: known, hasPath }: Typeable): readonly string[] {
  const npm = [...text.matchAll(NPM)].flatMap(([said, name = '', argument]) => [
    ...(known.has(name.replace('run ', '')) ? [] : [`${path}: ${said}: no such script`]),
    ...(name !== 'test' || argument === undefined || hasPath(argument) ? [] : [`${path}: ${said}: no such path`]),
  ]);
  const jest = [...text.matchAll(JEST)].flatMap(([said, argument = '']) => (hasPath(argument) ? [] : [`${path}: ${said}: no such path`]));
  return [...npm, ...jest];
}

/** Words down to the first that stands for a value, then the flags. Two spaces end a command: what follows is said about it. */
function wrongOf(program: Command, line: string): readonly string[] {
  const words = (line.split(/ {2,}| · |['"`]/)[0] ?? '').trim().split(' ');
  let command = program;
  let at = 0;
  for (; command.commands.length > 0 && at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!/^[a-z]/.test(word)) break;
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) return [`${command.name()} has no ${word}`];
    command = next;
  }
  // Where the verb itself is a value, any of the group may have the flag.
  const known = new Set([command, ...command.commands].flatMap(({ options }) => options.map(({ long }) => long)));
  const flags = words.slice(at).flatMap((word) => /^--[a-z-]+/.exec(word) ?? []);
  return flags.filter((flag) => !known.has(flag)).map((flag) => `${command.name()} has no ${flag}`);
}
