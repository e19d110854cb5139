/**
 * open-publication: step 1, a candidate and everything that its publication is expected to make, in one commit
 *
 * why     Whoever finds the journal later, after whatever crash, must be able to go on with exactly what was checked (cat:PUBL-01, cat:PUBL-09).
 * paths   judge-trust, open-publication
 * locks   publisher, app, barrier, lineage, installation
 * fence   the lineage at the revision under which the facts were gathered, with no publication open (decisions 12.4); one live installation of an
 *         App (cat:INST-07); one that there is in the state and at the epoch that the asker saw, going where it may (cat:A-29). Every failed check is told; then nothing but the journal is written.
 * again   The request key. The security command's id was made before the first run.
 */
import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import type { DocumentFault } from '@connector/kernel/document-fault';
import { invariant } from '@connector/kernel/faults';
import { updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catPublicationBarrier } from '@connector/schema/catalog/barriers';
import { catInstallation, catInstallationIdentity, catPublicationStep } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import type { LockedInstallation } from '../../fences/installation';
import { holdLineage, type LockedLineage, markOpen } from '../../fences/lineage';
import type { Attempt } from '../../model/installation/attempt';
import { keepRequest, recallRequest } from '../../fences/request';
import { type AskedInstallation, failed } from '../../model/installation/asked';
import { STATE_OF } from '../../model/installation/candidate-kind';
import { publicationBarrierMachine } from '../../model/installation/barrier';
import { activeFaults } from '../../model/installation/check-dependencies';
import { readerFaults } from '../../model/installation/check-readers';
import { type ExpectedBasis, isPast, type OpenPublication } from '../../model/installation/gathered';
import { overlapFaults } from '../../model/installation/namespaces';
import { ENTRIES, refusalOf } from '../../model/installation/publication';
import { catalogDoors } from '../../model/paths';
import type { RequestKey } from '../../model/request';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';
import { journalConversion } from '../conversion/journal-conversion';
import { openReaders } from '../conversion/open-readers';
import { freezeCandidate } from './freeze-candidate';
import { judgeTrust } from './judge-trust.step';
import { activeApps, dependentsOf, type Organization, readOrganization } from './organization';
import { existingPlace, newPlace, type NotPlaced, type Place } from './place';

export type OpenedPublication =
  | ({ readonly kind: 'opened' } & Attempt)
  /** The journal says which checks failed, under this attempt. */
  | ({ readonly kind: 'refused' } & Attempt)
  /** What was gathered is of the past: gather again. */
  | { readonly kind: 'revision-moved'; readonly catalogRevision: bigint }
  /** The plan that was confirmed was made under another revision or security epoch. */
  | ({ readonly kind: 'expected-moved' } & ExpectedBasis)
  | BarrierHeld
  /** Of a conversion: some check fails now that held when it was proven. */
  | { readonly kind: 'unproven'; readonly faults: readonly DocumentFault[] }
  /** Of a conversion: its attempt was given up, or its App or its source was converted before (cat:CONV-10). */
  | { readonly kind: 'conversion-stands' }
  | NotPlaced;

const ONE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id';
const OPEN = updateRows(
  catInstallation,
  `SET state = :state.next, failed_from = NULL, attempt = :attempt.next, candidate_release_digest = :candidate_release_digest
   ${ONE} AND state = :state AND attempt = :attempt AND activation_epoch = :activation_epoch`,
  'open',
);
/** A refused attempt is counted, and nothing else of it stands in the row. */
const REFUSE = updateRows(catInstallation, `SET attempt = :attempt.next ${ONE} AND state = :state AND attempt = :attempt`, 'refuse');

export function openPublication(db: Db, input: OpenPublication, request: RequestKey): Promise<OpenedPublication> {
  return db.fenced(catalogDoors['open-publication'], async (tx) => {
    const untrusted = await judgeTrust(tx, input.release);
    const held = input.existing === null ? undefined : await passBarrier(tx, { ...input, installation: input.existing.installation });
    if (held !== undefined) return held;
    const { conversion } = input;
    if (conversion !== undefined && untrusted.length > 0) return { kind: 'unproven', faults: untrusted };
    const lineage = await holdLineage(tx, input.organization);
    const before = await recallRequest<OpenedPublication>(tx, request);
    if (before !== undefined) return before;
    const { catalogRevision } = lineage;
    if (catalogRevision !== input.gathered.catalogRevision) return { kind: 'revision-moved', catalogRevision };
    const { securityEpoch } = input.gathered.security;
    if (isPast(input.expected, { catalogRevision, securityEpoch })) return { kind: 'expected-moved', catalogRevision, securityEpoch };
    const organization = await readOrganization(tx, input.organization);
    const { existing } = input;
    const place =
      existing === null ? newPlace(lineage, organization, input) : await existingPlace(tx, lineage, organization, input, existing);
    if (place.kind !== 'place') return place;
    const reading = readerFaults(input.asked, await openReaders(tx, input.organization, input.asked.appId));
    const faults = [...input.gathered.faults, ...untrusted, ...faultsHere(input, organization, place), ...reading];
    if (conversion !== undefined) {
      if (faults.length > 0) return { kind: 'unproven', faults };
      if (!(await journalConversion(tx, conversion, place.installation, request.caller))) return { kind: 'conversion-stands' };
    }
    const answer = faults.length > 0 ? await refuse(tx, input, place, faults) : await open(tx, lineage, organization, input, place);
    await audit(tx, { caller: request.caller, subject: input.organization, details: detailsOf(input, answer) });
    return keepRequest(tx, request, answer);
  });
}

/** The checks that only the organization, held still, can answer. Without a verified release they have no question. */
function faultsHere({ asked, gathered }: OpenPublication, organization: Organization, { installation }: Place): readonly DocumentFault[] {
  const { manifest } = gathered;
  if (manifest === undefined) return [];
  const others = organization.claims.filter((claim) => claim.installation !== installation);
  return [...activeFaults(asked, manifest, activeApps(organization)), ...overlapFaults(manifest, others), ...pinnedBy(organization, asked)];
}

/** Whoever runs on another release of this App runs on exactly that one: what is pinned is not moved under its dependents (cat:A-36). */
function pinnedBy(organization: Organization, { appId, appReleaseDigest }: AskedInstallation): readonly DocumentFault[] {
  return dependentsOf(organization, appId)
    .filter(({ pinned }) => pinned !== appReleaseDigest)
    .map(({ installation, pinned }) =>
      failed('A-36', '/app_release_digest', 'DEPENDENT_PINNED', `${pinned}, as ${installation} is resolved to it`, appReleaseDigest),
    );
}

async function refuse(tx: FencedTx, input: OpenPublication, place: Place, faults: readonly DocumentFault[]): Promise<OpenedPublication> {
  const { installation, attempt, row } = place;
  const key = { organization_id: input.organization, app_installation_id: installation };
  if (row !== undefined) {
    const counted = await tx.cas(REFUSE, { ...key, state: row.state, attempt: row.attempt, 'attempt.next': attempt });
    invariant(counted, 'HOUSE:catalog:CasUnexplained', 'a locked installation moved');
  }
  const { bytes } = ENTRIES.refused.build(refusalOf(input.asked.appReleaseDigest, faults));
  await tx.insert(catPublicationStep, [{ ...key, attempt, step: 'refused', entry: bytes, document: null }]);
  return { kind: 'refused', installation, attempt };
}

async function open(
  tx: FencedTx,
  lineage: LockedLineage,
  organization: Organization,
  input: OpenPublication,
  place: Place,
): Promise<OpenedPublication> {
  const { installation, attempt } = place;
  await (place.row === undefined ? begin(tx, input, place) : move(tx, input, place, place.row));
  await freezeCandidate(tx, lineage, organization, { ...input, installation, attempt });
  await markOpen(tx, lineage, place);
  return { kind: 'opened', installation, attempt };
}

async function begin(tx: FencedTx, { organization, asked }: OpenPublication, { installation, attempt }: Place): Promise<void> {
  const key = { organization_id: organization, app_installation_id: installation };
  await tx.insert(catInstallationIdentity, [{ ...key, app_id: asked.appId }]);
  await tx.insert(catInstallation, [
    {
      ...key,
      live_app_id: asked.appId,
      state: 'PREPARING',
      failed_from: null,
      attempt,
      active_release_digest: null,
      candidate_release_digest: asked.appReleaseDigest,
      last_active_release_digest: null,
      active_attempt: null,
      active_security_epoch: null,
      active_revision: null,
      activation_epoch: 0n,
    },
  ]);
  const open = { ...key, state: publicationBarrierMachine.initial, attempt_id: null, receipt: null };
  await tx.insert(catPublicationBarrier, [{ ...open, barrier_fence: 0n as BarrierFence, holder_fence: 0n as BarrierHolderFence }]);
}

/** What is ACTIVE stays as it is beside the candidate (cat:INST-T03, cat:INST-T06). */
async function move(
  tx: FencedTx,
  { organization, asked, existing }: OpenPublication,
  { installation, attempt }: Place,
  row: LockedInstallation,
): Promise<void> {
  const moved = await tx.cas(OPEN, {
    organization_id: organization,
    app_installation_id: installation,
    state: row.state,
    'state.next': STATE_OF[existing?.kind ?? 'install'],
    attempt: row.attempt,
    'attempt.next': attempt,
    activation_epoch: row.activation_epoch,
    candidate_release_digest: asked.appReleaseDigest,
  });
  invariant(moved, 'HOUSE:catalog:CasUnexplained', 'a locked installation moved');
}

function detailsOf({ asked, commandId }: OpenPublication, answer: OpenedPublication) {
  const at = 'attempt' in answer ? { installation: answer.installation, attempt: answer.attempt.toString() } : {};
  const command = answer.kind === 'opened' ? { command_id: commandId } : {};
  return { kind: answer.kind, app_id: asked.appId, app_release_digest: asked.appReleaseDigest, ...at, ...command };
}
