import { Body, Controller, Inject, Post, Res, UseGuards } from '@nestjs/common';
import type { BarrierFence } from '@connector/kernel/brand';
import { AttemptId, OperationId } from '@connector/kernel/ids';
import type { Owners } from '@connector/connector/contract/owners';
import type { Db } from '@connector/platform/db/db';
import { onlyFor } from '@connector/platform/host/only-for';
import { sendOutcome } from '@connector/platform/host/outcome';
import { COORDINATOR_DB } from './accounts.controller';
import { ReleaseBarriersBody } from './bodies';
import { giveUp } from './give-up';
import type { Reply } from './names';
import { answered } from './owner-unavailable';

export const OWNERS = Symbol('owners');

const RELEASED = { released: 200, moved: 409 };

/** For an activation that somebody gives up: no time does it (cat:INT-17). A run of it that still goes on is fenced off first. */
@Controller('v1/publication-barriers')
@UseGuards(onlyFor('operator', 'local'))
export class BarriersController {
  constructor(
    @Inject(COORDINATOR_DB) private readonly db: Db,
    @Inject(OWNERS) private readonly owners: Owners,
  ) {}

  @Post('release')
  async release(@Body() { attempt_id, operation_id, barriers, by, reason }: ReleaseBarriersBody, @Res() reply: Reply): Promise<void> {
    const attemptId = AttemptId.parse(attempt_id);
    const given = {
      ...{ attemptId, operationId: OperationId.parse(operation_id), outcome: `given up by ${by}: ${reason}` },
      barriers: barriers.map(({ barrier_fence: fence, ...place }) => ({
        ...place,
        attemptId,
        barrierFence: BigInt(fence) as BarrierFence,
      })),
    };
    sendOutcome(reply, RELEASED, answered(await giveUp(this.db, this.owners, given)));
  }
}
