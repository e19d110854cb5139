import { Body, Controller, Headers, Inject, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { ActivatedBinding } from '@connector/catalog/transitions/binding/activate-binding.tx';
import type { BindingRef } from '@connector/catalog/transitions/binding/binding-rows';
import { closeBindingReference } from '@connector/catalog/transitions/binding/close-binding-reference.tx';
import { decideRetention } from '@connector/catalog/transitions/binding/decide-retention.tx';
import { failBinding } from '@connector/catalog/transitions/binding/fail-binding.tx';
import { openBindingReference } from '@connector/catalog/transitions/binding/open-binding-reference.tx';
import { retireBinding } from '@connector/catalog/transitions/binding/retire-binding.tx';
import type { StagedBinding } from '@connector/catalog/transitions/binding/stage-binding.tx';
import type { JsonObject } from '@connector/kernel/jcs';
import type { RequestKey } from '@connector/catalog/model/request';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { sendOutcome } from '@connector/platform/host/outcome';
import { askedBy } from '../asked-by';
import { documentProblem } from '../document-problem';
import { ActivateBindingBody, BindingBody, ReferenceBody, RetentionBody } from './bodies';
import type { PreparationParts } from './gather';
import { PREPARATION } from './installations.controller';
import { activate, stage } from './rebind';
import { NothingWrittenFilter } from '../owner-silent';
import { As } from '../roles';

interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}
type Place = Readonly<Record<string, string>>;

const STAGED = { staged: 201, 'barrier-held': 409, 'not-active': 409, 'release-moved': 409 };
const ACTIVATED = {
  activated: 200,
  'barrier-held': 409,
  'no-binding': 404,
  'not-active': 409,
  'not-staged': 409,
  'ownership-epoch-stale': 409,
  'release-moved': 409,
};
const RETIRED = { retired: 200, 'barrier-held': 409, 'no-binding': 404, 'not-draining': 409, 'still-referred-to': 409 };
const FAILED = { failed: 200, 'barrier-held': 409, 'no-binding': 404, 'not-staged': 409, 'publication-open': 409 };
const OPENED = {
  opened: 201,
  'already-open': 200,
  'already-closed': 409,
  'conflicting-reference': 409,
  'no-binding': 404,
  'not-serving': 409,
};
const CLOSED = { closed: 200, 'already-closed': 200, 'no-reference': 404 };
const DECIDED = { decided: 201, 'already-decided': 200, 'no-binding': 404, 'not-draining': 409 };

const refOf = ({ organization = '', installation = '', binding: bindingId = '' }: Place): BindingRef => ({
  organization,
  installation,
  bindingId,
});

/** Which exact release serves a capability (catalog.md B.3); a frontend stands under the capability `frontend`. */
@UseFilters(NothingWrittenFilter)
@Controller('v1/orgs/:organization/app-installations/:installation/handler-bindings')
export class BindingsController {
  constructor(@Inject(PREPARATION) private readonly parts: PreparationParts) {}

  @Post()
  @As('operator')
  async stage(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Body() body: BindingBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const { organization, installation } = refOf(place);
    const rebinding = { capabilityId: body.capability_id, workloadId: body.workload_id ?? null, artifactDigest: body.artifact_digest };
    const by = this.#by(request, key, 'stage-binding', place, { ...rebinding });
    const answer = compatible(await stage(this.parts, { organization, installation, rebinding }, by));
    sendOutcome(reply, STAGED, answer);
  }

  @Post(':binding/activate')
  @As('operator')
  async activate(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Body() { expected_ownership_epoch: epoch }: ActivateBindingBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const by = this.#by(request, key, 'activate-binding', place, { epoch });
    const answer = compatible(await activate(this.parts, { ...refOf(place), expectedOwnershipEpoch: BigInt(epoch) }, by));
    sendOutcome(reply, ACTIVATED, answer);
  }

  @Post(':binding/retire')
  @As('operator')
  async retire(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Res() reply: Reply,
  ): Promise<void> {
    const by = this.#by(request, key, 'retire-binding', place, {});
    sendOutcome(reply, RETIRED, await retrying(ANSWER_SOON, () => retireBinding(this.parts.db, refOf(place), by)));
  }

  @Post(':binding/fail')
  @As('operator')
  async fail(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Res() reply: Reply,
  ): Promise<void> {
    const by = this.#by(request, key, 'fail-binding', place, {});
    sendOutcome(reply, FAILED, await retrying(ANSWER_SOON, () => failBinding(this.parts.db, refOf(place), by)));
  }

  @Post(':binding/references')
  @As('operator')
  async refer(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Body() { reference_id: referenceId, kind }: ReferenceBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const reference = { ...refOf(place), referenceId, kind };
    const { caller } = this.#by(request, key, 'open-binding-reference', place, { referenceId });
    sendOutcome(reply, OPENED, await retrying(ANSWER_SOON, () => openBindingReference(this.parts.db, reference, caller)));
  }

  @Post(':binding/references/:reference/close')
  @As('operator')
  async close(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Res() reply: Reply,
  ): Promise<void> {
    const reference = { ...refOf(place), referenceId: place['reference'] ?? '' };
    const { caller } = this.#by(request, key, 'close-binding-reference', place, {});
    sendOutcome(reply, CLOSED, await retrying(ANSWER_SOON, () => closeBindingReference(this.parts.db, reference, caller)));
  }

  @Post(':binding/retention')
  @As('operator')
  async decide(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() place: Place,
    @Body() { reason }: RetentionBody,
    @Res() reply: Reply,
  ): Promise<void> {
    const by = this.#by(request, key, 'decide-retention', place, { reason });
    sendOutcome(reply, DECIDED, await retrying(ANSWER_SOON, () => decideRetention(this.parts.db, { ...refOf(place), reason }, by)));
  }

  #by(request: object, key: string | undefined, door: string, place: Place, told: JsonObject): RequestKey {
    return askedBy(request, key, { door, ...refOf(place), ...told });
  }
}

type Answer = StagedBinding | ActivatedBinding;

/** Every check that failed, as one problem. */
function compatible<A extends Answer>(answer: A): Exclude<A, { readonly kind: 'incompatible' }> {
  if (isCompatible(answer)) return answer;
  const faults = answer.kind === 'incompatible' ? answer.faults : [];
  throw documentProblem('HOUSE:catalog:BindingIncompatible', 'binding', '', { faults, more: 0 });
}

function isCompatible<A extends Answer>(answer: A): answer is Exclude<A, { readonly kind: 'incompatible' }> {
  return answer.kind !== 'incompatible';
}
