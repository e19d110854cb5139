import type { Command } from 'commander';
import { commonOf, type Context, withCommon } from '../context';
import { CliFailure, EXIT } from '../exit';
import { type Members, textOf } from '../members';
import { comparedRelease } from '../releases/compared';
import { checkLocalRelease, faultLines, readLocalRelease } from '../releases/local-release';
import { publishRelease } from '../releases/publish';
import { readKeyFile } from '../releases/signing-key';
import { diffDocument, renderReleaseDiff } from '../render/release-diff';
import { renderRow } from '../render/table';
import { unnamedLines } from '../render/unnamed';
import { diffReleases } from '@connector/catalog/model/release-diff';
import { askingOf } from './write';
import { explained } from './examples';

const HELP = `
A release is a folder: manifest.json, bundle.json, and in behaviors/ one file for each component. A component means its behavior by its
content digest, so the files may be called anything. What is registered is bytes, so the files are taken as they are and have to be
canonical (RFC 8785). With --canonicalize the JSON files may be written for people: each is taken in the canonical form of its value, and
every digest is of that form. No file is changed, nothing is put in order and no digest is filled in: a fault says which one is right.

Examples
  connector releases validate ./desk                                every fault at once, with its place and its rule; nothing has to run
  connector releases diff dev.north.desk@1.0.0 ./desk               what it means for installations before it is published
  connector releases publish ./desk --key ./north.key               signs it here and registers it; nothing serves it by that
  connector releases get dev.north.desk@1.0.0

Exit  0 valid, the same or registered · 2 faulty · 3 refused, or the version is used by other bytes`;

export function addReleases(program: Command, context: Context): void {
  const group = program.command('releases').description('releases of Apps: validate · publish · get · diff');
  addValidate(group, context);
  addPublish(group, context);
  addGet(group, context);
  addDiff(group, context);
  explained(group, HELP);
}

const withForm = (command: Command): Command =>
  withCommon(command).option('--canonicalize', 'take the canonical form of JSON files that were written for people');

function addValidate(group: Command, context: Context): void {
  const command = withForm(group.command('validate <folder>').description('every fault of a release, as its publication would find them'));
  command.action(async (folder: string, given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const local = await readLocalRelease(folder, given['canonicalize'] === true);
    const check = checkLocalRelease(local);
    if (check.kind === 'faulty') {
      const { faults, more } = check;
      const unnamed = local.unnamed.map(({ file, digests }) => ({ file, digests }));
      context.print(options, { valid: false, errors: faults, errors_more: more, unnamed }, () => [
        ...faultLines(local, check),
        ...unnamedLines(local.unnamed),
      ]);
      context.exit = EXIT.usage;
      return;
    }
    const { appId, semanticVersion, releaseDigest, bundleDigest, bundle } = check.release;
    const document = {
      valid: true,
      app_id: appId,
      semantic_version: semanticVersion,
      release_digest: releaseDigest,
      bundle_digest: bundleDigest,
    };
    context.print(options, document, () => [
      `${appId} ${semanticVersion} is valid: ${bundle.components.length} components, ${releaseDigest}.`,
      ...unnamedLines(local.unnamed),
      `  Next     connector releases publish ${folder} --key <file>`,
    ]);
  });
}

function addPublish(group: Command, context: Context): void {
  const command = withForm(group.command('publish <folder>').description('sign a release here and register it; nothing serves it by that'))
    .requiredOption('--key <file>', 'a key of the publisher, as keygen made it; it is not sent')
    .option('--idempotency-key <key>', 'the key of a try whose answer was lost');
  command.action(async (folder: string, given: Readonly<Record<string, unknown>>) => {
    const key = await readKeyFile(textOf(given['key']));
    const local = await readLocalRelease(folder, given['canonicalize'] === true);
    const answer = await publishRelease(await context.api(), local, key, askingOf(command, context));
    context.print(commonOf(command, context.io), answer, () => [
      `${textOf(answer['app_id'])} ${textOf(answer['semantic_version'])} is ${textOf(answer['kind'])} under ${textOf(answer['publisher_id'])}.`,
      `  Digest   ${textOf(answer['release_digest'])}`,
      `  Next     connector releases get ${textOf(answer['app_id'])}@${textOf(answer['semantic_version'])}`,
    ]);
  });
}

const DOCUMENTS = ['manifest_base64', 'bundle_base64', 'attestation_base64', 'signature_base64'];

function addGet(group: Command, context: Context): void {
  const command = withCommon(
    group.command('get <release>').description('one release: <app>@<version> or <app>@sha256:<digest>; --json has its bytes'),
  );
  command.action(async (text: string) => {
    const options = commonOf(command, context.io);
    const shown = await (await context.api()).get(releasePath(text));
    context.print(options, shown, () => renderRow(without(shown, DOCUMENTS), options.color));
  });
}

const without = (shown: Members, names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(shown).filter(([name]) => !names.includes(name)));

function releasePath(text: string): string {
  const [, app, release] = REGISTERED.exec(text) ?? [];
  if (app === undefined || release === undefined) {
    throw new CliFailure(EXIT.usage, [`A release is <app>@<version> or <app>@sha256:<64 hex digits>, found ${JSON.stringify(text)}.`]);
  }
  return `/v1/releases/${encodeURIComponent(app)}/${encodeURIComponent(release)}`;
}
const REGISTERED = /^([^@/\\]{1,128})@([^@/\\]{1,128})$/;

function addDiff(group: Command, context: Context): void {
  const command = withForm(
    group
      .command('diff <from> <to>')
      .description('what a change means for installations and epochs; each a folder, or a release that is registered'),
  );
  command.addHelpText('after', '\nA registered one is named by <app>@<version> or <app>@sha256:<digest>; for that the services must run.');
  command.action(async (from: string, to: string, given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const read = async (text: string) =>
      comparedRelease(
        REGISTERED.test(text)
          ? { kind: 'registered', shown: await (await context.api()).get(releasePath(text)) }
          : { kind: 'local', local: await readLocalRelease(text, given['canonicalize'] === true) },
      );
    const diff = diffReleases(await read(from), await read(to));
    if (diff.kind === 'other-app') throw new CliFailure(EXIT.usage, [`${from} and ${to} are of two Apps, not two releases of one.`]);
    context.print(options, diffDocument(diff), () => renderReleaseDiff([from, to], diff));
  });
}
