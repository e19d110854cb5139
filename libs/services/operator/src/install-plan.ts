import { closed, DECIMAL, oneOf } from '@connector/kernel/document-shape';
import { jcs, type JsonObject } from '@connector/kernel/jcs';
import { Digest } from '@connector/kernel/digest';
import { BodyFault } from '@connector/platform/host/problem';
import { some, STRING } from './api/shapes';
import type { Plan } from './plan';

/** What a plan of an installation binds: the request as it was given, and the two counters that it was checked under. */
export interface InstallPlan {
  readonly organization: string;
  readonly request: JsonObject;
  readonly catalogRevision: string;
  readonly securityEpoch: string;
}

/** What the catalog finds when it is asked for the plan of a release. */
export const PREPARED = {
  ...{ kind: oneOf('prepared'), semantic_version: STRING, schema_generation: STRING, namespaces: some(STRING) },
  handlers: some(closed({ capability_id: STRING, handler_ref: STRING })),
  ...{ catalog_revision: DECIMAL, security_epoch: DECIMAL },
};

export const nextOf = (counter: string): string => (BigInt(counter) + 1n).toString();

/**
 * The ordered steps of a publication (cat:PUBL-01 to PUBL-08) with what each expects. Made of the request and the counters alone, so that a
 * confirmation makes the same plan again.
 */
export function installPlan({ organization, request, catalogRevision, securityEpoch }: InstallPlan): Plan {
  const [app, release] = [textIn(request, 'app_id'), textIn(request, 'app_release_digest')];
  return {
    ...{ schema: 'connector.plan/v1', verb: 'installs.install', subject: app, rung: 2 },
    expected: {
      ...{ organization, app_release_digest: release, request_digest: Digest.sha256(jcs(request)) },
      ...{ state: 'ABSENT', activation_epoch: '0', catalog_revision: catalogRevision, security_epoch: securityEpoch },
    },
    steps: [
      `lock ${organization} at revision ${catalogRevision}; freeze the candidate ${release}; ABSENT -> PREPARING`,
      'compile its tuple and its grants again, from committed rows alone; both digests as the candidate says',
      `Runtime security takes the grants: epoch ${securityEpoch} -> ${nextOf(securityEpoch)}, under one command`,
      `publish: PREPARING -> ACTIVE, activation epoch 0 -> 1, revision ${catalogRevision} -> ${nextOf(catalogRevision)}`,
    ],
    then: [
      'its bindings are ACTIVE, and its namespaces are its own in the organization',
      'no workload is served by it until a membership says so and an epoch froze that view',
    ],
    way_back: ['a step that fails leaves it FAILED, with what was there before unchanged; it is resumed, or taken away'],
  };
}

export function textIn(request: JsonObject, member: string): string {
  const held = request[member];
  if (typeof held === 'string') return held;
  throw new BodyFault([{ pointer: `/request/${member}`, detail: `${member} must be a text` }]);
}
