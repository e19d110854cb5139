import type { Command } from 'commander';

export const inOrganization = (command: Command): Command => command.requiredOption('--organization <id>', 'whose installation it is');
