import { bindingMachine } from '@connector/catalog/model/installation/binding';
import { CANDIDATE_STATES, installationMachine } from '@connector/catalog/model/installation/installation';
import { by, doubles, fresh, type Commit } from './invariant';
import type { Rows } from './rows';

type Installation = Rows['installations'][number];
const keyOf = ({ organization_id, app_installation_id }: Pick<Installation, 'organization_id' | 'app_installation_id'>): string =>
  `${organization_id} ${app_installation_id}`;
const waits = ({ state }: Installation): boolean => CANDIDATE_STATES.some((one) => one === state);
/** A removal is open until it is withdrawn, and what FAILED may have an abandonment open. */
const mayBeOpen = (row: Installation): boolean => waits(row) || row.state === 'REMOVING' || row.state === 'FAILED';

/** One live installation of an App, one open publication of an organization, and that is the one whose candidate waits (decisions 12.4). */
export function oneOpens({ after }: Commit): readonly string[] {
  const live = after.installations.flatMap((row) => (row.live_app_id === null ? [] : [`${row.organization_id} ${row.live_app_id}`]));
  const open = new Map(after.lineages.map((row) => [row.organization_id, row]));
  const lost = after.installations.filter((row) => {
    const lineage = open.get(row.organization_id);
    const isOpen = lineage?.open_installation_id === row.app_installation_id && lineage.open_attempt === row.attempt;
    return isOpen ? !mayBeOpen(row) : waits(row);
  });
  return [
    ...doubles(live).map((key) => `${key} lives twice`),
    ...lost.map((row) => `${keyOf(row)} is ${row.state} and ${waits(row) ? 'nobody’s open publication' : 'an open publication'}`),
  ];
}

/** A tuple comes with the next activation epoch and a revision of its own, and each capability of it has one ACTIVE binding. */
export function tuplesArePublished({ before, after }: Commit): readonly string[] {
  const earlier = by(before.installations, keyOf);
  return after.installations.flatMap((row) => {
    const was = earlier.get(keyOf(row));
    const epoch = was?.activation_epoch ?? 0n;
    const published = row.activation_epoch !== epoch;
    const taken = after.revisions.length - before.revisions.length;
    const active = after.heldBindings.filter((one) => one.app_installation_id === row.app_installation_id && one.state === 'ACTIVE');
    return [
      ...(published && row.activation_epoch !== epoch + 1n ? [`${keyOf(row)} went from epoch ${epoch} to ${row.activation_epoch}`] : []),
      ...(published && taken !== 1 ? [`${keyOf(row)} was published with ${taken} revisions`] : []),
      ...(published && active.length !== (row.active_attempt === null ? 0 : 1)
        ? [`${keyOf(row)} is ACTIVE with ${active.length} ACTIVE bindings`]
        : []),
      ...doubles(active.map((one) => one.capability_id)).map((capability) => `${keyOf(row)} has two ACTIVE bindings of ${capability}`),
      ...moveOf(was, row),
    ];
  });
}

function moveOf(was: Installation | undefined, row: Installation): readonly string[] {
  const from = installationMachine.parse(was?.state ?? 'ABSENT');
  const to = installationMachine.parse(row.state);
  return from === to || installationMachine.allows(from, to) ? [] : [`${keyOf(row)} went from ${from} to ${to}`];
}

/** Only listed moves of a binding, nothing refers to one that never served, and a capability's epochs are each of one binding (cat:BIND-04, cat:BIND-11). */
export function bindingsKept({ before, after }: Commit): readonly string[] {
  const refers = new Set(after.references.flatMap(({ open_binding_id: binding }) => (binding === null ? [] : [binding])));
  const earlier = by(before.heldBindings, ({ binding_id: binding }) => binding);
  const epochs = after.heldBindings.flatMap((row) =>
    row.ownership_epoch === null ? [] : [`${row.app_installation_id} ${row.capability_id} ${row.ownership_epoch}`],
  );
  return [
    ...doubles(epochs).map((key) => `epoch ${key} is of two bindings`),
    ...after.heldBindings.flatMap((row) => {
      const from = earlier.get(row.binding_id)?.state;
      const moved =
        from === undefined || from === row.state || bindingMachine.allows(bindingMachine.parse(from), bindingMachine.parse(row.state));
      return moved ? [] : [`${row.binding_id} went from ${from} to ${row.state}`];
    }),
    ...after.heldBindings
      .filter((row) => row.state === 'FAILED' && refers.has(row.binding_id))
      .map((row) => `${row.binding_id} never served and is referred to`),
  ];
}

/** A binding is staged for what its installation is then, or is to be; never for what it was (cat:BIND-02, cat:A-33). */
export function stagedForWhatServes({ before, after }: Commit): readonly string[] {
  const installations = by(after.installations, keyOf);
  return fresh(before.bindings, after.bindings, ({ binding_id: binding }) => binding).flatMap((row) => {
    const { active_release_digest: active, candidate_release_digest: candidate } = installations.get(keyOf(row)) ?? {};
    const stands = row.app_release_digest === active || row.app_release_digest === candidate;
    return stands ? [] : [`${row.binding_id} is staged for a release in which ${keyOf(row)} neither is nor is to be`];
  });
}
