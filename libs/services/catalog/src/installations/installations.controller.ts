import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { ExpectedBasis } from '@connector/catalog/model/installation/gathered';
import { type Installation, readInstallation } from '@connector/catalog/reads/installation';
import { readJournal } from '@connector/catalog/reads/journal';
import { BodyFault } from '@connector/platform/host/problem';
import { onlyFor } from '@connector/platform/host/only-for';
import { outcomeBody, sendOutcome } from '@connector/platform/host/outcome';
import { askedBy } from '../asked-by';
import { documentProblem } from '../document-problem';
import { type Reply, sendInstalled } from './answers';
import { choicesIn, InstallAsPlannedBody, InstallBody, JournalQuery } from './bodies';
import type { PreparationParts } from './gather';
import { prepareInstallation } from './install';
import { planInstallation } from './plan';

export const PREPARATION = Symbol('preparation');

type Place = Readonly<Record<string, string>>;

const PLANNED = { prepared: 200, 'release-absent': 404, 'live-installation-exists': 409, 'publication-open': 409 };
const FOUND = { found: 200, absent: 404 };

/** Installing an App, and what became of it (catalog.md B.3). */
@Controller('v1/orgs/:organization/app-installations')
export class InstallationsController {
  constructor(@Inject(PREPARATION) private readonly parts: PreparationParts) {}

  @Post()
  @UseGuards(onlyFor('local', 'operator'))
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
  @UseGuards(onlyFor('local', 'operator'))
  async plan(@Param() { organization = '' }: Place, @Body() body: InstallBody, @Res() reply: Reply): Promise<void> {
    const planned = await planInstallation(this.parts, organization, { ...choicesIn(body), appId: body.app_id });
    if (planned.kind !== 'faulty') return sendOutcome(reply, PLANNED, planned);
    throw documentProblem('HOUSE:catalog:PreparationFaulty', `installation of ${body.app_id}`, '', planned);
  }

  @Get(':installation')
  @UseGuards(onlyFor('local', 'operator'))
  async get(@Param() { organization = '', installation = '' }: Place, @Res() reply: Reply): Promise<void> {
    sendOutcome<Installation | { readonly kind: 'absent' }>(
      reply,
      FOUND,
      await readInstallation(this.parts.db, organization, installation),
    );
  }

  @Get(':installation/journal')
  @UseGuards(onlyFor('local', 'operator'))
  async journal(@Param() { organization = '', installation = '' }: Place, @Query() { from_attempt: from }: JournalQuery): Promise<unknown> {
    return outcomeBody({ entries: await readJournal(this.parts.db, organization, installation, BigInt(from)) });
  }
}

function expectedIn({
  expected_catalog_revision: revision,
  expected_security_epoch: epoch,
}: InstallAsPlannedBody): ExpectedBasis | undefined {
  if (revision === undefined && epoch === undefined) return undefined;
  if (revision !== undefined && epoch !== undefined) return { catalogRevision: BigInt(revision), securityEpoch: BigInt(epoch) };
  throw new BodyFault([{ pointer: '', detail: 'expected_catalog_revision and expected_security_epoch come together' }]);
}
