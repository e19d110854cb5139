import type { Command } from 'commander';
import { commonOf, type Context, withCommon } from '../context';
import { CliFailure, EXIT } from '../exit';
import { readJsonFile } from '../json-file';
import { keepingLine, keepSet } from '../kept';
import { listOf, type Members, membersOf, textOf } from '../members';
import { renderTable } from '../render/table';
import { askingOf, withWriteOptions } from './write';
import { explained } from './examples';

const HELP = `
A membership is all that one workload is wanted to have in an installation: definitions of packs, each by the digest of its generation. It is
replaced whole, under the catalog revision that you saw. What serves is what an epoch froze: a membership changes none of that. An epoch has
no successor yet; on one machine a set membership is kept, and is what npm start begins with after connector dev reset.

Examples
  connector membership show 018f... --organization org-1 --workload dev.north.runner
  connector membership set 018f... ./bindings.json --organization org-1 --workload dev.north.runner --expected-revision 4`;

export function addMembership(program: Command, context: Context): void {
  const group = program.command('membership').description('what a workload is wanted to have: show · set');
  addShow(group, context);
  addSet(group, context);
  explained(group, HELP);
}

const ofWorkload = (command: Command): Command =>
  command.requiredOption('--organization <id>', 'whose installation it is').requiredOption('--workload <id>', 'whose membership it is');

function addShow(group: Command, context: Context): void {
  const command = ofWorkload(
    withCommon(group.command('show <installation>').description('the view of a workload, as an epoch would freeze it now')),
  );
  command.action(async (installation: string, given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const place = [given['organization'], installation, given['workload']].map((part) => encodeURIComponent(textOf(part))).join('/');
    const shown = await (await context.api()).get(`/v1/membership/${place}`);
    context.print(options, shown, () => shownLines(shown, options.color));
  });
}

function shownLines(shown: Members, color: boolean): readonly string[] {
  const bindings = listOf(membersOf(shown['view'])['bindings']);
  const columns = ['kind', 'owner_pack', 'business_key', 'definition_version', 'pack_payload_digest'];
  return [
    `${textOf(shown['workload'])}   view ${textOf(shown['view_digest'])} of revision ${textOf(membersOf(shown['lineage'])['catalog_revision'])}`,
    `The organization is at catalog revision ${textOf(shown['catalog_revision'])}.`,
    '',
    ...(bindings.length === 0 ? ['no bindings'] : renderTable(bindings, columns, color)),
  ];
}

function addSet(group: Command, context: Context): void {
  const command = ofWorkload(
    withWriteOptions(
      group.command('set <installation> <file>').description('replace a membership whole; the file has the list of bindings'),
    ),
  ).requiredOption('--expected-revision <n>', 'the catalog revision that you saw');
  command.action(async (installation: string, file: string, given: Readonly<Record<string, unknown>>) => {
    const bindings = await readJsonFile(file);
    if (!Array.isArray(bindings)) throw new CliFailure(EXIT.usage, [`${file} has no list of bindings.`]);
    const [organization, workload] = [textOf(given['organization']), textOf(given['workload'])];
    const wanted = { organization, installation, workload, bindings, expected_catalog_revision: textOf(given['expectedRevision']) };
    const answer = await (await context.api()).confirm('/v1/membership', { ...wanted, ...askingOf(command, context) });
    const keeping = await keepSet(context, { organization, installation, workload });
    context.print(commonOf(command, context.io), { ...answer, keeping }, () => [
      `The membership of ${workload} is ${textOf(answer['kind'])} at catalog revision ${textOf(answer['catalog_revision'])}.`,
      '  The epoch that serves goes on with the view that it froze, and an epoch has no successor yet.',
      keepingLine(keeping, 'connector dev reset keeps this and the packs in it; npm start then begins with it and serves it'),
      `  Next     connector membership show ${installation} --organization ${organization} --workload ${workload}`,
    ]);
  });
}
