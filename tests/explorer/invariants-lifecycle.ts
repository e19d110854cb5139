import { by, type Commit } from './invariant';
import type { Rows } from './rows';

type Installation = Rows['installations'][number];
const keyOf = ({ organization_id, app_installation_id }: Pick<Installation, 'organization_id' | 'app_installation_id'>): string =>
  `${organization_id} ${app_installation_id}`;
const HELD: readonly string[] = ['STAGED', 'ACTIVE', 'DRAINING'];

/** What is withdrawn has no tuple and no ACTIVE binding; a tombstone has no live name and no binding that is held, and stays as it is. */
export function tombstonesStand({ before, after }: Commit): readonly string[] {
  const earlier = by(before.installations, keyOf);
  return after.installations.flatMap((row) => {
    if (row.state !== 'REMOVED') return [];
    const was = earlier.get(keyOf(row));
    const held = after.heldBindings.filter((one) => keyOf(one) === keyOf(row) && HELD.includes(one.state));
    return [
      ...(row.live_app_id === null && row.active_attempt === null ? [] : [`${keyOf(row)} is REMOVED and lives or serves`]),
      ...held.map((one) => `${keyOf(row)} is REMOVED and its binding ${one.binding_id} is ${one.state}`),
      ...(was?.state === 'REMOVED' && !sameRow(was, row) ? [`${keyOf(row)} was REMOVED and moved`] : []),
    ];
  });
}

const sameRow = (left: Installation, right: Installation): boolean =>
  left.state === right.state && left.attempt === right.attempt && left.activation_epoch === right.activation_epoch;
