import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import { type Installation, readInstallation } from '@connector/catalog/reads/installation';
import { readJournal } from '@connector/catalog/reads/journal';
import { outcomeBody, sendOutcome } from '@connector/platform/host/outcome';
import { askedBy } from '../asked-by';
import { documentProblem } from '../document-problem';
import { NothingWrittenFilter } from '../owner-silent';
import { As } from '../roles';
import { PLANNED, type Reply, sendInstalled } from './answers';
import { choicesIn, expectedIn, InstallAsPlannedBody, InstallBody, JournalQuery } from './bodies';
import type { PreparationParts } from './gather';
import { prepareInstallation } from './install';
import { planInstallation } from './plan';

export const PREPARATION = Symbol('preparation');

type Place = Readonly<Record<string, string>>;

const FOUND = { found: 200, absent: 404 };

/** Installing an App, and what became of it (catalog.md B.3). */
@UseFilters(NothingWrittenFilter)
@Controller('v1/orgs/:organization/app-installations')
export class InstallationsController {
  constructor(@Inject(PREPARATION) private readonly parts: PreparationParts) {}

  @Post()
  @As('operator')
  async install(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() { organization = '' }: Place,
    @Body() body: InstallAsPlannedBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const asked = { ...choicesIn(body), appId: body.app_id };
    const { expected_catalog_revision: revision = null, expected_security_epoch: epoch = null } = body;
    const by = askedBy(request, key, { door: 'open-publication', organization, asked: { ...asked }, revision, epoch });
    sendInstalled(reply, await prepareInstallation(this.parts, { organization, existing: null, asked, expected: expectedIn(body) }, by));
  }

  /** What an installation would do, and everything that would refuse it. Nothing is written. */
  @Post('plan')
  @As('operator')
  async plan(@Param() { organization = '' }: Place, @Body() body: InstallBody, @Res() reply: Reply): Promise<void> {
    const planned = await planInstallation(this.parts, organization, { ...choicesIn(body), appId: body.app_id });
    if (planned.kind !== 'faulty') return sendOutcome(reply, PLANNED, planned);
    throw documentProblem('HOUSE:catalog:PreparationFaulty', `installation of ${body.app_id}`, '', planned);
  }

  @Get(':installation')
  @As('reader')
  async get(@Param() { organization = '', installation = '' }: Place, @Res() reply: Reply): Promise<void> {
    sendOutcome<Installation | { readonly kind: 'absent' }>(
      reply,
      FOUND,
      await readInstallation(this.parts.db, organization, installation),
    );
  }

  @Get(':installation/journal')
  @As('reader')
  async journal(@Param() { organization = '', installation = '' }: Place, @Query() { from_attempt: from }: JournalQuery): Promise<unknown> {
    return outcomeBody({ ...(await readJournal(this.parts.db, organization, installation, BigInt(from))) });
  }
}
