import { Body, Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import { AttemptId } from '@connector/kernel/ids';
import { readBarriersOf } from '@connector/catalog/reads/barriers';
import { acquireBarrier } from '@connector/catalog/transitions/barrier/acquire-barrier.tx';
import { releaseBarrier } from '@connector/catalog/transitions/barrier/release-barrier.tx';
import { readPackBarriersOf } from '@connector/packs/reads/barriers';
import { acquirePackBarrier } from '@connector/packs/transitions/acquire-pack-barrier.tx';
import { releasePackBarrier } from '@connector/packs/transitions/release-pack-barrier.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { outcomeBody, sendOutcome } from '@connector/platform/host/outcome';
import { AcquireBarrierBody, AcquirePackBarrierBody, ReleaseBarrierBody, ReleasePackBarrierBody } from './barrier-bodies';
import { CATALOG_DB, PACKS_DB } from './databases';
import { As } from './roles';

interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}

const REFUSED = { conflict: 409, drift: 409, 'stale-holder': 409, stale: 409, 'no-installation': 404, 'no-packs': 404 };
const ACQUIRED = { ...REFUSED, held: 200 };
const RELEASED = { ...REFUSED, released: 200, 'already-released': 200 };

const holderOf = (body: { readonly attempt_id: string; readonly holder_fence: string; readonly organization: string }) => ({
  organization: body.organization,
  attemptId: AttemptId.parse(body.attempt_id),
  holderFence: BigInt(body.holder_fence) as BarrierHolderFence,
});
const holdOf = (attempt: string, body: ReleasePackBarrierBody) => ({
  ...holderOf({ ...body, attempt_id: attempt }),
  barrierFence: BigInt(body.barrier_fence) as BarrierFence,
  outcome: body.outcome,
});

/** An activation holds the authors of both owners off (catalog.md B.3, B.5); only its coordinator may, and only it lets them go on. */
@Controller('v1')
export class BarriersController {
  constructor(
    @Inject(CATALOG_DB) private readonly catalog: Db,
    @Inject(PACKS_DB) private readonly packs: Db,
  ) {}

  @Post('publication-barriers')
  @As('connectorAlone')
  async acquire(@Body() body: AcquireBarrierBody, @Res() reply: Reply): Promise<void> {
    const { lineage_id: lineageId, catalog_revision: revision, activation_epoch: epoch } = body.expected_lineage;
    const lineage = { lineageId, catalogRevision: BigInt(revision), activationEpoch: BigInt(epoch) };
    const { installation, workload, expected_view_digest: viewDigest } = body;
    const input = { ...holderOf(body), installation, workload, expected: { lineage, viewDigest } };
    sendOutcome(reply, ACQUIRED, await retrying(ANSWER_SOON, () => acquireBarrier(this.catalog, input)));
  }

  @Get('publication-barriers/:attempt')
  @As('connectorAlone')
  async held(@Param('attempt') attempt: string): Promise<unknown> {
    return outcomeBody({ kind: 'found', held: await readBarriersOf(this.catalog, AttemptId.parse(attempt)) });
  }

  @Post('publication-barriers/:attempt/release')
  @As('connectorAlone')
  async release(@Param('attempt') attempt: string, @Body() body: ReleaseBarrierBody, @Res() reply: Reply): Promise<void> {
    const input = { ...holdOf(attempt, body), installation: body.installation };
    sendOutcome(reply, RELEASED, await retrying(ANSWER_SOON, () => releaseBarrier(this.catalog, input)));
  }

  @Post('pack-publication-barriers')
  @As('connectorAlone')
  async acquirePacks(@Body() body: AcquirePackBarrierBody, @Res() reply: Reply): Promise<void> {
    const generations = body.generations.map((one) => ({ storageId: one.storage_id, payloadDigest: one.pack_payload_digest }));
    sendOutcome(reply, ACQUIRED, await retrying(ANSWER_SOON, () => acquirePackBarrier(this.packs, { ...holderOf(body), generations })));
  }

  @Get('pack-publication-barriers/:attempt')
  @As('connectorAlone')
  async heldPacks(@Param('attempt') attempt: string): Promise<unknown> {
    return outcomeBody({ kind: 'found', held: await readPackBarriersOf(this.packs, AttemptId.parse(attempt)) });
  }

  @Post('pack-publication-barriers/:attempt/release')
  @As('connectorAlone')
  async releasePacks(@Param('attempt') attempt: string, @Body() body: ReleasePackBarrierBody, @Res() reply: Reply): Promise<void> {
    sendOutcome(reply, RELEASED, await retrying(ANSWER_SOON, () => releasePackBarrier(this.packs, holdOf(attempt, body))));
  }
}
