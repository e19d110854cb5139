import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, Length, Matches, ValidateNested } from 'class-validator';
import { LIVE_STATES } from '@connector/catalog/model/installation/installation';
import type { AskedInstallation } from '@connector/catalog/model/installation/asked';
import type { ExpectedBasis } from '@connector/catalog/model/installation/gathered';
import type { Digest } from '@connector/kernel/digest';
import { U64_TEXT } from '@connector/platform/host/body';
import { BodyFault } from '@connector/platform/host/problem';
import type { Place } from './plan-move';
import type { SeenInstallation } from './standing';

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const LIST_MAX = 200;

class DependencyBody {
  @Length(1, 63) alias!: string;
  @Matches(DIGEST) app_release_digest!: Digest;
}
class GrantBody {
  @Length(1, 128) workload_id!: string;
  @IsArray() @ArrayMaxSize(LIST_MAX) @Length(1, 128, { each: true }) capabilities!: string[];
}
class HandlerBindingBody {
  @Length(1, 128) capability_id!: string;
  @Length(1, 128) workload_id!: string;
  @Matches(DIGEST) service_release_digest!: Digest;
}

export class ChoicesBody {
  @Matches(DIGEST) app_release_digest!: Digest;
  @IsArray() @ArrayMaxSize(LIST_MAX) @ValidateNested({ each: true }) @Type(() => DependencyBody) dependencies!: DependencyBody[];
  @IsArray() @ArrayMaxSize(LIST_MAX) @ValidateNested({ each: true }) @Type(() => GrantBody) grants!: GrantBody[];
  @IsArray()
  @ArrayMaxSize(LIST_MAX)
  @ValidateNested({ each: true })
  @Type(() => HandlerBindingBody)
  handler_bindings!: HandlerBindingBody[];
  @IsOptional() @Matches(DIGEST) frontend_release_digest?: Digest;
}

/** Every choice of the operator. An id of what is to be made is none of them: Catalog mints it (cat:ID-14). */
export class InstallBody extends ChoicesBody {
  @Length(1, 128) app_id!: string;
}

/** The same, under the plan that somebody confirmed, where somebody did: both or none. */
export class InstallAsPlannedBody extends InstallBody implements AsPlanned {
  @IsOptional() @Matches(U64_TEXT) expected_catalog_revision?: string;
  @IsOptional() @Matches(U64_TEXT) expected_security_epoch?: string;
}

/** Of an installation that there is the App is no choice (cat:INST-04). */
export class UpgradeBody extends ChoicesBody implements AsPlanned {
  @IsIn(LIVE_STATES) expected_state!: (typeof LIVE_STATES)[number];
  @Matches(U64_TEXT) expected_activation_epoch!: string;
  @IsOptional() @Matches(U64_TEXT) expected_catalog_revision?: string;
  @IsOptional() @Matches(U64_TEXT) expected_security_epoch?: string;
}

export class SeenBody {
  @IsIn(LIVE_STATES) expected_state!: (typeof LIVE_STATES)[number];
  @Matches(U64_TEXT) expected_activation_epoch!: string;
}

/** Under the plan that somebody confirmed, where somebody did: both or none. */
export class AsPlannedBody extends SeenBody implements AsPlanned {
  @IsOptional() @Matches(U64_TEXT) expected_catalog_revision?: string;
  @IsOptional() @Matches(U64_TEXT) expected_security_epoch?: string;
}
export class RollBackBody extends AsPlannedBody {
  @Matches(DIGEST) app_release_digest!: Digest;
}
export class AbandonBody extends SeenBody {
  /** Whose candidate the plan gives up. */
  @IsOptional() @Matches(U64_TEXT) expected_attempt?: string;
}

export class TargetBody {
  @Matches(DIGEST) app_release_digest!: Digest;
}
export class NoChoiceBody {}

export class JournalQuery {
  @Matches(U64_TEXT) from_attempt: string = '0';
}

export class BindingBody {
  /** `frontend` for the frontend. */
  @Length(1, 128) capability_id!: string;
  @IsOptional() @Length(1, 128) workload_id?: string;
  /** Of a service release, or of a frontend release. */
  @Matches(DIGEST) artifact_digest!: Digest;
}
export class ActivateBindingBody {
  @Matches(U64_TEXT) expected_ownership_epoch!: string;
}
export class ReferenceBody {
  @Length(1, 128) reference_id!: string;
  @IsIn(['route', 'work']) kind!: 'route' | 'work';
}
export class RetentionBody {
  @Length(1, 256) reason!: string;
}

interface AsPlanned {
  readonly expected_catalog_revision?: string;
  readonly expected_security_epoch?: string;
}

export function expectedIn({ expected_catalog_revision: revision, expected_security_epoch: epoch }: AsPlanned): ExpectedBasis | undefined {
  if (revision === undefined && epoch === undefined) return undefined;
  if (revision !== undefined && epoch !== undefined) return { catalogRevision: BigInt(revision), securityEpoch: BigInt(epoch) };
  throw new BodyFault([{ pointer: '', detail: 'expected_catalog_revision and expected_security_epoch come together' }]);
}

export function seenIn(place: Place, body: SeenBody & AsPlanned & Pick<AbandonBody, 'expected_attempt'>): SeenInstallation {
  const { expected_state: expectedState, expected_activation_epoch: epoch, expected_attempt: attempt } = body;
  return {
    ...{ ...place, expectedState, expectedActivationEpoch: BigInt(epoch), expected: expectedIn(body) },
    expectedAttempt: attempt === undefined ? undefined : BigInt(attempt),
  };
}

export function choicesIn(body: ChoicesBody): Omit<AskedInstallation, 'appId'> {
  return {
    appReleaseDigest: body.app_release_digest,
    dependencies: body.dependencies.map(({ alias, app_release_digest: appReleaseDigest }) => ({ alias, appReleaseDigest })),
    grants: body.grants.map(({ workload_id: workloadId, capabilities }) => ({ workloadId, capabilities })),
    handlerBindings: body.handler_bindings.map((binding) => ({
      capabilityId: binding.capability_id,
      workloadId: binding.workload_id,
      serviceReleaseDigest: binding.service_release_digest,
    })),
    frontendReleaseDigest: body.frontend_release_digest ?? null,
  };
}
