import { Body, Controller, Inject, Post, Res, UseGuards } from '@nestjs/common';
import type { GateFence } from '@connector/kernel/brand';
import { OperationId, PermitId } from '@connector/kernel/ids';
import { parseAccountName } from '@connector/connector/model/serving/account-name';
import { WORK_STAGES } from '@connector/connector/model/serving/work';
import type { GateMove } from '@connector/connector/transitions/serving/gate-move';
import { haltGate } from '@connector/connector/transitions/serving/halt-gate.tx';
import { resumeGate } from '@connector/connector/transitions/serving/resume-gate.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { onlyFor } from '@connector/platform/host/only-for';
import { sendOutcome } from '@connector/platform/host/outcome';
import type { Signal } from '@connector/platform/host/signal';
import type { Wake } from '@connector/platform/wake/wake';
import type { Abandonment } from './abandonment';
import { AbandonBody, GateMoveBody } from './bodies';
import { HALTS } from './wakes.controller';
import type { Reply } from './names';

export const COORDINATOR_DB = Symbol('coordinator-db');
export const COORDINATOR_WAKE = Symbol('coordinator-wake');
export const ABANDONMENT = Symbol('abandonment');

const REFUSED = { 'no-gate': 404, 'not-in-mode': 409, 'fence-moved': 409, 'operation-reused': 409 };
const HALTING = { halting: 200, ...REFUSED };
const SERVING = { serving: 200, 'epoch-not-active': 409, ...REFUSED };
const ABANDONED = { abandoned: 200, 'not-abandoned': 409, 'not-found': 404, 'several-accounts': 422 };

/** What an operator may do to an account that serves: each a write path, with the fence that was seen and a reason. */
@Controller('v1')
@UseGuards(onlyFor('operator', 'local'))
export class AccountsController {
  constructor(
    @Inject(COORDINATOR_DB) private readonly db: Db,
    @Inject(COORDINATOR_WAKE) private readonly wake: Wake,
    @Inject(HALTS) private readonly halts: Signal,
    @Inject(ABANDONMENT) private readonly abandonment: Abandonment,
  ) {}

  @Post('accounts/halt')
  async halt(@Body() body: GateMoveBody, @Res() reply: Reply): Promise<void> {
    const answer = await retrying(ANSWER_SOON, () => haltGate(this.db, moveOf(body)));
    this.halts.notify();
    sendOutcome(reply, HALTING, answer);
  }

  @Post('accounts/resume')
  async resume(@Body() body: GateMoveBody, @Res() reply: Reply): Promise<void> {
    const answer = await retrying(ANSWER_SOON, () => resumeGate(this.db, moveOf(body)));
    if (answer.kind === 'serving') for (const stage of WORK_STAGES) this.wake.emit({ stage, account: answer.account });
    sendOutcome(reply, SERVING, answer);
  }

  @Post('permits/abandon')
  async abandon(@Body() body: AbandonBody, @Res() reply: Reply): Promise<void> {
    const answer = await this.abandonment.request({
      operationId: OperationId.parse(body.operation_id),
      permitIds: body.permit_ids.map((id) => PermitId.parse(id)),
      by: body.by,
      ...(body.account === undefined ? {} : { account: parseAccountName(body.account) }),
    });
    sendOutcome(reply, ABANDONED, answer);
  }
}

function moveOf({ account, expected_fence: fence, operation_id: operationId, by, reason }: GateMoveBody): GateMove {
  return {
    account: parseAccountName(account),
    expectedFence: BigInt(fence) as GateFence,
    operationId: OperationId.parse(operationId),
    by,
    reason,
  };
}
