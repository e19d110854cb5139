import { Body, Controller, Inject, Param, UseFilters } from '@nestjs/common';
import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import { parseAccountName } from '@connector/connector/model/serving/account-name';
import { argument } from '@connector/kernel/faults';
import type { Accounts, ConfirmedMove } from './accounts';
import { Serves } from './api/operation';
import { ACTS } from './api/routes';
import { ConfirmAbandonBody, ConfirmMoveBody, PlanAbandonBody, PlanMoveBody } from './bodies';
import type { Permits } from './permits';
import type { PlannedAct } from './plan';
import { RowProblemFilter } from './row-problem';

export const ACCOUNTS = Symbol('accounts');
export const PERMITS = Symbol('permits');

/** Plan, then confirm that exact plan. The operator's database user only reads: what moves is moved by the coordinator. */
@Controller('v1')
@UseFilters(RowProblemFilter)
export class ActsController {
  constructor(
    @Inject(ACCOUNTS) private readonly accounts: Accounts,
    @Inject(PERMITS) private readonly permits: Permits,
  ) {}

  @Serves(ACTS.accounts)
  async listAccounts() {
    return { rows: await this.accounts.list(), next: null };
  }

  @Serves(ACTS.account)
  getAccount(@Param('provider') provider: string, @Param('tenant') tenant: string) {
    return this.accounts.get(parseAccountName(`${provider}/${tenant}`));
  }

  @Serves(ACTS.planMove)
  planMove(@Body() { verb, account }: PlanMoveBody): Promise<PlannedAct> {
    return this.accounts.plan(verb, parseAccountName(account));
  }

  @Serves(ACTS.halt)
  halt(@Body() body: ConfirmMoveBody) {
    return this.accounts.halt(moveOf(body));
  }

  @Serves(ACTS.resume)
  resume(@Body() body: ConfirmMoveBody) {
    return this.accounts.resume(moveOf(body));
  }

  @Serves(ACTS.planAbandon)
  planAbandon(@Body() { permit_id: permit }: PlanAbandonBody): Promise<PlannedAct> {
    return this.permits.plan(permit);
  }

  @Serves(ACTS.abandon)
  abandon(@Body() { permit_id: permit, confirm, operation_id, by }: ConfirmAbandonBody) {
    return this.permits.confirm({
      permit,
      digest: argument('confirm', Digest, confirm),
      operationId: argument('operation_id', OperationId, operation_id),
      by,
    });
  }
}

function moveOf({ account, confirm, operation_id, by, reason }: ConfirmMoveBody): ConfirmedMove {
  const named = {
    account: argument('account', { parse: parseAccountName }, account),
    digest: argument('confirm', Digest, confirm),
    operationId: argument('operation_id', OperationId, operation_id),
  };
  return { ...named, by, reason };
}
