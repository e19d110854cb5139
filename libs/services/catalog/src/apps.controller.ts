import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { AppId, LocalComponentKey, PublisherId } from '@connector/catalog/model/identifier';
import { readApp } from '@connector/catalog/reads/apps';
import { readLayoutSlot } from '@connector/catalog/reads/layout-slot';
import { acceptTransfer } from '@connector/catalog/transitions/registry/accept-transfer.tx';
import { offerTransfer } from '@connector/catalog/transitions/registry/offer-transfer.tx';
import { recoverApp } from '@connector/catalog/transitions/registry/recover-app.tx';
import { Digest } from '@connector/kernel/digest';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { parseBase64 } from '@connector/platform/host/body';
import { sendOutcome } from '@connector/platform/host/outcome';
import { argument } from '@connector/kernel/faults';
import { askedBy } from './asked-by';
import { CATALOG_DB } from './databases';
import { RecoveryBody, SlotQuery, TransferBody } from './registry-bodies';
import { As } from './roles';

interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}
type Place = Readonly<Record<string, string>>;

const OFFERED = { offered: 201, 'already-offered': 200, refused: 409 };
const ACCEPTED = { transferred: 200, 'unknown-transfer': 404, refused: 409 };
const RECOVERED = { recovered: 200, refused: 409 };
const FOUND = { found: 200, absent: 404 };

/** Who owns an App, and how it changes hands (catalog.md B.3). */
@Controller('v1/apps/:app')
export class AppsController {
  constructor(@Inject(CATALOG_DB) private readonly db: Db) {}

  @Get()
  @As('reader')
  async get(@Param('app') app: string, @Res() reply: Reply): Promise<void> {
    const found = await readApp(this.db, argument('app_id', AppId, app));
    sendOutcome(reply, FOUND, found === undefined ? { kind: 'absent', code: 'APP_UNKNOWN' } : { kind: 'found', ...found });
  }

  @Get('layout-slots/:slot')
  @As('reader')
  async slot(@Param() { app = '', slot = '' }: Place, @Query() query: SlotQuery, @Res() reply: Reply): Promise<void> {
    const version = query.definition_version === undefined ? undefined : Number(query.definition_version);
    sendOutcome(
      reply,
      FOUND,
      await readLayoutSlot(this.db, argument('app_id', AppId, app), argument('slot', LocalComponentKey, slot), version),
    );
  }

  @Post('transfers')
  @As('publisher')
  async offer(
    @Param('app') app: string,
    @Body() body: TransferBody,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: object,
    @Res() reply: Reply,
  ): Promise<void> {
    const input = {
      appId: argument('app_id', AppId, app),
      statement: parseBase64(body.statement_base64, '/statement_base64'),
      signature: parseBase64(body.signature_base64, '/signature_base64'),
    };
    const asked = askedBy(request, key, {
      door: 'offer-transfer',
      app,
      statement: body.statement_base64,
      signature: body.signature_base64,
    });
    sendOutcome(reply, OFFERED, await retrying(ANSWER_SOON, () => offerTransfer(this.db, input, asked)));
  }

  @Post('transfers/:transfer/accept')
  @As('operator')
  async accept(
    @Param() { app = '', transfer = '' }: Place,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: object,
    @Res() reply: Reply,
  ): Promise<void> {
    const input = { appId: argument('app_id', AppId, app), transferId: argument('transfer_id', Digest, transfer) };
    const asked = askedBy(request, key, { door: 'accept-transfer', ...input });
    sendOutcome(reply, ACCEPTED, await retrying(ANSWER_SOON, () => acceptTransfer(this.db, input, asked)));
  }

  @Post('recoveries')
  @As('operator')
  async recover(
    @Param('app') app: string,
    @Body() body: RecoveryBody,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: object,
    @Res() reply: Reply,
  ): Promise<void> {
    const input = {
      appId: argument('app_id', AppId, app),
      fromPublisherId: argument('from_publisher_id', PublisherId, body.from_publisher_id),
      toPublisherId: argument('to_publisher_id', PublisherId, body.to_publisher_id),
      expectedOwnershipEpoch: BigInt(body.expected_ownership_epoch),
      reason: body.reason,
    };
    const asked = askedBy(request, key, { door: 'recover-app', ...input, expectedOwnershipEpoch: body.expected_ownership_epoch });
    sendOutcome(reply, RECOVERED, await retrying(ANSWER_SOON, () => recoverApp(this.db, input, asked)));
  }
}
