import { Body, Controller, Inject, Param, UseFilters } from '@nestjs/common';
import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import { argument } from '@connector/kernel/faults';
import { Serves } from './api/operation';
import { CREDENTIAL_ACTS } from './api/routes';
import { ConfirmDecisionBody, PlanDecisionBody } from './bodies';
import type { ConfirmedDecision, Credentials } from './credentials';
import type { PlannedAct } from './plan';
import { RowProblemFilter } from './row-problem';

export const CREDENTIALS = Symbol('credentials');

/** What a credential generation lets out, and the plans that stop and release it. Control decides and the gate follows. */
@Controller('v1')
@UseFilters(RowProblemFilter)
export class CredentialsController {
  constructor(@Inject(CREDENTIALS) private readonly credentials: Credentials) {}

  @Serves(CREDENTIAL_ACTS.get)
  get(@Param('id') id: string) {
    return this.credentials.get(id);
  }

  @Serves(CREDENTIAL_ACTS.plan)
  plan(@Body() { verb, credential, final }: PlanDecisionBody): Promise<PlannedAct> {
    return this.credentials.plan(verb, credential, verb === 'revoke' && final === true);
  }

  @Serves(CREDENTIAL_ACTS.revoke)
  revoke(@Body() body: ConfirmDecisionBody) {
    return this.credentials.revoke(decisionOf(body));
  }

  @Serves(CREDENTIAL_ACTS.reenable)
  reenable(@Body() body: ConfirmDecisionBody) {
    return this.credentials.reenable(decisionOf(body));
  }
}

function decisionOf({ credential, confirm, operation_id, by, reason }: ConfirmDecisionBody): ConfirmedDecision {
  return {
    credential,
    digest: argument('confirm', Digest, confirm),
    operationId: argument('operation_id', OperationId, operation_id),
    by,
    reason,
  };
}
