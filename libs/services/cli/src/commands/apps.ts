import type { Command } from 'commander';
import { PublisherId } from '@connector/catalog/model/identifier';
import { transferStatement } from '@connector/catalog/model/ownership-statements';
import { argument } from '@connector/kernel/faults';
import { commonOf, type Context, withCommon } from '../context';
import { listOf, type Members, membersOf, textOf } from '../members';
import { readKeyFile } from '../releases/signing-key';
import { renderTable } from '../render/table';
import { act, withActOptions } from './act';
import { expectedOf, requireSeen } from './expected';
import { further, pageQuery, withPage, withWriteOptions, write } from './write';
import { explained } from './examples';

const HELP = `
An App belongs to the publisher that released it first. It changes hands in two steps: its owner signs an offer, and the operator accepts it.
Where the owner lost its keys nobody can sign: then the operator recovers it, and says why. Releases from before stay as they are.

Examples
  connector apps list --limit 50
  connector apps get dev.north.desk                                        owner, offers, releases
  connector apps transfer dev.north.desk --to dev.south --key ./north.key  the owner's offer; nothing moves by it
  connector apps accept dev.north.desk sha256:... --plan                   what accepting it would do
  connector apps recover dev.north.desk --to dev.south --plan              what a recovery would do`;

export function addApps(program: Command, context: Context): void {
  const group = program.command('apps').description('whose App it is: list · get · transfer · accept · recover');
  addList(group, context);
  addGet(group, context);
  addTransfer(group, context);
  addAccept(group, context);
  addRecover(group, context);
  explained(group, HELP);
}

const appPath = (app: string): string => `/v1/apps/${encodeURIComponent(app)}`;

function addList(group: Command, context: Context): void {
  const command = withPage(group.command('list').description('reserved Apps, by id'));
  command.action(async (given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const page = await (await context.api()).get(`/v1/apps?${pageQuery(given)}`);
    const rows = listOf(page['rows']);
    context.print(options, page, () => [
      ...(rows.length === 0 ? ['no Apps'] : renderTable(rows, ['app_id', 'publisher_id', 'ownership_epoch'], options.color)),
      ...further('connector apps list', given, page['next']),
    ]);
  });
}

function addGet(group: Command, context: Context): void {
  const command = withCommon(group.command('get <app>').description('one App: owner, how it came to be, offers, releases'));
  command.action(async (app: string) => {
    const options = commonOf(command, context.io);
    const shown = await (await context.api()).get(appPath(app));
    context.print(options, shown, () => shownLines(shown, options.color));
  });
}

/** How one that is not shown is looked at. */
const BEYOND: Readonly<Record<string, string>> = {
  releases: '; connector releases get <app>@<version> shows any',
  offers: '; connector apps accept <app> <transfer> --plan shows any',
};

function shownLines(shown: Members, color: boolean): readonly string[] {
  const table = (title: string, member: string, columns: readonly string[]): readonly string[] => {
    const rows = listOf(shown[member]);
    const more = membersOf(shown['more'])[member] === true ? [`there are more: at most 100 are shown${BEYOND[member] ?? ''}`] : [];
    return ['', title, ...(rows.length === 0 ? ['none'] : renderTable(rows, columns, color)), ...more];
  };
  return [
    `${textOf(shown['app_id'])}   of ${textOf(shown['publisher_id'])}, ownership epoch ${textOf(shown['ownership_epoch'])}`,
    ...table('Releases', 'releases', ['semantic_version', 'release_digest', 'publisher_id', 'registered_at']),
    ...table('Offers', 'offers', ['transfer_id', 'new_publisher_id', 'offered_at']),
    ...table('Owners', 'events', ['ownership_epoch', 'kind', 'old_publisher_id', 'new_publisher_id', 'accepted_by', 'at']),
  ];
}

function addTransfer(group: Command, context: Context): void {
  const command = withWriteOptions(
    group.command('transfer <app>').description('sign an offer to give an App away; the operator accepts it'),
  )
    .requiredOption('--to <publisher>', 'who gets it')
    .requiredOption('--key <file>', 'a key of the owner, as keygen made it; it is not sent');
  command.action(async (app: string, given: Readonly<Record<string, unknown>>) => {
    const key = await readKeyFile(textOf(given['key']));
    const shown = await (await context.api()).get(appPath(app));
    const statement = transferStatement.build({
      app_id: app,
      expected_ownership_epoch: textOf(shown['ownership_epoch']),
      from_publisher_id: textOf(shown['publisher_id']),
      key_id: key.keyId,
      to_publisher_id: argument('--to', PublisherId, textOf(given['to'])),
    }).bytes;
    const signed = {
      statement_base64: statement.toString('base64'),
      signature_base64: base64(key.sign(transferStatement.separator, statement)),
    };
    await write(command, context, {
      path: '/v1/apps/transfer',
      body: { app_id: app, ...signed },
      done: (answer) => [
        `${app} is offered to ${textOf(answer['new_publisher_id'])}. It stays where it is until the operator accepts.`,
        `  Next     connector apps accept ${app} ${textOf(answer['transfer_id'])} --plan`,
      ],
    });
  });
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');
const moved = (answer: Members): readonly string[] => [
  `${textOf(answer['app_id'])} is of ${textOf(answer['publisher_id'])} now, ownership epoch ${textOf(answer['ownership_epoch'])}.`,
  `  Next     connector apps get ${textOf(answer['app_id'])}`,
];

function addAccept(group: Command, context: Context): void {
  const command = withActOptions(group.command('accept <app> <transfer>').description('give an App to whom its owner offered it'));
  command.action(async (app: string, transfer: string) => {
    const named = { app_id: app, transfer_id: transfer };
    await act(command, context, {
      subject: app,
      needsReason: false,
      plan: (api) => api.post('/v1/apps/plan-accept', named),
      confirm: (api, { digest, operationId, by }) =>
        api.confirm('/v1/apps/accept', { ...named, confirm: digest, operation_id: operationId, by }),
      done: moved,
    });
  });
}

function addRecover(group: Command, context: Context): void {
  const command = withActOptions(
    group.command('recover <app>').description('give an App to another publisher, because its owner lost its keys'),
  )
    .requiredOption('--to <publisher>', 'who gets it')
    .option('--from <publisher>', 'who had it when you looked; with --confirm, as the plan says')
    .option('--expected-epoch <n>', 'the ownership epoch when you looked; with --confirm, as the plan says')
    .option('--reason <text>', 'why; it stands in the audit');
  command.action(async (app: string, given: Readonly<Record<string, unknown>>) => {
    const to = { app_id: app, to_publisher_id: textOf(given['to']) };
    let seen: Members = { publisher_id: given['from'], ownership_epoch: given['expectedEpoch'] };
    if (given['confirm'] !== undefined) requireSeen(seen, ['--from', '--expected-epoch']);
    await act(command, context, {
      subject: app,
      needsReason: true,
      plan: async (api) => {
        const planned = await api.post('/v1/apps/plan-recover', to);
        seen = expectedOf(planned);
        return planned;
      },
      confirm: (api, { digest, operationId, by, reason }) => {
        const expected = { from_publisher_id: textOf(seen['publisher_id']), expected_ownership_epoch: textOf(seen['ownership_epoch']) };
        return api.confirm('/v1/apps/recover', { ...to, ...expected, confirm: digest, operation_id: operationId, by, reason });
      },
      done: moved,
    });
  });
}
