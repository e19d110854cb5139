import type { BuiltPack } from '@connector/packs/engine/build-pack';
import type { DefinitionName, PackDiff } from '@connector/packs/model/pack-diff';
import { listOf, type Members, membersOf, textOf, textsOf } from '../members';
import { renderTable } from './table';

export function renderDigests({ ownerPack, packVersion, manifest, definitions }: BuiltPack, color: boolean): readonly string[] {
  const rows = definitions.map((one) => ({ ...namedAs(one), digest: one.digest }));
  return [
    `${ownerPack} ${packVersion}   ${manifest.digest}`,
    '',
    ...(rows.length === 0 ? ['no definitions'] : renderTable(rows, ['kind', 'business_key', 'definition_version', 'digest'], color)),
  ];
}

export function renderGeneration(shown: Members, color: boolean): readonly string[] {
  const row = (label: string, text: string): string => `${label.padEnd(14)}${text}`;
  const definitions = listOf(membersOf(shown['manifest'])['definitions']);
  const columns = ['kind', 'business_key', 'definition_version', 'canonical_definition_digest'];
  return [
    `${textOf(shown['owner_pack'])} ${textOf(shown['pack_version'])}   ${textOf(shown['payload_digest'])}`,
    row('registered', `${textOf(shown['registered_at'])} as ${textOf(shown['storage_id'])}`),
    ...listOf(shown['installations']).map((one) =>
      row('installed', `${textOf(one['organization'])} as ${textOf(one['pack_installation_id'])}`),
    ),
    row('pinned by', textsOf(shown['pinned_by']).join(' ') || 'no epoch'),
    '',
    ...(definitions.length === 0 ? ['no definitions'] : renderTable(definitions, columns, color)),
  ];
}

export const namedAs = ({ kind, businessKey, definitionVersion }: DefinitionName) => ({
  ...{ kind, business_key: businessKey, definition_version: definitionVersion },
});

/** What the change means to whoever runs the first one: for bindings of an installation, and for epochs. */
export function renderDiff(names: readonly [string, string], diff: Exclude<PackDiff, { readonly kind: 'other-pack' }>): readonly string[] {
  const [from, to] = names;
  if (diff.kind === 'same') return [`${from} and ${to} are the same generation: nothing changes.`];
  const { added, gone, changed, unchanged } = diff;
  return [
    `${from} -> ${to}`,
    ...listed('new', added),
    ...listed('gone', gone),
    ...listed('changed', changed),
    `  ${'the same'.padEnd(9)}${unchanged}`,
    '',
    ...MEANING.map(([label, text]) => `${label.padEnd(15)}${text}`),
    ...(diff.versionTaken ? ['Registry       refuses it: the version is used by the other bytes; give it another pack_version'] : []),
  ];
}

const listed = (label: string, items: readonly DefinitionName[]): readonly string[] =>
  items.map(({ kind, businessKey, definitionVersion }) => `  ${label.padEnd(9)}${kind} ${businessKey} ${definitionVersion}`);

/** In the words of both the screen and the document. */
export const MEANING: readonly (readonly [string, string])[] = [
  [
    'Installations',
    'keep what they have: a binding names its generation by digest. To take the new one, every binding of the pack is set anew,',
  ],
  ['', 'those that are gone are left out, and those that are new are authorized or not.'],
  ['Epochs', 'the one that serves froze the old generation and pins it: it is not touched, whatever is published.'],
  ['', 'The new one serves under a new epoch. An epoch has no successor yet: publish it and set it, then connector dev reset'],
  ['', 'wipes this machine but what was set here, and npm start begins with that.'],
];
