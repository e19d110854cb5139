import type { Command } from 'commander';

/** The words of a group below its help, and below that of each of its commands those examples that show it. */
export function explained(group: Command, help: string): void {
  group.addHelpText('after', help);
  for (const command of group.commands) {
    const shown = help.split('\n').filter((line) => line.startsWith(`  connector ${group.name()} ${command.name()} `));
    if (shown.length > 0) command.addHelpText('after', ['', 'Examples', ...shown].join('\n'));
  }
}
