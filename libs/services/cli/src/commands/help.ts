import type { Command } from 'commander';
import type { Context } from '../context';
import { CliFailure, EXIT, EXIT_MEANINGS } from '../exit';
import { REASONS } from '@connector/connector/model/explain/reasons';

const TOPICS = ['exit-codes', 'reasons'];

/** `help`, `help <command>`, `help exit-codes`, `help reasons [code]`. */
export function addHelp(program: Command, context: Context): void {
  program.helpCommand(false);
  program
    .command('help [topic...]')
    .description(`help of a command, or ${TOPICS.join(' · ')}`)

    .action((topic: readonly string[]) => {
      const [first = '', second] = topic;
      if (first !== 'exit-codes' && first !== 'reasons') return commandOf(program, topic).outputHelp();
      (first === 'exit-codes' ? exitCodes() : reasons(second)).forEach((line) => context.io.out(line));
    });
}

function exitCodes(): readonly string[] {
  const rows = EXIT_MEANINGS.map(([code, meaning, again]) => `${String(code).padStart(4)}  ${meaning.padEnd(52)}${again}`.trimEnd());
  return ['exit  meaning                                             the same again?', ...rows];
}

function reasons(code: string | undefined): readonly string[] {
  const all = Object.entries(REASONS).filter(([name]) => code === undefined || name === code.toUpperCase());
  if (all.length === 0) throw new CliFailure(EXIT.notFound, [`There is no reason ${code ?? ''}.`, '  Do       connector help reasons']);
  return all.flatMap(([name, reason]) => [
    `${name}   ${reason.class} · ${reason.owner} · tier ${reason.tier} · evidence ${reason.evidence}`,
    `  ${reason.headline}`,
    ...reason.may.map(({ say, command }) => `  you may    ${say}${command === null ? '' : `:  ${command}`}`),
    ...reason.willNotHelp.map((act) => `  will not   ${act}`),
    '',
  ]);
}

function commandOf(program: Command, topic: readonly string[]): Command {
  let command: Command = program;
  for (const name of topic) {
    const found = command.commands.find((each) => each.name() === name);
    if (found === undefined) throw new CliFailure(EXIT.usage, [`There is no command ${topic.join(' ')}.`, '  Do       connector help']);
    command = found;
  }
  return command;
}
