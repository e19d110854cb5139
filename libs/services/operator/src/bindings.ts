import type { JsonObject } from '@connector/kernel/jcs';
import { FRONTEND } from '@connector/catalog/model/installation/binding';
import { hasReference, readBindingHold } from '@connector/catalog/reads/binding-detail';
import { readShownBinding, type ShownBinding } from '@connector/catalog/reads/shown-binding';
import type { Db } from '@connector/platform/db/db';
import { BodyFault } from '@connector/platform/host/problem';
import {
  BINDING_ACTIVATED,
  BINDING_DETAIL,
  BINDING_FAILED,
  BINDING_RETIRED,
  BINDING_STAGED,
  REFERENCE_CLOSED,
  REFERENCE_OPENED,
  RETENTION_DECIDED,
} from './api/installs-shapes';
import { askCatalog } from './ask-catalog';
import type {
  ActivateBindingBody,
  CloseReferenceBody,
  ConfirmBindingBody,
  DecideRetentionBody,
  OpenReferenceBody,
  PlanBindingBody,
  StageBindingBody,
} from './binding-bodies';
import { bindingPlan, type BindingVerb, stateFor } from './binding-plan';
import { movedFrom, refusalOf } from './catalog-refusals';
import { requireInstallation } from './installs';
import type { OwnerAnswer, OwnerClient } from './owner-client';
import { planDigest, type PlannedAct } from './plan';
import { askingIn } from './registry-bodies';
import { planOfDigest } from './registry-confirm';
import { RowProblem } from './row-problem';
import { shownAs } from './shown';

const detail = shownAs(BINDING_DETAIL);
const staged = shownAs(BINDING_STAGED);
const activated = shownAs(BINDING_ACTIVATED);
const retired = shownAs(BINDING_RETIRED);
const failed = shownAs(BINDING_FAILED);
const referred = shownAs(REFERENCE_OPENED);
const closed = shownAs(REFERENCE_CLOSED);
const decided = shownAs(RETENTION_DECIDED);

type Installed = Pick<PlanBindingBody, 'organization' | 'installation'>;
const placeOf = ({ organization, installation }: Installed): string =>
  `/v1/orgs/${encodeURIComponent(organization)}/app-installations/${encodeURIComponent(installation)}/handler-bindings`;
const lookOf = ({ organization, installation }: Installed, binding?: string): string =>
  binding === undefined
    ? `connector bindings list ${installation} --organization ${organization}`
    : `connector bindings get ${installation} ${binding} --organization ${organization}`;
const success = ({ status, body }: OwnerAnswer): object | undefined => (status < 300 ? Object.fromEntries(body) : undefined);

/** Which exact release serves a capability, changed without a publication (cat:BIND-06), and what keeps one that drains. */
export class Bindings {
  constructor(
    private readonly db: Db,
    private readonly catalog: OwnerClient,
  ) {}

  async get(organization: string, installation: string, binding: string) {
    const shown = await this.#shown({ organization, installation }, binding);
    const hold = await readBindingHold(this.db, organization, installation, binding);
    return detail({ bindingId: binding, ...shown, ...hold });
  }

  /** Nothing serves by it, so nobody has to look at a plan first. */
  async stage({ capability_id, workload_id, artifact_digest, organization, installation, ...keyed }: StageBindingBody) {
    checkWorkload(capability_id, workload_id);
    await requireInstallation(this.db, organization, installation);
    const body = { capability_id, artifact_digest, ...(workload_id === undefined ? {} : { workload_id }) };
    const [at, asking] = [placeOf({ organization, installation }), askingIn(keyed)];
    return askCatalog(this.catalog, { method: 'POST', at, body, asking }, staged, 'BindingIncompatible');
  }

  /** It only makes a binding wait, and is known by its id. */
  async refer({ binding_id: binding, reference_id, kind, ...body }: OpenReferenceBody) {
    const at = `${placeOf(body)}/${encodeURIComponent(binding)}/references`;
    const answer = await this.catalog.keyed('POST', at, { reference_id, kind }, askingIn(body));
    const done = success(answer);
    if (done === undefined) throw refusalOf(answer, 'BindingIncompatible', lookOf(body, binding));
    return referred(done);
  }

  async plan(body: PlanBindingBody): Promise<PlannedAct> {
    const { verb, binding_id: binding, organization, installation } = body;
    const shown = await this.#shown(body, binding);
    const from = stateFor(verb);
    if (from !== null && shown.state !== from) throw notInState(verb, shown, lookOf(body));
    const bound = boundBy(body, shown);
    if (body.reference_id !== undefined) await this.#requireReference(body, body.reference_id);
    const { references, more, retention } = await readBindingHold(this.db, organization, installation, binding);
    const plan = bindingPlan(verb, binding, bound);
    const digest = planDigest(plan);
    const flags = { activate: ` --expected-ownership-epoch ${shown.headEpoch}`, 'decide-retention': ' --reason "..."' };
    const named = verb === 'close-reference' ? ` ${body.reference_id ?? ''}` : '';
    const expected = verb === 'activate' || verb === 'decide-retention' ? flags[verb] : '';
    const command = `connector bindings ${verb} ${installation} ${binding}${named} --organization ${organization}${expected}`;
    const referred_by = references.map((one) => `${one.kind} ${one.referenceId}`);
    const estimate = {
      capability_id: shown.capabilityId,
      state: shown.state,
      let_go_by: retention?.decidedBy ?? 'nobody',
      referred_by,
      referred_by_more: more,
    };
    return { plan, digest, estimate, confirm: `${command} --confirm ${digest}` };
  }

  async activate(body: ActivateBindingBody) {
    const { expected_ownership_epoch: epoch } = body;
    const answer = await this.#confirm('activate', body, { ownership_epoch: epoch }, { expected_ownership_epoch: epoch });
    if (answer.kind === 'ownership-epoch-stale') throw movedFrom({ ownership_epoch: epoch }, answer, lookOf(body));
    return done(answer, activated, lookOf(body));
  }

  async retire(body: ConfirmBindingBody) {
    return done(await this.#confirm('retire', body, {}, {}), retired, lookOf(body, body.binding_id));
  }

  async fail(body: ConfirmBindingBody) {
    return done(await this.#confirm('fail', body, {}, {}), failed, lookOf(body));
  }

  async closeReference(body: CloseReferenceBody) {
    const { reference_id } = body;
    const at = `references/${encodeURIComponent(reference_id)}/close`;
    return done(await this.#confirm('close-reference', body, { reference_id }, {}, at), closed, lookOf(body, body.binding_id));
  }

  async decideRetention(body: DecideRetentionBody) {
    const { reason } = body;
    const answer = await this.#confirm('decide-retention', body, {}, { reason }, 'retention');
    return done(answer, decided, lookOf(body, body.binding_id));
  }

  #confirm(verb: BindingVerb, body: ConfirmBindingBody, bound: JsonObject, asked: object, at: string = verb): Promise<OwnerAnswer> {
    const { binding_id: binding } = body;
    const named = typeof bound['reference_id'] === 'string' ? ` ${bound['reference_id']}` : '';
    const again = `connector bindings ${verb} ${body.installation} ${binding}${named} --organization ${body.organization} --plan`;
    planOfDigest(bindingPlan(verb, binding, bound), body.confirm, again);
    return this.catalog.keyed('POST', `${placeOf(body)}/${encodeURIComponent(binding)}/${at}`, asked, askingIn(body));
  }

  /** One that was closed is planned as well: its plan can be made again after it was carried out. */
  async #requireReference({ organization, installation, binding_id: binding }: PlanBindingBody, reference: string): Promise<void> {
    if (await hasReference(this.db, organization, installation, binding, reference)) return;
    const detail = `Nothing refers to ${binding} as ${reference}. Nothing was written.`;
    throw new RowProblem('NotFound', { detail, nextSteps: [lookOf({ organization, installation }, binding)] });
  }

  async #shown(place: Installed, binding: string): Promise<ShownBinding> {
    const shown = await readShownBinding(this.db, place.organization, place.installation, binding);
    if (shown !== undefined) return shown;
    throw new RowProblem('NotFound', { detail: `${place.installation} has no binding ${binding}.`, nextSteps: [lookOf(place)] });
  }
}

function done<T>(answer: OwnerAnswer, shown: (body: object) => T, look: string): T {
  const body = success(answer);
  if (body !== undefined) return shown(body);
  throw refusalOf(answer, 'BindingIncompatible', look);
}

/** Who runs a service release is a choice; a frontend is run by nobody. */
function checkWorkload(capability: string, workload: string | undefined): void {
  if ((capability === FRONTEND) === (workload === undefined)) return;
  const detail = capability === FRONTEND ? 'a frontend has no workload' : 'a service release is run by a workload, which must be named';
  throw new BodyFault([{ pointer: '/workload_id', detail }]);
}

/** What a plan of this verb binds beside the state. */
function boundBy({ verb, reference_id }: PlanBindingBody, { headEpoch }: ShownBinding): JsonObject {
  if (verb === 'activate') return { ownership_epoch: headEpoch.toString() };
  if (verb !== 'close-reference') return {};
  if (reference_id !== undefined) return { reference_id };
  throw new BodyFault([{ pointer: '/reference_id', detail: 'the reference that is to be closed must be named' }]);
}

function notInState(verb: BindingVerb, { state }: ShownBinding, look: string): RowProblem {
  const detail = `The binding is ${state}; ${verb} starts from ${stateFor(verb) ?? 'any state'}. Nothing was written.`;
  return new RowProblem('CatalogRefused', { detail, actual: { state }, nextSteps: [look] });
}
