import { IsIn, IsOptional, Length } from 'class-validator';
import { BINDING_VERBS, type BindingVerb } from './binding-plan';

class OfInstallation {
  @Length(1, 64) organization!: string;
  @Length(1, 64) installation!: string;
}
export class StageBindingBody extends OfInstallation {
  /** `frontend` for the frontend. */
  @Length(1, 128) capability_id!: string;
  @IsOptional() @Length(1, 128) workload_id?: string;
  /** Of a service release, or of a frontend release. */
  @Length(1, 80) artifact_digest!: string;
  /** Minted before the first try and kept over its retries. */
  @Length(1, 64) operation_id!: string;
}
export class PlanBindingBody extends OfInstallation {
  @Length(1, 64) binding_id!: string;
  @IsIn(BINDING_VERBS) verb!: BindingVerb;
}
export class ConfirmBindingBody extends OfInstallation {
  @Length(1, 64) binding_id!: string;
  /** Of the capability, as the plan of an activation says it. */
  @IsOptional() @Length(1, 20) expected_ownership_epoch?: string;
  /** The digest of the plan that is to be carried out. */
  @Length(1, 80) confirm!: string;
  @Length(1, 64) operation_id!: string;
}
