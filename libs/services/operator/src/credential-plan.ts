import type { CredentialGenerationId } from '@connector/kernel/ids';
import { CREDENTIAL_MODES, type CredentialVerb } from '@connector/connector/model/serving/credential-gate';
import type { Plan } from './plan';

export interface CredentialAct {
  readonly id: CredentialGenerationId;
  readonly verb: CredentialVerb;
  /** A revocation that nobody may take back. */
  readonly final: boolean;
}

const FORWARD = 'forward: author a new generation, a configuration that names it, and a successor epoch';

const THEN: Readonly<Record<CredentialVerb, readonly string[]>> = {
  revoke: [
    'no permit is granted for it; its prepared effects wait with CREDENTIAL_REVOKED',
    'a granted permit can never be sent: the coordinator abandons it, and its effect is prepared again',
    'a sending permit finishes its one call and settles: a revocation does not recall a call',
    'nothing revives by itself',
  ],
  reenable: [
    'permits are granted again, on the new fence alone; prepared effects that waited are looked at now',
    'no permit of an older fence becomes valid, and no attempt that is closed opens again',
  ],
};

function wayBack({ id, verb, final }: CredentialAct): readonly string[] {
  if (verb === 'reenable') return [`connector credentials revoke ${id} --plan`];
  const back = final
    ? 'none: a final revocation is taken back by nobody'
    : `connector credentials reenable ${id} --plan, a decision of its own; nothing that was stopped revives by it`;
  return [back, FORWARD];
}

/** Everything but the fence follows from the act. */
export function credentialPlan(act: CredentialAct, fence: bigint): Plan {
  const { id, verb, final } = act;
  const { from, to } = CREDENTIAL_MODES[verb];
  return {
    schema: 'connector.plan/v1',
    verb: `credentials.${verb}`,
    subject: id,
    rung: 2,
    expected: { mode: from, fence: fence.toString() },
    steps: [
      `write the decision to ${verb} ${id}${final ? ', for good' : ''}`,
      `lock its credential gate`,
      `gate ${from} -> ${to}, fence ${fence} -> ${fence + 1n}`,
    ],
    then: THEN[verb],
    way_back: wayBack(act),
  };
}
