import { Body, Controller, Headers, Inject, Param, Post, Put, Req, Res } from '@nestjs/common';
import { PublisherId } from '@connector/catalog/model/identifier';
import { KeyId } from '@connector/catalog/model/signing';
import { addPublisherKey } from '@connector/catalog/transitions/registry/add-publisher-key.tx';
import { registerPublisher } from '@connector/catalog/transitions/registry/register-publisher.tx';
import { revokePublisherKey } from '@connector/catalog/transitions/registry/revoke-publisher-key.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { parseBase64, parseInstant } from '@connector/platform/host/body';
import { sendOutcome } from '@connector/platform/host/outcome';
import { argument } from '@connector/kernel/faults';
import { askedBy } from './asked-by';
import { CATALOG_DB } from './databases';
import { PublisherBody, PublisherKeyBody, ReasonBody } from './registry-bodies';
import { As } from './roles';

interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}

const REGISTERED = { registered: 201, 'already-registered': 200, 'conflicting-publisher': 409 };
const ADDED = { added: 201, 'already-added': 200, 'unknown-publisher': 404, 'conflicting-key': 409, 'key-revoked': 409 };
const REVOKED = { revoked: 200, 'already-revoked': 200, 'unknown-key': 404 };

/** The operator's registry of trust (catalog.md B.3). */
@Controller('v1/publishers')
export class PublishersController {
  constructor(@Inject(CATALOG_DB) private readonly db: Db) {}

  @Put(':publisher')
  @As('operator')
  async register(
    @Param('publisher') publisher: string,
    @Body() body: PublisherBody,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: object,
    @Res() reply: Reply,
  ): Promise<void> {
    const publisherId = argument('publisher_id', PublisherId, publisher);
    const input = {
      publisherId,
      appPrefixes: (body.app_prefixes ?? [publisher]).map((prefix) => argument('app_prefixes', PublisherId, prefix)),
    };
    const asked = askedBy(request, key, { door: 'register-publisher', ...input });
    sendOutcome(reply, REGISTERED, await retrying(ANSWER_SOON, () => registerPublisher(this.db, input, asked)));
  }

  @Post(':publisher/keys')
  @As('operator')
  async addKey(
    @Param('publisher') publisher: string,
    @Body() body: PublisherKeyBody,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: object,
    @Res() reply: Reply,
  ): Promise<void> {
    const input = {
      publisherId: argument('publisher_id', PublisherId, publisher),
      publicKey: parseBase64(body.public_key_base64, '/public_key_base64'),
      validFrom: parseInstant(body.valid_from),
      validUntil: body.valid_until === undefined ? null : parseInstant(body.valid_until),
    };
    const asked = askedBy(request, key, { door: 'add-publisher-key', ...input, publicKey: body.public_key_base64 });
    sendOutcome(reply, ADDED, await retrying(ANSWER_SOON, () => addPublisherKey(this.db, input, asked)));
  }

  @Post(':publisher/keys/:key/revoke')
  @As('operator')
  async revokeKey(
    @Param() place: Readonly<Record<string, string>>,
    @Body() body: ReasonBody,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: object,
    @Res() reply: Reply,
  ): Promise<void> {
    const { publisher = '', key: keyId = '' } = place;
    const input = {
      publisherId: argument('publisher_id', PublisherId, publisher),
      keyId: argument('key_id', KeyId, keyId),
      reason: body.reason,
    };
    const asked = askedBy(request, key, { door: 'revoke-publisher-key', ...input });
    sendOutcome(reply, REVOKED, await retrying(ANSWER_SOON, () => revokePublisherKey(this.db, input, asked)));
  }
}
