import { Body, Controller, Get, HttpCode, Inject, Param, Post, UseFilters } from '@nestjs/common';
import { IsBoolean, IsIn, IsOptional, Length } from 'class-validator';
import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import { CREDENTIAL_VERBS, type CredentialVerb } from '@connector/connector/model/serving/credential-gate';
import type { Credentials } from './credentials';
import type { PlannedAct } from './plan';
import { RowProblemFilter } from './row-problem';

export const CREDENTIALS = Symbol('credentials');

export class PlanDecisionBody {
  @IsIn(CREDENTIAL_VERBS) verb!: CredentialVerb;
  @Length(1, 64) credential!: string;
  /** Of a revocation: nobody may take it back. */
  @IsOptional() @IsBoolean() final?: boolean;
}
export class ConfirmDecisionBody {
  @Length(1, 64) credential!: string;
  /** The digest of the plan that is to be carried out; it says by itself whether that one is final. */
  @Length(1, 80) confirm!: string;
  /** Minted before the first try and kept over its retries. */
  @Length(1, 64) operation_id!: string;
  @Length(1, 128) by!: string;
  @Length(1, 512) reason!: string;
}

/** What a credential generation lets out, and the plans that stop and release it. Control decides and the gate follows. */
@Controller('v1/credentials')
@UseFilters(RowProblemFilter)
export class CredentialsController {
  constructor(@Inject(CREDENTIALS) private readonly credentials: Credentials) {}

  @Get(':id')
  get(@Param('id') id: string): Promise<object> {
    return this.credentials.get(id);
  }

  @Post('plan')
  @HttpCode(200)
  plan(@Body() { verb, credential, final }: PlanDecisionBody): Promise<PlannedAct> {
    return this.credentials.plan(verb, credential, verb === 'revoke' && final === true);
  }

  @Post('revoke')
  @HttpCode(200)
  revoke(@Body() body: ConfirmDecisionBody): Promise<object> {
    return this.#confirm('revoke', body);
  }

  @Post('reenable')
  @HttpCode(200)
  reenable(@Body() body: ConfirmDecisionBody): Promise<object> {
    return this.#confirm('reenable', body);
  }

  #confirm(verb: CredentialVerb, { credential, confirm, operation_id, by, reason }: ConfirmDecisionBody): Promise<object> {
    const named = { digest: Digest.parse(confirm), operationId: OperationId.parse(operation_id) };
    return this.credentials.confirm(verb, { credential, ...named, by, reason });
  }
}
