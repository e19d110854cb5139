import { Body, Controller, Inject, Param, UseFilters } from '@nestjs/common';
import { BINDING_ACTS } from './api/installs-routes';
import { Serves } from './api/operation';
import {
  ActivateBindingBody,
  CloseReferenceBody,
  ConfirmBindingBody,
  DecideRetentionBody,
  OpenReferenceBody,
  PlanBindingBody,
  StageBindingBody,
} from './binding-bodies';
import type { Bindings } from './bindings';
import { RowProblemFilter } from './row-problem';

export const BINDINGS = Symbol('bindings');

/** Bindings as people move them: staged freely, moved by a plan. */
@Controller('v1')
@UseFilters(RowProblemFilter)
export class BindingsController {
  constructor(@Inject(BINDINGS) private readonly bindings: Bindings) {}

  @Serves(BINDING_ACTS.get)
  get(@Param('organization') organization: string, @Param('installation') installation: string, @Param('binding') binding: string) {
    return this.bindings.get(organization, installation, binding);
  }

  @Serves(BINDING_ACTS.stage)
  stage(@Body() body: StageBindingBody) {
    return this.bindings.stage(body);
  }

  @Serves(BINDING_ACTS.refer)
  refer(@Body() body: OpenReferenceBody) {
    return this.bindings.refer(body);
  }

  @Serves(BINDING_ACTS.plan)
  plan(@Body() body: PlanBindingBody) {
    return this.bindings.plan(body);
  }

  @Serves(BINDING_ACTS.activate)
  activate(@Body() body: ActivateBindingBody) {
    return this.bindings.activate(body);
  }

  @Serves(BINDING_ACTS.retire)
  retire(@Body() body: ConfirmBindingBody) {
    return this.bindings.retire(body);
  }

  @Serves(BINDING_ACTS.fail)
  fail(@Body() body: ConfirmBindingBody) {
    return this.bindings.fail(body);
  }

  @Serves(BINDING_ACTS.closeReference)
  closeReference(@Body() body: CloseReferenceBody) {
    return this.bindings.closeReference(body);
  }

  @Serves(BINDING_ACTS.decideRetention)
  decideRetention(@Body() body: DecideRetentionBody) {
    return this.bindings.decideRetention(body);
  }
}
