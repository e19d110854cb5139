import { Body, Controller, Inject, Post, Res, UseGuards } from '@nestjs/common';
import type { ChannelKeyFence } from '@connector/kernel/brand';
import { moveChannelKeyGate } from '@connector/connector/transitions/serving/move-channel-key-gate.tx';
import { addChannelKey } from '@connector/control/transitions/add-channel-key.tx';
import type { ChannelName } from '@connector/control/transitions/channel-key-set';
import { retireChannelKey } from '@connector/control/transitions/retire-channel-key.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { parseInstant } from '@connector/platform/host/body';
import { onlyFor } from '@connector/platform/host/only-for';
import { sendOutcome } from '@connector/platform/host/outcome';
import { ChannelKeyBody, ChannelKeyRetirementBody } from './bodies';
import { CONTROL_DB, type Reply } from './control-db';
import { parseChannel } from './parse-body';

const ADDED = { added: 201, 'already-added': 200, 'conflicting-key': 409, 'secret-is-credential': 409 };
const RETIRED = { retired: 200, 'already-retired': 200, 'no-key': 404 };

/** Keys that admit callers; each change is two commits, and the loop carries what a crash left between them (decisions 13.10). */
@Controller('v1/channel-keys')
@UseGuards(onlyFor('local', 'operator'))
export class ChannelKeysController {
  constructor(@Inject(CONTROL_DB) private readonly db: Db) {}

  @Post()
  async add(@Body() body: ChannelKeyBody, @Res() reply: Reply): Promise<void> {
    const channel = parseChannel(body);
    const key = {
      keyVersion: body.key_version,
      scheme: body.scheme,
      endsAt: body.ends_at === undefined ? null : parseInstant(body.ends_at),
    };
    const input = { ...channel, ...key, secretPath: body.secret_path, secretVersion: body.secret_version };
    const answer = await retrying(ANSWER_SOON, () => addChannelKey(this.db, input));
    if ('revision' in answer) await this.#carry(channel, answer.revision);
    sendOutcome(reply, ADDED, answer);
  }

  @Post('retire')
  async retire(@Body() body: ChannelKeyRetirementBody, @Res() reply: Reply): Promise<void> {
    const channel = parseChannel(body);
    const input = { ...channel, keyVersion: body.key_version, reason: body.reason };
    const answer = await retrying(ANSWER_SOON, () => retireChannelKey(this.db, input));
    if ('revision' in answer) await this.#carry(channel, answer.revision);
    sendOutcome(reply, RETIRED, answer);
  }

  async #carry(channel: ChannelName, revision: ChannelKeyFence): Promise<void> {
    await retrying(ANSWER_SOON, () => moveChannelKeyGate(this.db, { ...channel, revision }));
  }
}
