import type { Command } from 'commander';
import { commonOf, type Context, withCommon } from '../context';
import { CliFailure, EXIT } from '../exit';
import { readJsonFile } from '../json-file';
import { listOf, type Members, membersOf, textOf } from '../members';
import { renderTable } from '../render/table';
import { withWriteOptions, write } from './write';
import { explained } from './examples';

const HELP = `
A membership is all that one workload is wanted to have in an installation: definitions of packs, each by the digest of its generation. It is
replaced whole, under the catalog revision that you saw. What serves is what an epoch froze: a membership changes none of that.

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
    await write(command, context, {
      path: '/v1/membership',
      body: { ...{ organization, installation, workload, bindings }, expected_catalog_revision: textOf(given['expectedRevision']) },
      done: (answer) => [
        `The membership of ${workload} is ${textOf(answer['kind'])} at catalog revision ${textOf(answer['catalog_revision'])}.`,
        '  The epoch that serves goes on with the view that it froze; the next one freezes this.',
        '  An epoch has no successor yet: connector dev reset wipes this machine, this membership and what was published too, and npm start',
        '  begins with the packs that stand in libs/shipped-packs then.',
        `  Next     connector membership show ${installation} --organization ${organization} --workload ${workload}`,
      ],
    });
  });
}
