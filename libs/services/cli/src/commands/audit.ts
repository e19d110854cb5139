import type { Command } from 'commander';
import { commonOf, type Context } from '../context';
import { listOf } from '../members';
import { renderTable } from '../render/table';
import { explained } from './examples';
import { further, pageQuery, withPage } from './write';

const HELP = `
Of every change: the door that made it, when, and who asked for it: the role of the token, and the person behind it.

Examples
  connector audit list dev.north.desk      an App: transfers, recoveries, releases
  connector audit list org-1               an organization: installs, upgrades, removals, its packs, who held its authors off
  connector audit list 018f...             an installation: its bindings`;

export function addAudit(program: Command, context: Context): void {
  const group = program.command('audit').description('who changed what in the catalog and the pack registry: list');
  const command = withPage(
    group.command('list <subject>').description('about an App, a publisher, an organization or an installation; latest first'),
  );
  explained(group, HELP);
  command.action(async (subject: string, given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const page = await (await context.api()).get(`/v1/audit/${encodeURIComponent(subject)}?${pageQuery(given)}`);
    const rows = listOf(page['rows']).map(({ details, ...row }) => ({ ...row, details: JSON.stringify(details) }));
    const columns = ['at', 'caller', 'door', 'details'];
    context.print(options, page, () => [
      ...(rows.length === 0 ? [`nothing is written about ${subject}`] : renderTable(rows, columns, options.color)),
      ...further(`connector audit list ${subject}`, given, page['next']),
    ]);
  });
}
