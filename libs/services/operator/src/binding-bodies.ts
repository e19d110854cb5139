import { IsIn, IsOptional, Length, Matches } from 'class-validator';
import { U64_TEXT } from '@connector/platform/host/body';
import { BINDING_VERBS, type BindingVerb } from './binding-plan';
import { ConfirmedBody, DECIMAL, KeyedBody, REASON_MAX } from './registry-bodies';

export class StageBindingBody extends KeyedBody {
  @Length(1, 64) organization!: string;
  @Length(1, 64) installation!: string;
  /** `frontend` for the frontend. */
  @Length(1, 128) capability_id!: string;
  @IsOptional() @Length(1, 128) workload_id?: string;
  /** Of a service release, or of a frontend release. */
  @Length(1, 80) artifact_digest!: string;
}
export class OpenReferenceBody extends KeyedBody {
  @Length(1, 64) organization!: string;
  @Length(1, 64) installation!: string;
  @Length(1, 64) binding_id!: string;
  @Length(1, 128) reference_id!: string;
  @IsIn(['route', 'work']) kind!: 'route' | 'work';
}
export class PlanBindingBody {
  @Length(1, 64) organization!: string;
  @Length(1, 64) installation!: string;
  @Length(1, 64) binding_id!: string;
  @IsIn(BINDING_VERBS) verb!: BindingVerb;
  /** The one that is to be closed. */
  @IsOptional() @Length(1, 128) reference_id?: string;
}
export class ConfirmBindingBody extends ConfirmedBody {
  @Length(1, 64) organization!: string;
  @Length(1, 64) installation!: string;
  @Length(1, 64) binding_id!: string;
}
export class ActivateBindingBody extends ConfirmBindingBody {
  /** Of the capability, as the plan says it. */
  @Matches(U64_TEXT, DECIMAL) expected_ownership_epoch!: string;
}
export class CloseReferenceBody extends ConfirmBindingBody {
  @Length(1, 128) reference_id!: string;
}
export class DecideRetentionBody extends ConfirmBindingBody {
  @Length(1, REASON_MAX) reason!: string;
}
