import { Digest } from '@connector/kernel/digest';
import { jcs, type JsonObject } from '@connector/kernel/jcs';
import { nextOf, textIn } from './install-plan';
import type { Plan } from './plan';

/** What is done to an installation that there is, and asked for by a plan. */
export const MOVE_VERBS = ['upgrade', 'rollback', 'remove', 'abandon'] as const;
export type MoveVerb = (typeof MOVE_VERBS)[number];

/** As the plan found it. An abandonment publishes nothing, so it is bound to the attempt in place of the two counters. */
export interface MoveExpected {
  readonly state: string;
  readonly activation_epoch: string;
  readonly catalog_revision?: string;
  readonly security_epoch?: string;
  readonly attempt?: string;
}
export interface Move {
  readonly verb: MoveVerb;
  readonly organization: string;
  readonly installation: string;
  /** The choices of an upgrade, the release of a rollback; the others choose nothing. */
  readonly request: JsonObject;
  readonly expected: MoveExpected;
}
type Words = Pick<Plan, 'steps' | 'then' | 'way_back'>;

const CANDIDATE_OF = { upgrade: 'UPGRADING', rollback: 'ROLLING_BACK' } as const;

function change(move: Move & { readonly verb: keyof typeof CANDIDATE_OF }): Words {
  const { verb, organization, installation, request } = move;
  const { state, activation_epoch: epoch, catalog_revision: revision = '', security_epoch: security = '' } = move.expected;
  const at = `${installation} --organization ${organization}`;
  return {
    steps: [
      `lock ${organization} at revision ${revision}; freeze the candidate ${textIn(request, 'app_release_digest')}; ${state} -> ${CANDIDATE_OF[verb]}`,
      'compile its tuple and its grants again, from committed rows alone; both digests as the candidate says',
      `Runtime security takes the grants: epoch ${security} -> ${nextOf(security)}, under one command`,
      `publish: ${CANDIDATE_OF[verb]} -> ACTIVE, activation epoch ${epoch} -> ${nextOf(epoch)}, revision ${revision} -> ${nextOf(revision)}`,
    ],
    then: [
      'until the last step what serves now is all that anybody is given',
      'the bindings of the release before drain, and retire once nothing refers to them',
      'an epoch of the connector keeps the view that it froze',
    ],
    way_back: [
      `before the last step: connector installs abandon ${at}`,
      'after it: connector installs rollback, to the release that serves now',
    ],
  };
}

function removal({ organization, installation, expected }: Move): Words {
  const { state, activation_epoch: epoch, catalog_revision: revision = '', security_epoch: security = '' } = expected;
  return {
    steps: [
      `lock ${organization} at revision ${revision}; freeze what serves without ${installation}; ${state} -> REMOVING`,
      'compile the grants of everybody else again, from committed rows alone; the digest as step 1 says',
      `Runtime security takes them: epoch ${security} -> ${nextOf(security)}, under one command`,
      `withdraw: it serves no more, activation epoch ${epoch} -> ${nextOf(epoch)}, revision ${revision} -> ${nextOf(revision)}; its bindings drain`,
      'REMOVING -> REMOVED once each of its bindings is RETIRED; its App and its namespaces are free then',
    ],
    then: [
      'its workloads have no view from step 4 on; an epoch of the connector keeps the one that it froze',
      'a binding that something refers to keeps it REMOVING: its references are closed, or its retention is decided',
    ],
    way_back: ['none from step 4 on: it is installed anew, under another id', 'a step before that fails leaves it FAILED, and serving'],
  };
}

function abandonment({ organization, expected: { state, activation_epoch: epoch, attempt = '' } }: Move): Words {
  const after = state === 'PREPARING' ? 'FAILED: it has nothing to be ACTIVE with' : 'ACTIVE with what it was';
  return {
    steps: [
      `lock ${organization}; end attempt ${attempt} as ABANDONED: what it staged fails, what it claimed is free`,
      `where nothing of it can have been sent: ${state} -> ${after}, and that is all`,
      `else attempt ${nextOf(attempt)} sends Runtime security what serves, as a newer epoch; a command that came too late is followed by another`,
      `with its acknowledgement ${state} -> ${after}; activation epoch ${epoch} and the catalog revision stay`,
    ],
    then: ['what serves was never touched', 'the candidate can never be published any more'],
    way_back: ['none: it is asked for anew, as another attempt'],
  };
}

/** The ordered steps with the tuples that each expects, made of what was asked and found alone: a confirmation makes the same plan again. */
export function movePlan(move: Move): Plan {
  const { verb, organization, installation, request, expected } = move;
  const words =
    verb === 'upgrade' || verb === 'rollback' ? change({ ...move, verb }) : verb === 'remove' ? removal(move) : abandonment(move);
  const asked = verb === 'upgrade' || verb === 'rollback' ? { request_digest: Digest.sha256(jcs(request)) } : {};
  return {
    ...{ schema: 'connector.plan/v1', verb: `installs.${verb}`, subject: installation, rung: 2 },
    expected: { organization, ...asked, ...expected },
    ...words,
  };
}
