import { Body, Controller, Get, Inject, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { readCurrentView } from '@connector/catalog/reads/current-view';
import { setInterimView } from '@connector/catalog/transitions/set-interim-view.tx';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { onlyFor } from '@connector/platform/host/only-for';
import { sendOutcome } from '@connector/platform/host/outcome';
import { InterimViewBody, type ViewBindingBody, ViewQuery } from './bodies';

export const CATALOG_DB = Symbol('catalog-db');

interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}

/** In every answer about a view: an operator stated it, no App authority computed it (decisions 13.11). */
const INTERIM = { interim: true } as const;
const SET = { set: 201, 'already-set': 200, 'conflicting-view': 409, 'revision-moved': 409, 'lineage-differs': 409 };
const CURRENT = { found: 200, absent: 404, 'not-fresh': 409 };

@Controller('v1')
export class ViewsController {
  constructor(@Inject(CATALOG_DB) private readonly db: Db) {}

  @Post('interim-views')
  @UseGuards(onlyFor('local', 'operator'))
  async set(@Body() body: InterimViewBody, @Res() reply: Reply): Promise<void> {
    const input = {
      organization: body.organization,
      installation: body.installation,
      workload: body.workload,
      lineageId: body.lineage_id,
      catalogRevision: BigInt(body.catalog_revision),
      bindings: body.bindings.map(bindingOf),
    };
    const answer = await retrying(ANSWER_SOON, () => setInterimView(this.db, input));
    sendOutcome(reply, SET, { ...answer, ...INTERIM });
  }

  @Get('orgs/:organization/app-installations/:installation/workloads/:workload/integration-binding-view')
  @UseGuards(onlyFor('cutover-coordinator', 'local', 'operator'))
  async current(@Param() params: Readonly<Record<string, string>>, @Query() query: ViewQuery, @Res() reply: Reply): Promise<void> {
    const { organization = '', installation = '', workload = '' } = params;
    const view = await readCurrentView(this.db, { organization, installation, workload }, BigInt(query.min_catalog_revision));
    sendOutcome(reply, CURRENT, { ...view, ...INTERIM });
  }
}

/** A document is made of plain objects, and a member that was left out stays out. */
function bindingOf({ runtime_command: command, ...binding }: ViewBindingBody) {
  const runtime = command && { definition_id: command.definition_id, definition_version: command.definition_version };
  return { ...binding, ...(runtime ? { runtime_command: runtime } : {}) };
}
