import { inKeyOrder, inTextOrder } from '@connector/kernel/document-order';
import { closed, DECIMAL, DIGEST, listOf, oneOf, TEXT, type TypeOf, UUID7 } from '@connector/kernel/document-shape';
import { documentKind } from '@connector/kernel/document';

const LIST_MAX = 1000;
const grantShape = closed({ workload_id: TEXT, capabilities: listOf(TEXT, LIST_MAX) });
const dependencyShape = closed({ alias: TEXT, app_id: TEXT, app_release_digest: DIGEST });
const handlerShape = closed({ binding_id: UUID7, capability_id: TEXT, workload_id: TEXT, service_release_digest: DIGEST });
const frontendShape = closed({ binding_id: UUID7, frontend_release_digest: DIGEST });

const candidateShape = closed(
  {
    schema_version: oneOf('nexuscrm.app-installation-candidate/v1'),
    organization_id: TEXT,
    app_installation_id: UUID7,
    attempt: DECIMAL,
    app_id: TEXT,
    app_release_digest: DIGEST,
    dependencies: listOf(dependencyShape, LIST_MAX),
    grants: listOf(grantShape, LIST_MAX),
    handler_bindings: listOf(handlerShape, LIST_MAX),
    /** What the schema owner said is served (cat:PREP-07); step 4 asks again. */
    schema_generation: TEXT,
  },
  { frontend_binding: frontendShape },
);
export type Candidate = TypeOf<typeof candidateShape>;
export type CandidateGrant = Candidate['grants'][number];

/**
 * What was chosen for one attempt and checked: every choice of the operator, resolved. What follows from the release (its namespaces, its
 * handlers) is not chosen and stands in no candidate (cat:INST-05). Its own ids are Catalog's to mint, whatever length somebody else would carry
 * (cat:ID-17). The separator is ours.
 */
export const candidateDocument = documentKind<Candidate>({
  name: 'candidate',
  separator: 'nexuscrm.app-installation-candidate.v1',
  shape: candidateShape,
  arrange: (value) => ({
    ...value,
    dependencies: inKeyOrder(value.dependencies, ({ alias }) => [alias]),
    grants: inGrantOrder(value.grants),
    handler_bindings: inKeyOrder(value.handler_bindings, ({ capability_id: capability }) => [capability]),
  }),
});

export function inGrantOrder(grants: readonly CandidateGrant[]): readonly CandidateGrant[] {
  return inKeyOrder(grants, ({ workload_id: workload }) => [workload]).map((grant) => ({
    ...grant,
    capabilities: inTextOrder(grant.capabilities),
  }));
}
