import { by, doubles, fresh, type Commit } from './invariant';
import type { Rows } from './rows';

type Release = Rows['releases'][number];
const releaseKey = ({ app_id, release_digest }: Release): string => `${app_id} ${release_digest}`;
const versionKey = ({ app_id, semantic_version }: Release): string => `${app_id} ${semantic_version}`;

/** A version and a digest name one another once and for ever, and what is registered stays as it is (cat:REG-02, cat:REG-07). */
export function releasesStay({ before, after }: Commit): readonly string[] {
  const now = by(after.releases, releaseKey);
  const gone = before.releases.filter((row) => JSON.stringify(now.get(releaseKey(row)), bigints) !== JSON.stringify(row, bigints));
  return [
    ...gone.map((row) => `${releaseKey(row)} is another one`),
    ...doubles(after.releases.map(versionKey)).map((key) => `${key} has two digests`),
  ];
}

const bigints = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);

/** An App has one owner, its epoch rises by one a commit with an event that names both, and a release is its owner's of that epoch (cat:PUB-08). */
export function ownersRise({ before, after }: Commit): readonly string[] {
  const was = by(before.owners, ({ app_id }) => app_id);
  const events = by(after.ownerships, ({ app_id, ownership_epoch }) => `${app_id} ${ownership_epoch}`);
  const steps = after.owners.flatMap((owner) => {
    const old = was.get(owner.app_id);
    const same = old?.ownership_epoch === owner.ownership_epoch && old.publisher_id === owner.publisher_id;
    const event = events.get(`${owner.app_id} ${owner.ownership_epoch}`);
    const named = event?.new_publisher_id === owner.publisher_id && (same || event.old_publisher_id === (old?.publisher_id ?? null));
    const isNext = same || owner.ownership_epoch === (old?.ownership_epoch ?? 0n) + 1n;
    return isNext && named ? [] : [`${owner.app_id} went from ${old?.ownership_epoch} to ${owner.ownership_epoch} without its event`];
  });
  const owners = by(after.owners, ({ app_id }) => app_id);
  const foreign = fresh(before.releases, after.releases, releaseKey).filter((release) => {
    const owner = owners.get(release.app_id);
    return owner?.publisher_id !== release.publisher_id || owner.ownership_epoch !== release.ownership_epoch;
  });
  const unowned = after.apps.filter(({ app_id }) => !owners.has(app_id));
  return [
    ...steps,
    ...foreign.map((release) => `${versionKey(release)} is not its owner's`),
    ...unowned.map(({ app_id }) => `${app_id} is reserved and nobody's`),
  ];
}

interface OfSlot {
  readonly app_id: string;
  readonly local_component_key: string;
}
const slotOf = ({ app_id, local_component_key }: OfSlot): string => `${app_id} ${local_component_key}`;

/** The head of a slot is its last revision, revisions have no hole and stay, and each cites the target before it (cat:SLOT-29 to SLOT-33). */
export function ledgerGrows({ before, after }: Commit): readonly string[] {
  const nodes = by(after.slotRevisions, (row) => `${slotOf(row)} ${row.definition_version}`);
  const kept = before.slotRevisions.filter(
    (row) => nodes.get(`${slotOf(row)} ${row.definition_version}`)?.revision_digest !== row.revision_digest,
  );
  const heads = by(after.slotHeads, slotOf);
  const torn = after.slots.filter((slot) => {
    const of = after.slotRevisions.filter((row) => slotOf(row) === slotOf(slot));
    const head = heads.get(slotOf(slot));
    return (
      head === undefined ||
      of.length !== head.head_definition_version ||
      nodes.get(`${slotOf(slot)} ${of.length}`)?.revision_digest !== head.head_revision_digest
    );
  });
  const strays = after.slotRevisions.filter((row) => {
    const previous = nodes.get(`${slotOf(row)} ${row.definition_version - 1}`);
    return row.previous_target_component_id !== (previous?.target_component_id ?? null);
  });
  return [
    ...kept.map((row) => `${slotOf(row)} ${row.definition_version} is another revision`),
    ...torn.map((slot) => `${slotOf(slot)} has a head that is not its last revision`),
    ...strays.map((row) => `${slotOf(row)} ${row.definition_version} does not cite the target before it`),
  ];
}
