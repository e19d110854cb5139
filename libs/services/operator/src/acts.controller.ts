import { Body, Controller, Get, HttpCode, Inject, Param, Post, UseFilters } from '@nestjs/common';
import { IsIn, Length } from 'class-validator';
import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import { parseAccountName } from '@connector/connector/model/serving/account-name';
import type { Accounts } from './accounts';
import { GATE_VERBS, type GateVerb } from './gate-plan';
import type { Permits } from './permits';
import type { PlannedAct } from './plan';
import { RowProblemFilter } from './row-problem';

export const ACCOUNTS = Symbol('accounts');
export const PERMITS = Symbol('permits');

export class PlanMoveBody {
  @IsIn(GATE_VERBS) verb!: GateVerb;
  @Length(1, 127) account!: string;
}
export class ConfirmMoveBody {
  @Length(1, 127) account!: string;
  /** The digest of the plan that is to be carried out. */
  @Length(1, 80) confirm!: string;
  /** Minted before the first try and kept over its retries. */
  @Length(1, 64) operation_id!: string;
  @Length(1, 128) by!: string;
  @Length(1, 512) reason!: string;
}
export class PlanAbandonBody {
  @Length(1, 64) permit_id!: string;
}
export class ConfirmAbandonBody {
  @Length(1, 64) permit_id!: string;
  @Length(1, 80) confirm!: string;
  @Length(1, 64) operation_id!: string;
  @Length(1, 128) by!: string;
}

/** Plan, then confirm that exact plan. The operator's database user only reads: what moves is moved by the coordinator. */
@Controller('v1')
@UseFilters(RowProblemFilter)
export class ActsController {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(PERMITS) private readonly permits: Permits,
  ) {}

  @Get('accounts')
  async listAccounts(): Promise<object> {
    return { rows: await this.accounts.list(), next: null };
  }

  @Get('accounts/:provider/:tenant')
  getAccount(@Param('provider') provider: string, @Param('tenant') tenant: string): Promise<object> {
    return this.accounts.get(parseAccountName(`${provider}/${tenant}`));
  }

  @Post('accounts/plan')
  @HttpCode(200)
  planMove(@Body() { verb, account }: PlanMoveBody): Promise<PlannedAct> {
    return this.accounts.plan(verb, parseAccountName(account));
  }

  @Post('accounts/halt')
  @HttpCode(200)
  halt(@Body() body: ConfirmMoveBody): Promise<object> {
    return this.#confirm('halt', body);
  }

  @Post('accounts/resume')
  @HttpCode(200)
  resume(@Body() body: ConfirmMoveBody): Promise<object> {
    return this.#confirm('resume', body);
  }

  @Post('permits/plan-abandon')
  @HttpCode(200)
  planAbandon(@Body() { permit_id: permit }: PlanAbandonBody): Promise<PlannedAct> {
    return this.permits.plan(permit);
  }

  @Post('permits/abandon')
  @HttpCode(200)
  abandon(@Body() { permit_id: permit, confirm, operation_id, by }: ConfirmAbandonBody): Promise<object> {
    return this.permits.confirm({ permit, digest: Digest.parse(confirm), operationId: OperationId.parse(operation_id), by });
  }

  #confirm(verb: GateVerb, { account, confirm, operation_id, by, reason }: ConfirmMoveBody): Promise<object> {
    const named = { account: parseAccountName(account), digest: Digest.parse(confirm), operationId: OperationId.parse(operation_id) };
    return this.accounts.confirm(verb, { ...named, by, reason });
  }
}
