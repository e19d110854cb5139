/**
 * publish: step 4, the candidate becomes the ACTIVE tuple, whole
 *
 * why     One commit makes revision, tuple, epoch, bindings, claims and views visible together, or none of them (cat:PUBL-07, cat:INST-16).
 * paths   pass-barrier, publish, publish-views
 * locks   barrier, lineage, installation, ownership heads
 * fence   the attempt is the open one; the candidate is in a state that waits for its step 4; what the journal says was compiled and acknowledged is
 *         what step 1 said to expect; the schema is the one that was prepared against.
 * again   Installation and attempt: a published attempt answers with what it published.
 */
import type { Lineage } from '@connector/kernel/digest-profile';
import { invariant } from '@connector/kernel/faults';
import { readRows, updateRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catCandidate, catInstallation, catPublicationStep } from '@connector/schema/catalog/installations';
import { audit } from '../../fences/audit';
import { activeTuple, lockInstallation, type LockedInstallation } from '../../fences/installation';
import { isOpen, type LockedLineage, lockLineage, markClosed, takeRevision } from '../../fences/lineage';
import type { Attempt } from '../../model/installation/attempt';
import { isReleaseKind } from '../../model/installation/candidate-kind';
import { CANDIDATE_STATES } from '../../model/installation/installation';
import { ENTRIES, type NextStep, nextStep, publishedLineage, STEPS } from '../../model/installation/publication';
import { catalogDoors } from '../../model/paths';
import { publishViews } from '../publish-views.step';
import { activateBindings } from './activate-bindings';
import { type Agreed, agreementOf, type Disagreement } from './agreement';
import { attemptKey, readSteps, rowOf } from './journal';
import { closeClaims } from './claims';
import { type BarrierHeld, passBarrier } from '../barrier/pass-barrier.step';

export interface Publish extends Attempt {
  readonly organization: string;
  /** What the schema owner says now (cat:PREP-07); step 4 is refused where it is not what was prepared against. */
  readonly schemaGeneration: string;
}
export type Published =
  | { readonly kind: 'published' | 'already-published'; readonly lineage: Lineage }
  /** The attempt is not the open one: it ended, or it never was. */
  | { readonly kind: 'not-open' }
  /** A step is missing before this one. */
  | { readonly kind: 'too-early'; readonly next: NextStep }
  /** Something that was acknowledged is not what step 1 said to expect. */
  | { readonly kind: 'disagrees'; readonly with: Disagreement }
  | BarrierHeld;

const CANDIDATE = readRows(
  catCandidate,
  ['kind', 'app_release_digest', 'document', 'document_digest', 'tuple_digest', 'command_id', 'expected_prior_epoch', 'projection_digest'],
  'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND attempt = :attempt',
);
const ONE = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id';
const PUBLISH = updateRows(
  catInstallation,
  `SET state = 'ACTIVE', failed_from = NULL, candidate_release_digest = NULL,
       active_release_digest = :active_release_digest, last_active_release_digest = :active_release_digest,
       active_attempt = :attempt, active_security_epoch = :active_security_epoch, active_revision = :active_revision,
       activation_epoch = :activation_epoch.next
   ${ONE} AND state IN (:state) AND attempt = :attempt AND activation_epoch = :activation_epoch`,
  'publish',
);
export function publish(db: Db, input: Publish): Promise<Published> {
  const { organization } = input;
  return db.fenced(catalogDoors.publish, async (tx) => {
    const held = await passBarrier(tx, input);
    if (held !== undefined) return held;
    const lineage = await lockLineage(tx, organization);
    if (lineage === undefined) return { kind: 'not-open' };
    const row = await lockInstallation(tx, organization, input.installation);
    const steps = await readSteps(tx, organization, input);
    const standing = steps.get('published');
    if (standing !== undefined) return { kind: 'already-published', lineage: publishedLineage(standing.entry) };
    if (row === undefined || !isOpen(lineage, input) || !waitsForStep4(row)) return { kind: 'not-open' };
    const next = nextStep(STEPS.filter((step) => steps.has(step)));
    if (next !== 'publish') return next === undefined ? { kind: 'not-open' } : { kind: 'too-early', next };
    const [candidate] = await tx.read(CANDIDATE, attemptKey(organization, input));
    invariant(candidate !== undefined, 'HOUSE:catalog:CandidateMissing', 'an open attempt has no candidate');
    if (!isReleaseKind(candidate.kind)) return { kind: 'not-open' };
    const agreed = agreementOf(candidate, { compiled: rowOf(steps, 'compiled'), acknowledged: rowOf(steps, 'acknowledged') }, input);
    if (agreed.kind === 'disagrees') return agreed;
    return { kind: 'published', lineage: await activate(tx, { lineage, row, input, agreed }) };
  });
}

const waitsForStep4 = ({ state }: LockedInstallation): boolean => CANDIDATE_STATES.some((one) => one === state);

interface Step4 {
  readonly lineage: LockedLineage;
  readonly row: LockedInstallation;
  readonly input: Publish;
  readonly agreed: Agreed;
}

async function activate(tx: FencedTx, step: Step4): Promise<Lineage> {
  const { lineage, row, input, agreed } = step;
  const { organization, installation, attempt } = input;
  const key = { organization_id: organization, app_installation_id: installation };
  await activateBindings(tx, key, agreed.candidate);
  await closeClaims(tx, input, ({ namespaceId }) => !agreed.tuple.namespaces.includes(namespaceId));
  const activationEpoch = row.activation_epoch + 1n;
  const { tupleDigest, projectionDigest, securityEpoch } = agreed;
  const tuple = { attempt, activationEpoch, tupleDigest, projectionDigest, securityEpoch };
  const catalogRevision = await takeRevision(tx, lineage, { cause: 'publication', installation, tuple });
  const published = { lineageId: lineage.lineageId, catalogRevision, activationEpoch };
  await move(tx, step, published);
  await publishViews(tx, activeTuple(organization, installation, agreed.document), published);
  await markClosed(tx, lineage, input);
  const { bytes: entry } = ENTRIES.published.build({
    lineage_id: published.lineageId,
    catalog_revision: catalogRevision.toString(),
    activation_epoch: activationEpoch.toString(),
  });
  await tx.insert(catPublicationStep, [{ ...key, attempt, step: 'published', entry, document: null }]);
  const details = { installation, catalog_revision: catalogRevision.toString(), activation_epoch: activationEpoch.toString() };
  await audit(tx, {
    caller: 'catalog',
    subject: organization,
    details: { ...details, app_release_digest: agreed.candidate.app_release_digest },
  });
  return published;
}

async function move(tx: FencedTx, { row, input, agreed }: Step4, { catalogRevision, activationEpoch }: Lineage): Promise<void> {
  const moved = await tx.cas(PUBLISH, {
    organization_id: input.organization,
    app_installation_id: input.installation,
    state: CANDIDATE_STATES,
    attempt: input.attempt,
    active_release_digest: agreed.candidate.app_release_digest,
    active_security_epoch: agreed.securityEpoch,
    active_revision: catalogRevision,
    activation_epoch: row.activation_epoch,
    'activation_epoch.next': activationEpoch,
  });
  invariant(moved, 'HOUSE:catalog:CasUnexplained', `the open attempt of ${input.installation} moved under its lock`);
}
