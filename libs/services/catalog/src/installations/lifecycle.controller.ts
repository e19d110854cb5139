import { Body, Controller, Headers, Inject, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { RequestKey } from '@connector/catalog/model/request';
import type { Json } from '@connector/kernel/jcs';
import { onlyFor } from '@connector/platform/host/only-for';
import { askedBy } from '../asked-by';
import { abandonInstallation } from './abandon';
import { type Reply, sendAbandoned, sendInstalled } from './answers';
import { choicesIn, RollBackBody, SeenBody, UpgradeBody } from './bodies';
import { rollBackInstallation, upgradeInstallation } from './change-release';
import type { PreparationParts } from './gather';
import { PREPARATION } from './installations.controller';
import { removeInstallation } from './remove';
import { resumeInstallation } from './resume';
import type { SeenInstallation } from './standing';

type Place = Readonly<Record<string, string>>;

/** What an installation that there is may be asked to do (catalog.md B.3): each with the state and the activation epoch that the asker saw. */
@Controller('v1/orgs/:organization/app-installations/:installation')
@UseGuards(onlyFor('local', 'operator'))
export class LifecycleController {
  constructor(@Inject(PREPARATION) private readonly parts: PreparationParts) {}

  @Post('upgrade')
  async upgrade(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Body() body: UpgradeBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const choices = choicesIn(body);
    const [seen, by] = seenBy(request, key, place, body, { verb: 'upgrade', choices: { ...choices } });
    sendInstalled(reply, await upgradeInstallation(this.parts, seen, choices, by));
  }

  @Post('rollback')
  async rollback(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Body() body: RollBackBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const { app_release_digest: release } = body;
    const [seen, by] = seenBy(request, key, place, body, { verb: 'rollback', release });
    sendInstalled(reply, await rollBackInstallation(this.parts, seen, release, by));
  }

  @Post('remove')
  async remove(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Body() body: SeenBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const [seen, by] = seenBy(request, key, place, body, { verb: 'remove' });
    sendInstalled(reply, await removeInstallation(this.parts, seen, by));
  }

  @Post('abandon')
  async abandon(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Body() body: SeenBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const [seen, by] = seenBy(request, key, place, body, { verb: 'abandon' });
    sendAbandoned(reply, await abandonInstallation(this.parts, seen, by));
  }

  @Post('resume')
  async resume(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Body() body: SeenBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const [seen, by] = seenBy(request, key, place, body, { verb: 'resume' });
    sendInstalled(reply, await resumeInstallation(this.parts, seen, by));
  }
}

function seenBy(
  request: object,
  key: string | undefined,
  { organization = '', installation = '' }: Place,
  { expected_state: expectedState, expected_activation_epoch: epoch }: SeenBody,
  asked: { readonly [member: string]: Json },
): readonly [SeenInstallation, RequestKey] {
  const by = askedBy(request, key, { ...asked, organization, installation, expectedState, epoch });
  return [{ organization, installation, expectedState, expectedActivationEpoch: BigInt(epoch) }, by];
}
