import { Body, Controller, Get, Headers, Inject, Param, Put, Query, Req, Res } from '@nestjs/common';
import type { ViewBinding } from '@connector/catalog/model/documents';
import { WorkloadId } from '@connector/catalog/model/identifier';
import { readCurrentView } from '@connector/catalog/reads/current-view';
import type { Db } from '@connector/platform/db/db';
import { sendOutcome } from '@connector/platform/host/outcome';
import { askedBy } from './asked-by';
import { MembershipBody, type ViewBindingBody, ViewQuery } from './bodies';
import { CATALOG_DB, PACKS_DB } from './databases';
import { documentProblem } from './document-problem';
import { wantMembership } from './want-membership';
import { As } from './roles';

interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}
type Place = Readonly<Record<string, string>>;

const SET = {
  set: 201,
  'barrier-held': 409,
  'already-set': 200,
  'revision-moved': 409,
  'installation-absent': 404,
  'installation-removed': 409,
};
const CURRENT = { found: 200, absent: 404, 'not-fresh': 409, mismatch: 409 };

/** Membership as it is wanted, and the view that serves (catalog.md B.3). */
@Controller('v1/orgs/:organization/app-installations/:installation')
export class ViewsController {
  constructor(
    @Inject(CATALOG_DB) private readonly catalog: Db,
    @Inject(PACKS_DB) private readonly packs: Db,
  ) {}

  @Put('integration-bindings')
  @As('operator')
  async want(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() { organization = '', installation = '' }: Place,
    @Body() body: MembershipBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const { workload, expected_catalog_revision: expected } = body;
    const bindings = body.bindings.map(bindingOf);
    const asked = { door: 'set-membership', organization, installation, workload, expected, bindings };
    const answer = await wantMembership(this.catalog, this.packs, {
      request: askedBy(request, key, asked),
      organization,
      installation,
      workload: WorkloadId.parse(workload),
      expectedCatalogRevision: BigInt(expected),
      bindings,
    });
    if (answer.kind === 'faulty') throw documentProblem('HOUSE:catalog:MembershipFaulty', 'membership', '/bindings', answer);
    sendOutcome(reply, SET, answer);
  }

  @Get('workloads/:workload/integration-binding-view')
  @As('connector')
  async current(
    @Param() { organization = '', installation = '', workload = '' }: Place,
    @Query() query: ViewQuery,
    @Res() reply: Reply,
  ): Promise<void> {
    const scope = { organization, installation, workload };
    sendOutcome(reply, CURRENT, await readCurrentView(this.catalog, scope, BigInt(query.min_catalog_revision)));
  }
}

/** A document is made of plain objects, and a member that was left out stays out. */
function bindingOf({ runtime_command: command, ...binding }: ViewBindingBody): ViewBinding {
  const runtime = command && { definition_id: command.definition_id, definition_version: command.definition_version };
  return { ...binding, ...(runtime ? { runtime_command: runtime } : {}) };
}
