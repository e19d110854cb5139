import type { Command } from 'commander';
import { KeyId } from '@connector/catalog/model/signing';
import { argument } from '@connector/kernel/faults';
import { commonOf, type Context, withCommon } from '../context';
import { CliFailure, EXIT } from '../exit';
import { listOf, type Members, textOf, textsOf } from '../members';
import { makeKeyFile } from '../releases/signing-key';
import { renderTable } from '../render/table';
import { instantText } from '../render/time';
import { act, withActOptions } from './act';
import { further, pageQuery, withPage, withWriteOptions, write } from './write';
import { explained } from './examples';

const HELP = `
A publisher is a name that you trust, and the keys that speak for it, each for a time. The private half of a key never leaves the file
that keygen makes; what you add is the public half.

Examples
  connector publishers list --limit 50
  connector publishers get dev.north                                     its keys and their windows
  connector publishers keygen --out ./north.key                          makes a key and prints its public half
  connector publishers add dev.north                                     trusts the name, for Apps under dev.north
  connector publishers add-key dev.north <public key>                    accepts the key from now on
  connector publishers revoke-key dev.north ed25519:... --plan           what a revocation would do`;

export function addPublishers(program: Command, context: Context): void {
  const group = program
    .command('publishers')
    .description('whom you trust to release Apps: list · get · add · keygen · add-key · revoke-key');
  addList(group, context);
  addGet(group, context);
  addAdd(group, context);
  addKeygen(group, context);
  addAddKey(group, context);
  addRevokeKey(group, context);
  explained(group, HELP);
}

function addList(group: Command, context: Context): void {
  const command = withPage(group.command('list').description('registered publishers, by id'));
  command.action(async (given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const page = await (await context.api()).get(`/v1/publishers?${pageQuery(given)}`);
    const rows = listOf(page['rows']);
    context.print(options, page, () => [
      ...(rows.length === 0 ? ['no publishers'] : renderTable(rows, ['publisher_id', 'registered_at'], options.color)),
      ...further('connector publishers list', given, page['next']),
    ]);
  });
}

function addGet(group: Command, context: Context): void {
  const command = withCommon(group.command('get <publisher>').description('one publisher: its prefixes, its keys and their windows'));
  command.action(async (publisher: string) => {
    const options = commonOf(command, context.io);
    const shown = await (await context.api()).get(`/v1/publishers/${encodeURIComponent(publisher)}`);
    context.print(options, shown, () => shownLines(shown, options.color));
  });
}

function shownLines(shown: Members, color: boolean): readonly string[] {
  const keys = listOf(shown['keys']);
  return [
    `${textOf(shown['publisher_id'])}   registered ${textOf(shown['registered_at'])}`,
    `reserves   ${textsOf(shown['app_prefixes']).join(' ')}`,
    '',
    ...(keys.length === 0 ? ['no keys'] : renderTable(keys, ['key_id', 'valid_from', 'valid_until', 'revoked_at', 'reason'], color)),
    ...(shown['more'] === true ? ['there are more: the 100 newest are shown; revoke-key takes any'] : []),
  ];
}

function addAdd(group: Command, context: Context): void {
  const command = withWriteOptions(group.command('add <publisher>').description('trust a publisher')).option(
    '--app-prefix <prefix...>',
    'where it may reserve AppIDs; its own id where nothing is said',
  );
  command.action(async (publisher: string, given: Readonly<Record<string, unknown>>) => {
    const prefixes = given['appPrefix'];
    await write(command, context, {
      path: '/v1/publishers',
      body: { publisher_id: publisher, ...(prefixes === undefined ? {} : { app_prefixes: prefixes }) },
      done: (answer) => [
        `${textOf(answer['publisher_id'])} is ${textOf(answer['kind'])}, for Apps under ${textsOf(answer['app_prefixes']).join(' ')}.`,
        `  Next     connector publishers add-key ${publisher} <public key>`,
      ],
    });
  });
}

function addKeygen(group: Command, context: Context): void {
  const command = withCommon(group.command('keygen').description('make a signing key in a file of yours; nothing is sent')).requiredOption(
    '--out <file>',
    'where the private key is written, for you alone; never over a file that is there',
  );
  command.action(async (given: Readonly<Record<string, unknown>>) => {
    const { keyId, publicKey } = await makeKeyFile(textOf(given['out']));
    const document = { key_id: keyId, public_key_base64: publicKey.toString('base64') };
    context.print(commonOf(command, context.io), document, () => [
      `${textOf(given['out'])} has the private key. Keep it: nobody else has it, and it is not shown again.`,
      `  Key      ${document.key_id}`,
      `  Public   ${document.public_key_base64}`,
      `  Next     connector publishers add-key <publisher> ${document.public_key_base64}`,
    ]);
  });
}

function addAddKey(group: Command, context: Context): void {
  const command = withWriteOptions(group.command('add-key <publisher> <public-key>').description('accept a key of a publisher for a time'))
    .option('--valid-from <instant>', 'RFC 3339 in UTC with six digits; now where nothing is said')
    .option('--valid-until <instant>', 'the first instant at which it is not accepted any more; none where nothing is said');
  command.action(async (publisher: string, publicKey: string, given: Readonly<Record<string, unknown>>) => {
    const { validFrom = instantText(context.io.now()), validUntil } = given;
    const until = validUntil === undefined ? {} : { valid_until: validUntil };
    await write(command, context, {
      path: '/v1/publishers/add-key',
      body: { publisher_id: publisher, public_key_base64: checked(publicKey), valid_from: validFrom, ...until },
      done: (answer) => [
        `${textOf(answer['key_id'])} is ${textOf(answer['kind'])} for ${publisher}.`,
        `  Next     connector publishers get ${publisher}`,
      ],
    });
  });
}

/** Whoever pastes a private key here must be told before it is sent anywhere. */
function checked(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') === text && bytes.length === 32) return text;
  throw new CliFailure(EXIT.usage, ['A public key is 32 bytes in base64, as keygen prints it. Nothing was sent.']);
}

function addRevokeKey(group: Command, context: Context): void {
  const command = withActOptions(group.command('revoke-key <publisher> <key>').description('accept nothing more that a key signs')).option(
    '--reason <text>',
    'why; it stands with the revocation',
  );
  command.action(async (publisher: string, key: string) => {
    const named = { publisher_id: publisher, key_id: argument('<key>', KeyId, key) };
    await act(command, context, {
      subject: key,
      needsReason: true,
      plan: (api) => api.post('/v1/publishers/plan-revoke-key', named),
      confirm: (api, { digest, operationId, by, reason }) =>
        api.confirm('/v1/publishers/revoke-key', { ...named, confirm: digest, operation_id: operationId, by, reason }),
      done: (answer) => [`${textOf(answer['key_id'])} is ${textOf(answer['kind'])}.`, `  Next     connector publishers get ${publisher}`],
    });
  });
}
