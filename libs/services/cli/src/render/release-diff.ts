import { RELEASE_PARTS, type ReleaseDiff, type ReleasePart } from '@connector/catalog/model/release-diff';

type Compared = Exclude<ReleaseDiff, { readonly kind: 'other-app' }>;
type Differs = Extract<ReleaseDiff, { readonly kind: 'differs' }>;

const TITLES: Readonly<Record<ReleasePart, string>> = {
  dependencies: 'Dependencies',
  required_protocols: 'Protocols that it needs',
  required_engine_capabilities: 'Engine capabilities that it needs',
  owned_namespaces: 'Namespaces',
  provided_capabilities: 'Capabilities',
  frontend: 'Frontend',
  components: 'Components',
  slots: 'Layout slots',
};

/** What a new or changed part asks of whoever installs it, beside the publication itself. */
const ASKS: Readonly<Partial<Record<ReleasePart, string>>> = {
  dependencies: 'each dependency is resolved anew to a release that is ACTIVE in the organization',
  required_protocols: 'what is offered is asked again: another major or a lower minor refuses the preparation',
  required_engine_capabilities: 'what the engine lacks refuses the preparation',
  owned_namespaces: 'a namespace that another live installation claims, or one above or below it, refuses the preparation',
  provided_capabilities: 'a capability with a service handler needs its binding to an exact service release, and its grants',
  frontend: 'a frontend release has to be bound, or none any more',
  components: 'the schema has to serve every kind and format before it publishes',
  slots: 'the ledger of slots takes a revision only behind the one before it',
};

/** In the words of both the screen and the document. */
const MEANING: readonly string[] = [
  'An installation serves one release by its digest: publishing this one changes none of them.',
  'To take it, an installation needs a new publication, which raises the catalog revision, the activation epoch and the security epoch.',
  'An epoch that serves froze the view of the old one and is not touched. What the new publication shows is served by a new epoch.',
  'An epoch has no successor yet: connector dev reset wipes this machine, releases and installations too, and npm start begins anew.',
];

const touched = ({ parts }: Differs): readonly ReleasePart[] =>
  RELEASE_PARTS.filter((part) => Object.values(parts[part]).some((names: readonly string[]) => names.length > 0));

export function diffDocument(diff: Compared): object {
  if (diff.kind === 'same') return { same: true };
  const parts = touched(diff);
  return {
    ...{ same: false, version_taken: diff.versionTaken },
    parts: Object.fromEntries(parts.map((part) => [part, diff.parts[part]])),
    means: [...asks(diff), ...MEANING],
  };
}

/** What comes, goes and changes, and what that means to whoever runs the first one. */
export function renderReleaseDiff([from, to]: readonly [string, string], diff: Compared): readonly string[] {
  if (diff.kind === 'same') return [`${from} and ${to} are the same release: nothing changes.`];
  return [
    `${from} -> ${to}`,
    ...touched(diff).flatMap((part) => ['', TITLES[part], ...partLines(diff, part)]),
    '',
    'Means',
    ...[...asks(diff), ...MEANING].map((line) => `  ${line}`),
    ...(diff.versionTaken
      ? ['', 'The registry refuses it: the version names the other bytes for ever. Give it another semantic_version.']
      : []),
  ];
}

function partLines({ parts }: Differs, part: ReleasePart): readonly string[] {
  const { added, gone, changed } = parts[part];
  const listed = (label: string, names: readonly string[]) => names.map((name) => `  ${label.padEnd(9)}${name}`);
  return [...listed('new', added), ...listed('gone', gone), ...listed('changed', changed)];
}

function asks(diff: Differs): readonly string[] {
  const lines = touched(diff).flatMap((part) => {
    const { added, changed } = diff.parts[part];
    const line = added.length + changed.length > 0 || part === 'frontend' ? ASKS[part] : undefined;
    return line === undefined ? [] : [`${TITLES[part]}: ${line}.`];
  });
  const gone = diff.parts.provided_capabilities.gone.length > 0;
  return gone ? [...lines, 'Capabilities that go: their bindings stop, and an App that depends on one refuses the change.'] : lines;
}
