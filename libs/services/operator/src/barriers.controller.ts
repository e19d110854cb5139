import { Body, Controller, Inject, UseFilters } from '@nestjs/common';
import { Digest } from '@connector/kernel/digest';
import { AttemptId, OperationId } from '@connector/kernel/ids';
import { argument } from '@connector/kernel/faults';
import { Serves } from './api/operation';
import { BARRIER_ACTS } from './api/routes';
import type { Barriers } from './barriers';
import { ConfirmReleaseBody, PlanReleaseBody } from './bodies';
import { RowProblemFilter } from './row-problem';

export const BARRIERS = Symbol('barriers');

@Controller('v1')
@UseFilters(RowProblemFilter)
export class BarriersController {
  constructor(@Inject(BARRIERS) private readonly barriers: Barriers) {}

  @Serves(BARRIER_ACTS.list)
  list() {
    return this.barriers.list();
  }

  @Serves(BARRIER_ACTS.plan)
  plan(@Body() { attempt_id: attempt }: PlanReleaseBody) {
    return this.barriers.plan(argument('attempt_id', AttemptId, attempt));
  }

  @Serves(BARRIER_ACTS.release)
  release(@Body() { attempt_id, confirm, operation_id, by, reason }: ConfirmReleaseBody) {
    const named = {
      attempt: argument('attempt_id', AttemptId, attempt_id),
      digest: argument('confirm', Digest, confirm),
      operationId: argument('operation_id', OperationId, operation_id),
    };
    return this.barriers.release({ ...named, by, reason });
  }
}
