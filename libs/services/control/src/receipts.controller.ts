import { Body, Controller, Inject, Post, Res, UseGuards } from '@nestjs/common';
import { GenerationId, IsolationId, TerminationId } from '@connector/kernel/ids';
import { recordIsolation } from '@connector/control/transitions/record-isolation.tx';
import { recordTermination } from '@connector/control/transitions/record-termination.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { onlyFor } from '@connector/platform/host/only-for';
import { sendOutcome } from '@connector/platform/host/outcome';
import type { Wake } from '@connector/platform/wake/wake';
import { IsolationBody, TerminationBody } from './bodies';
import { CONTROL_DB, CONTROL_WAKE, type Reply } from './control-db';

const TERMINATION = { recorded: 201, 'already-recorded': 200, 'conflicting-termination': 409 };
const ISOLATION = { recorded: 201, 'already-recorded': 200, 'conflicting-isolation': 409 };
/** Whoever abandons permits may find some now; of which account nobody knows here. */
const RECEIPT_RECORDED = { stage: 'abandon', account: '*' };

/** What the supervisor saw of a process, and what it did to its way out: its word alone counts (con:MAP-13, con:MAP-14). */
@Controller('v1')
@UseGuards(onlyFor('local'))
export class ReceiptsController {
  constructor(
    @Inject(CONTROL_DB) private readonly db: Db,
    @Inject(CONTROL_WAKE) private readonly wake: Wake,
  ) {}

  @Post('terminations')
  async termination(@Body() body: TerminationBody, @Res() reply: Reply): Promise<void> {
    const ids = { generationId: GenerationId.parse(body.generation_id), terminationId: TerminationId.parse(body.termination_id) };
    const input = { ...ids, service: body.service, supervisor: body.supervisor, evidence: Buffer.from(body.evidence_base64, 'base64') };
    const answer = await retrying(ANSWER_SOON, () => recordTermination(this.db, input));
    this.wake.emit(RECEIPT_RECORDED);
    sendOutcome(reply, TERMINATION, answer);
  }

  @Post('isolations')
  async isolation(@Body() body: IsolationBody, @Res() reply: Reply): Promise<void> {
    const ids = { generationId: GenerationId.parse(body.generation_id), isolationId: IsolationId.parse(body.isolation_id) };
    const input = { ...ids, controller: body.controller, evidence: Buffer.from(body.evidence_base64, 'base64') };
    const answer = await retrying(ANSWER_SOON, () => recordIsolation(this.db, input));
    this.wake.emit(RECEIPT_RECORDED);
    sendOutcome(reply, ISOLATION, answer);
  }
}
