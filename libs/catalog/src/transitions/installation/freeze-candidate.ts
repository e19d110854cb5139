import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catBinding, catBindingState, catCandidate, catNamespaceClaim, catPublicationStep } from '@connector/schema/catalog/installations';
import { projectionOf } from '@connector/security/contract/projection';
import type { LockedLineage } from '../../fences/lineage';
import type { Attempt } from '../../model/installation/attempt';
import { FRONTEND } from '../../model/installation/binding';
import { type Candidate, candidateDocument } from '../../model/installation/candidate';
import { candidateOf } from '../../model/installation/candidate-of';
import type { OpenPublication } from '../../model/installation/gathered';
import { ENTRIES } from '../../model/installation/publication';
import { compileTuple, handlerOf } from '../../model/installation/tuple';
import type { AppManifest } from '../../model/manifest';
import { grantsOf, type Organization, roomFor, servingBeside } from './organization';

type Freeze = OpenPublication & Attempt;

/**
 * Of an attempt whose checks all hold: the candidate, the digests to expect of its projections, the epoch that the security command follows, the
 * staged bindings and the claims (cat:PUBL-01). The epoch that Runtime will take is nobody's to say here (cat:PUBL-02).
 */
export async function freezeCandidate(tx: FencedTx, lineage: LockedLineage, organization: Organization, input: Freeze): Promise<void> {
  const { manifest, security } = input.gathered;
  invariant(manifest !== undefined, 'HOUSE:catalog:Unverified', 'a candidate of a release that was not verified');
  const candidate = candidateDocument.build(candidateOf(lineage.now, input));
  const { value } = candidateDocument.parse(candidate.bytes);
  const grants = grantsOf(input.organization, [...servingBeside(organization, input.installation), value]);
  const projection = projectionOf(grants.bytes, security.otherInputsDigest);
  const key = { organization_id: input.organization, app_installation_id: input.installation };
  await tx.insert(catCandidate, [
    {
      ...key,
      attempt: input.attempt,
      kind: input.existing?.kind ?? 'install',
      app_release_digest: value.app_release_digest,
      document: candidate.bytes,
      document_digest: candidate.digest,
      tuple_digest: compileTuple(value, manifest).digest,
      command_id: input.commandId,
      expected_prior_epoch: security.securityEpoch,
      other_inputs_digest: security.otherInputsDigest,
      app_grants: grants.bytes,
      projection_digest: projection.digest,
    },
  ]);
  await stageBindings(tx, key, value, manifest, input.gathered.receipts);
  await claim(tx, organization, input, manifest);
  const { bytes } = ENTRIES.opened.build({
    candidate_digest: candidate.digest,
    expected_prior_epoch: security.securityEpoch.toString(),
    command_id: input.commandId,
  });
  await tx.insert(catPublicationStep, [{ ...key, attempt: input.attempt, step: 'opened', entry: bytes, document: null }]);
}

interface Staged {
  readonly binding_id: string;
  readonly capability_id: string;
  readonly handler_ref: string | null;
  readonly workload_id: string | null;
  readonly artifact_digest: Digest;
}

/** One row for who serves what, which never changes, and one for its state (cat:BIND-02). No epoch yet: its activation takes it (cat:A-32). */
async function stageBindings(
  tx: FencedTx,
  key: { readonly organization_id: string; readonly app_installation_id: string },
  candidate: Candidate,
  manifest: AppManifest,
  receipts: ReadonlyMap<string, Buffer>,
): Promise<void> {
  const { handler_bindings: handlers, frontend_binding: frontend, app_release_digest } = candidate;
  const staged: readonly Staged[] = [
    ...handlers.map(({ service_release_digest: artifact, ...binding }) => ({
      ...binding,
      handler_ref: handlerOf(manifest, binding.capability_id),
      artifact_digest: artifact,
    })),
    ...(frontend === undefined ? [] : [frontendRow(frontend)]),
  ];
  if (staged.length === 0) return;
  await tx.insert(
    catBinding,
    staged.map((row) => ({
      ...key,
      app_release_digest,
      ...row,
      compatibility_receipt: receipts.get(row.capability_id) ?? Buffer.alloc(0),
    })),
  );
  await tx.insert(
    catBindingState,
    staged.map(({ binding_id, capability_id }) => ({
      ...key,
      binding_id,
      capability_id,
      state: 'STAGED',
      ownership_epoch: null,
      active_capability_id: null,
    })),
  );
}

function frontendRow({ binding_id, frontend_release_digest }: NonNullable<Candidate['frontend_binding']>): Staged {
  return { binding_id, capability_id: FRONTEND, handler_ref: null, workload_id: null, artifact_digest: frontend_release_digest };
}

/** Candidates claim too (cat:A-16). What the installation claimed in an earlier attempt it holds already. */
async function claim(
  tx: FencedTx,
  organization: Organization,
  input: Freeze,
  { owned_namespaces: namespaces }: AppManifest,
): Promise<void> {
  const { claims } = organization;
  const held = new Set(claims.filter(({ installation }) => installation === input.installation).map(({ namespaceId }) => namespaceId));
  const fresh = namespaces.filter((namespace) => !held.has(namespace));
  roomFor(organization, { live: input.existing === null ? 1 : 0, claims: fresh.length });
  if (fresh.length === 0) return;
  await tx.insert(
    catNamespaceClaim,
    fresh.map((namespace) => ({
      organization_id: input.organization,
      namespace_id: namespace,
      app_installation_id: input.installation,
      attempt: input.attempt,
      open_namespace_id: namespace,
    })),
  );
}
