import { by, fresh, pairs, text, type Commit } from './invariant';
import type { Rows } from './rows';

type CatalogBarrier = Rows['barriers'][number];
type Row = Pick<CatalogBarrier, 'state' | 'barrier_fence' | 'holder_fence' | 'attempt_id'>;
interface Place {
  readonly organization_id: string;
  readonly app_installation_id: string;
}
const placeOf = ({ organization_id, app_installation_id }: Place): string => `${organization_id} ${app_installation_id}`;
const isHeld = ({ state }: Row): boolean => state === 'held';

/** Fences never go back; a hold has a fence of its own, and is of one attempt from its first commit to its last. */
export function holdsStand({ before, after }: Commit): readonly string[] {
  return [
    ...pairs(before.barriers, after.barriers, placeOf).flatMap(([old, now]) => moved(placeOf(now), old, now)),
    ...pairs(before.packBarriers, after.packBarriers, ({ organization_id }) => organization_id).flatMap(([old, now]) =>
      moved(now.organization_id, old, now),
    ),
  ];
}

function moved(name: string, old: Row, now: Row): readonly string[] {
  const begun = !isHeld(old) && isHeld(now);
  const same = isHeld(old) && isHeld(now) && old.barrier_fence === now.barrier_fence;
  return [
    ...(now.holder_fence >= old.holder_fence ? [] : [`the holder fence of ${name} went back`]),
    ...(begun && now.holder_fence === old.holder_fence ? [`${name} is held anew under a fence that was used`] : []),
    ...(now.barrier_fence === old.barrier_fence + (begun ? 1n : 0n) ? [] : [`the barrier fence of ${name} did not count its holds`]),
    ...(same && old.attempt_id !== now.attempt_id ? [`the hold of ${name} went to another attempt`] : []),
    ...(isHeld(now) === (now.attempt_id !== null) ? [] : [`${name} is ${now.state} and ${text(now.attempt_id)} stands in it`]),
  ];
}

/** While a barrier is held nothing is authored behind it, and its receipt is of the view that stands. */
export function authorsWait({ before, after }: Commit): readonly string[] {
  const held = new Set(after.barriers.filter(isHeld).map(placeOf));
  const still = before.barriers.filter((row) => isHeld(row) && held.has(placeOf(row))).map(placeOf);
  const stillPacks = new Set(
    pairs(before.packBarriers, after.packBarriers, ({ organization_id }) => organization_id)
      .filter(([old, now]) => isHeld(old) && isHeld(now))
      .map(([, now]) => now.organization_id),
  );
  return [
    ...still
      .filter((place) => authored(before, place) !== authored(after, place))
      .map((place) => `${place} was authored while it was held`),
    ...fresh(before.packGenerations, after.packGenerations, text)
      .filter(({ organization_id }) => stillPacks.has(organization_id))
      .map(({ owner_pack, pack_version }) => `${owner_pack}@${pack_version} was registered while its organization was held`),
    ...after.barriers
      .filter((row) => isHeld(row) && !saysWhatStands(row, after))
      .map((row) => `the receipt of ${placeOf(row)} is of another view`),
  ];
}

function authored({ installations, memberships, heldBindings, pointers }: Rows, place: string): string {
  const here = (rows: readonly Place[]): readonly Place[] => rows.filter((row) => placeOf(row) === place);
  return text([installations, memberships, heldBindings, pointers].map(here));
}

function saysWhatStands({ receipt, ...row }: CatalogBarrier, { pointers, views }: Rows): boolean {
  const said = JSON.parse(receipt ?? '{}') as { readonly authorized_workload_id?: string; readonly view_digest?: string };
  const current = by(
    views,
    ({ authorized_workload_id, catalog_revision, ...at }) => `${placeOf(at)} ${authorized_workload_id} ${catalog_revision}`,
  );
  const pointer = pointers.find((one) => placeOf(one) === placeOf(row) && one.authorized_workload_id === said.authorized_workload_id);
  const view = pointer && current.get(`${placeOf(pointer)} ${pointer.authorized_workload_id} ${pointer.catalog_revision}`);
  return view !== undefined && view.view_digest === said.view_digest;
}
