import { Body, Controller, HttpCode, Inject, Post, Res, UseGuards } from '@nestjs/common';
import type { CredentialFence } from '@connector/kernel/brand';
import { CredentialGenerationId, OperationId } from '@connector/kernel/ids';
import type { CredentialVerb } from '@connector/connector/model/serving/credential-gate';
import { onlyFor } from '@connector/platform/host/only-for';
import { sendOutcome } from '@connector/platform/host/outcome';
import { CredentialDecisionBody, CredentialRevocationBody } from './bodies';
import type { Reply } from './control-db';
import type { CredentialDecisions } from './credential-decisions';

export const CREDENTIAL_DECISIONS = Symbol('credential-decisions');

const DECIDED = {
  revoked: 200,
  reenabled: 200,
  'no-gate': 404,
  'not-in-mode': 409,
  'fence-moved': 409,
  'revocation-is-final': 409,
  'not-decided': 409,
  'operation-reused': 409,
};

/** What an operator may decide of a credential generation: each with the fence that was seen, a name and a reason (con:REV-P, con:REE-P). */
@Controller('v1/credentials')
@UseGuards(onlyFor('operator', 'local'))
export class CredentialsController {
  constructor(@Inject(CREDENTIAL_DECISIONS) private readonly decisions: CredentialDecisions) {}

  @Post('revoke')
  @HttpCode(200)
  revoke(@Body() body: CredentialRevocationBody, @Res() reply: Reply): Promise<void> {
    return this.#decide('revoke', body, body.final, reply);
  }

  @Post('reenable')
  @HttpCode(200)
  reenable(@Body() body: CredentialDecisionBody, @Res() reply: Reply): Promise<void> {
    return this.#decide('reenable', body, false, reply);
  }

  async #decide(verb: CredentialVerb, body: CredentialDecisionBody, final: boolean, reply: Reply): Promise<void> {
    const ids = {
      operationId: OperationId.parse(body.operation_id),
      generationId: CredentialGenerationId.parse(body.credential_generation_id),
    };
    const expectedFence = BigInt(body.expected_fence) as CredentialFence;
    sendOutcome(reply, DECIDED, await this.decisions.decide({ ...ids, verb, expectedFence, final, by: body.by, reason: body.reason }));
  }
}
