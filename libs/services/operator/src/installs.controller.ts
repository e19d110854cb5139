import { Body, Controller, Inject, Param, Query, UseFilters } from '@nestjs/common';
import { INSTALL_ACTS, MOVE_ACTS, VIEW_ACTS } from './api/installs-routes';
import { Serves } from './api/operation';
import type { Installs } from './installs';
import { BindingsQuery, InstallBody, InstallsQuery, JournalQuery, MembershipBody, PlanInstallBody, ResumeBody } from './installs-bodies';
import { MoveBody, PlanMoveBody } from './move-bodies';
import type { Moves } from './moves';
import { RowProblemFilter } from './row-problem';
import type { Views } from './views';

export const INSTALLS = Symbol('installs');
export const MOVES = Symbol('moves');
export const VIEWS = Symbol('views');

/** What is installed, what serves in it, and the plans that change it. */
@Controller('v1')
@UseFilters(RowProblemFilter)
export class InstallsController {
  constructor(
    @Inject(INSTALLS) private readonly installs: Installs,
    @Inject(MOVES) private readonly moves: Moves,
    @Inject(VIEWS) private readonly views: Views,
  ) {}

  @Serves(INSTALL_ACTS.list)
  list(@Query() query: InstallsQuery) {
    return this.installs.list(query);
  }

  @Serves(INSTALL_ACTS.get)
  get(@Param('organization') organization: string, @Param('installation') installation: string) {
    return this.installs.get(organization, installation);
  }

  @Serves(INSTALL_ACTS.journal)
  journal(
    @Param('organization') organization: string,
    @Param('installation') installation: string,
    @Query() { from_attempt: from }: JournalQuery,
  ) {
    return this.installs.journal(organization, installation, from);
  }

  @Serves(INSTALL_ACTS.plan)
  plan(@Body() body: PlanInstallBody) {
    return this.installs.plan(body);
  }

  @Serves(INSTALL_ACTS.install)
  install(@Body() body: InstallBody) {
    return this.installs.install(body);
  }

  @Serves(INSTALL_ACTS.resume)
  resume(@Body() body: ResumeBody) {
    return this.installs.resume(body);
  }

  @Serves(MOVE_ACTS.plan)
  planMove(@Body() body: PlanMoveBody) {
    return this.moves.plan(body);
  }

  @Serves(MOVE_ACTS.upgrade)
  upgrade(@Body() body: MoveBody) {
    return this.moves.publish('upgrade', body);
  }

  @Serves(MOVE_ACTS.rollback)
  rollback(@Body() body: MoveBody) {
    return this.moves.publish('rollback', body);
  }

  @Serves(MOVE_ACTS.remove)
  remove(@Body() body: MoveBody) {
    return this.moves.publish('remove', body);
  }

  @Serves(MOVE_ACTS.abandon)
  abandon(@Body() body: MoveBody) {
    return this.moves.abandon(body);
  }

  @Serves(VIEW_ACTS.bindings)
  bindings(@Param('organization') organization: string, @Param('installation') installation: string, @Query() query: BindingsQuery) {
    return this.views.bindings(organization, installation, query);
  }

  @Serves(VIEW_ACTS.membership)
  membership(
    @Param('organization') organization: string,
    @Param('installation') installation: string,
    @Param('workload') workload: string,
  ) {
    return this.views.show({ organization, installation, workload });
  }

  @Serves(VIEW_ACTS.setMembership)
  setMembership(@Body() body: MembershipBody) {
    return this.views.set(body);
  }
}
