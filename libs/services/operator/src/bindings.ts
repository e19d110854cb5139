import { readShownBinding, type ShownBinding } from '@connector/catalog/reads/shown-binding';
import type { Db } from '@connector/platform/db/db';
import { BINDING_ACTIVATED, BINDING_FAILED, BINDING_RETIRED, BINDING_STAGED } from './api/installs-shapes';
import { askCatalog } from './ask-catalog';
import type { ConfirmBindingBody, PlanBindingBody, StageBindingBody } from './binding-bodies';
import { bindingPlan, type BindingVerb, stateFor } from './binding-plan';
import { movedFrom, refusalOf } from './catalog-refusals';
import type { OwnerClient } from './owner-client';
import { planDigest, type PlannedAct } from './plan';
import { planOfDigest } from './registry-confirm';
import { RowProblem } from './row-problem';
import { shownAs } from './shown';

const staged = shownAs(BINDING_STAGED);
const activated = shownAs(BINDING_ACTIVATED);
const retired = shownAs(BINDING_RETIRED);
const failed = shownAs(BINDING_FAILED);

type Installed = Pick<PlanBindingBody, 'organization' | 'installation'>;
const placeOf = ({ organization, installation }: Installed): string =>
  `/v1/orgs/${encodeURIComponent(organization)}/app-installations/${encodeURIComponent(installation)}/handler-bindings`;
const lookOf = ({ organization, installation }: Installed): string =>
  `connector bindings list ${installation} --organization ${organization}`;

/** Which exact release serves a capability, changed without a publication (cat:BIND-06). */
export class Bindings {
  constructor(
    private readonly db: Db,
    private readonly catalog: OwnerClient,
  ) {}

  /** Nothing serves by it, so nobody has to look at a plan first. */
  stage({ operation_id: key, capability_id, workload_id, artifact_digest, ...place }: StageBindingBody) {
    const body = { capability_id, artifact_digest, ...(workload_id === undefined ? {} : { workload_id }) };
    return askCatalog(this.catalog, { method: 'POST', at: placeOf(place), body, key }, staged, 'BindingIncompatible');
  }

  async plan(body: PlanBindingBody): Promise<PlannedAct> {
    const { verb, binding_id: binding, organization, installation } = body;
    const shown = await this.#shown(body, binding);
    if (shown.state !== stateFor(verb)) throw notInState(verb, shown, lookOf(body));
    const epoch = verb === 'activate' ? shown.headEpoch.toString() : undefined;
    const plan = bindingPlan(verb, binding, epoch);
    const digest = planDigest(plan);
    const expected = epoch === undefined ? '' : ` --expected-ownership-epoch ${epoch}`;
    const estimate = { capability_id: shown.capabilityId };
    const command = `connector bindings ${verb} ${installation} ${binding} --organization ${organization}${expected}`;
    return { plan, digest, estimate, confirm: `${command} --confirm ${digest}` };
  }

  async activate(body: ConfirmBindingBody) {
    const { expected_ownership_epoch: epoch = '' } = body;
    const answer = await this.#confirm('activate', body, epoch);
    if (answer.status < 300) return activated(Object.fromEntries(answer.body));
    if (answer.kind === 'ownership-epoch-stale') throw movedFrom({ ownership_epoch: epoch }, answer, lookOf(body));
    throw refusalOf(answer, 'BindingIncompatible');
  }

  async retire(body: ConfirmBindingBody) {
    const answer = await this.#confirm('retire', body, undefined);
    if (answer.status < 300) return retired(Object.fromEntries(answer.body));
    throw refusalOf(answer);
  }

  async fail(body: ConfirmBindingBody) {
    const answer = await this.#confirm('fail', body, undefined);
    if (answer.status < 300) return failed(Object.fromEntries(answer.body));
    throw refusalOf(answer);
  }

  #confirm(verb: BindingVerb, body: ConfirmBindingBody, epoch: string | undefined) {
    planOfDigest(bindingPlan(verb, body.binding_id, epoch), body.confirm, lookOf(body));
    const asked = epoch === undefined ? {} : { expected_ownership_epoch: epoch };
    return this.catalog.keyed('POST', `${placeOf(body)}/${encodeURIComponent(body.binding_id)}/${verb}`, asked, body.operation_id);
  }

  async #shown(place: Installed, binding: string): Promise<ShownBinding> {
    const shown = await readShownBinding(this.db, place.organization, place.installation, binding);
    if (shown !== undefined) return shown;
    throw new RowProblem('NotFound', { detail: `${place.installation} has no binding ${binding}.`, nextSteps: [lookOf(place)] });
  }
}

function notInState(verb: BindingVerb, { state }: ShownBinding, look: string): RowProblem {
  const detail = `The binding is ${state}; ${verb} needs ${stateFor(verb)}. Nothing was written.`;
  return new RowProblem('CatalogRefused', { detail, actual: { state }, nextSteps: [look] });
}
