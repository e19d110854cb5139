import type { Command } from 'commander';
import { Digest } from '@connector/kernel/digest';
import { jcs } from '@connector/kernel/jcs';
import { parseStrict } from '@connector/kernel/strict-json';
import type { ComparedPack } from '@connector/packs/model/pack-diff';
import { type CommonOptions, commonOf, type Context, withCommon } from '../context';
import { CliFailure, EXIT } from '../exit';
import { keepingLine, keepPublished } from '../kept';
import { listOf, type Members, textOf } from '../members';
import { checkLocalPack, type LocalCheck, type LocalPack, readLocalPack } from '../packs/local-pack';
import { renderFaults } from '../render/faults';
import { MEANING, namedAs, renderDiff, renderDigests, renderGeneration } from '../render/pack';
import { renderTable } from '../render/table';
import { explained } from './examples';

const HELP = `
A pack is a folder with a pack.json. What is registered is a generation: its bytes, known by their digest, for ever.
validate, digest and diff look at files alone; nothing has to run.

Examples
  connector packs validate libs/shipped-packs/tern-desk         every fault at once, with its place and its rule
  connector packs digest libs/shipped-packs/tern-desk           what it would be registered under
  connector packs diff dev.example.tern-desk@1.2.0 ./tern-desk   what the change means before it is published
  connector packs publish ./tern-desk --organization org-1      registers it; nothing serves it by that alone
  connector packs list --limit 50
  connector packs get dev.example.tern-desk@1.2.0               what is in it, and which epochs rely on it

Exit  0 valid, the same or registered · 2 faulty · 3 the version is used by other bytes`;

export function addPacks(program: Command, context: Context): void {
  const group = program.command('packs').description('pack generations: validate · digest · diff · publish · list · get');
  addValidate(group, context);
  addDigest(group, context);
  addDiff(group, context);
  addPublish(group, context);
  addList(group, context);
  addGet(group, context);
  explained(group, HELP);
}

function addValidate(group: Command, context: Context): void {
  const command = withCommon(group.command('validate <pack>').description('every fault of a pack, as publication would find them'));
  command.action(async (path: string) => {
    const options = commonOf(command, context.io);
    const local = await readLocalPack(path);
    const check = await checkLocalPack(local);
    if (check.kind === 'faulty') return faulty(context, options, local, check);
    const { ownerPack, packVersion, manifest, definitions } = check.pack;
    const document = { valid: true, ...{ owner_pack: ownerPack, pack_version: packVersion, payload_digest: manifest.digest } };
    context.print(options, document, () => [
      `${ownerPack} ${packVersion} is valid: ${definitions.length} definitions, ${manifest.digest}.`,
      `  Next     connector packs publish ${path} --organization <id>`,
    ]);
  });
}

function addDigest(group: Command, context: Context): void {
  const command = withCommon(
    group.command('digest <pack>').description('the digest that a pack would be registered under, and those in it'),
  );
  command.action(async (path: string) => {
    const options = commonOf(command, context.io);
    const local = await readLocalPack(path);
    const check = await checkLocalPack(local);
    if (check.kind === 'faulty') return faulty(context, options, local, check);
    const { ownerPack, packVersion, manifest, definitions } = check.pack;
    const document = {
      ...{ owner_pack: ownerPack, pack_version: packVersion, payload_digest: manifest.digest },
      definitions: definitions.map((one) => ({ ...namedAs(one), canonical_definition_digest: one.digest })),
    };
    context.print(options, document, () => renderDigests(check.pack, options.color));
  });
}

function faulty(context: Context, options: CommonOptions, { name }: LocalPack, { faults, more }: Faulty): void {
  context.print(options, { valid: false, errors: faults, errors_more: more }, () => renderFaults(name, { faults, more }, 'PACK_FAULTY'));
  context.exit = EXIT.usage;
}
type Faulty = Extract<LocalCheck, { readonly kind: 'faulty' }>;

function addDiff(group: Command, context: Context): void {
  const command = withCommon(
    group
      .command('diff <from> <to>')
      .description('what a change means for installations and epochs; each a pack here, or one that is registered'),
  );
  command.addHelpText('after', '\nA registered one is named by <pack>@<version> or sha256:<digest>; for that the services must run.');
  command.action(async (from: string, to: string) => {
    const options = commonOf(command, context.io);
    const { diffPacks } = await import('@connector/packs/model/pack-diff.js');
    const diff = diffPacks(await compared(context, from), await compared(context, to));
    if (diff.kind === 'other-pack') throw new CliFailure(EXIT.usage, [`${from} and ${to} are two packs, not two generations of one.`]);
    const document =
      diff.kind === 'same'
        ? { same: true }
        : {
            ...{ same: false, version_taken: diff.versionTaken, unchanged: diff.unchanged },
            ...{ added: diff.added.map(namedAs), gone: diff.gone.map(namedAs), changed: diff.changed.map(namedAs) },
            means: MEANING.map(([label, text]) => `${label} ${text}`.trim()),
          };
    context.print(options, document, () => renderDiff([from, to], diff));
  });
}

const REGISTERED = /^sha256:[0-9a-f]{64}$|^[^@/\\]+@[^@/\\]+$/;

async function compared(context: Context, text: string): Promise<ComparedPack> {
  if (REGISTERED.test(text)) return registered(await (await context.api()).get(`/v1/packs/${encodeURIComponent(text)}`));
  const local = await readLocalPack(text);
  const check = await checkLocalPack(local);
  if (check.kind === 'faulty') throw failureOf(local, check);
  const { packManifest } = await import('@connector/packs/model/documents.js');
  return { manifest: packManifest.parse(check.pack.manifest.bytes).value, payloadDigest: check.pack.manifest.digest };
}

/** Compared by what was registered, and only if that is what its digest says. */
async function registered(shown: Members): Promise<ComparedPack> {
  const { packManifest } = await import('@connector/packs/model/documents.js');
  const given = parseStrict(Buffer.from(JSON.stringify(shown['manifest'] ?? null), 'utf8'));
  const payloadDigest = Digest.parse(textOf(shown['payload_digest']));
  const { value: manifest, digest } = packManifest.parse(jcs(given.ok ? given.value : null));
  if (digest !== payloadDigest) throw new CliFailure(EXIT.failed, [`The manifest of ${payloadDigest} has the digest ${digest}.`]);
  return { manifest, payloadDigest };
}

function failureOf({ name }: LocalPack, { faults, more }: Faulty): CliFailure {
  return new CliFailure(EXIT.usage, renderFaults(name, { faults, more }, 'PACK_FAULTY'), { errors: faults, errors_more: more });
}

function addPublish(group: Command, context: Context): void {
  const command = withCommon(
    group
      .command('publish <pack>')
      .description('register a pack as a generation, installed for an organization; nothing serves it by that'),
  ).requiredOption('--organization <id>', 'whose pack it is');
  command.action(async (path: string, given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const local = await readLocalPack(path);
    const check = await checkLocalPack(local);
    if (check.kind === 'faulty') throw failureOf(local, check);
    const body = { organization: textOf(given['organization']), pack_base64: local.bytes.toString('base64'), by: context.io.user };
    const answer = await (await context.api()).post('/v1/packs', body);
    const keeping = await keepPublished(context, body.organization, check.pack.manifest.digest, local.bytes);
    context.print(options, { ...answer, keeping }, () => [
      `${textOf(answer['owner_pack'])} ${textOf(answer['pack_version'])} is ${textOf(answer['kind'])}.`,
      `  Digest   ${textOf(answer['payload_digest'])}`,
      keepingLine(keeping, 'once a membership names it, connector dev reset keeps it, and npm start then begins with it'),
      `  Next     connector packs get ${textOf(answer['payload_digest'])}`,
    ]);
  });
}

function addList(group: Command, context: Context): void {
  const command = withCommon(group.command('list').description('registered generations, by pack and version'))
    .option('--after <pack@version>', 'behind this one')
    .option('--limit <n>', 'at most 200', '50');
  command.action(async (given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const query = new URLSearchParams();
    for (const name of ['after', 'limit']) if (typeof given[name] === 'string') query.set(name, given[name]);
    const page = await (await context.api()).get(`/v1/packs?${query.toString()}`);
    const rows = listOf(page['rows']);
    const columns = ['owner_pack', 'pack_version', 'payload_digest', 'registered_at'];
    const next = textOf(page['next']);
    context.print(options, page, () => [
      ...(rows.length === 0 ? ['no packs'] : renderTable(rows, columns, options.color)),
      ...(next === '' ? [] : ['', `more: connector packs list --limit ${query.get('limit') ?? ''} --after ${next}`]),
    ]);
  });
}

function addGet(group: Command, context: Context): void {
  const command = withCommon(
    group
      .command('get <generation>')
      .description('one generation by its digest or <pack>@<version>: what is in it, and which epochs rely on it'),
  );
  command.action(async (text: string) => {
    const options = commonOf(command, context.io);
    const shown = await (await context.api()).get(`/v1/packs/${encodeURIComponent(text)}`);
    context.print(options, shown, () => renderGeneration(shown, options.color));
  });
}
