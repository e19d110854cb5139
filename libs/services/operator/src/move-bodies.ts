import { IsIn, IsObject, IsOptional, Length } from 'class-validator';
import type { JsonObject } from '@connector/kernel/jcs';
import { ConfirmedBody } from './registry-bodies';
import { MOVE_VERBS, type MoveVerb } from './move-plan';

export class PlanMoveBody {
  @Length(1, 64) organization!: string;
  @Length(1, 64) installation!: string;
  @IsIn(MOVE_VERBS) verb!: MoveVerb;
  /** The choices of an upgrade, or the release of a rollback; the catalog checks them member by member. */
  @IsOptional() @IsObject() request?: JsonObject;
}
export class MoveBody extends ConfirmedBody {
  @Length(1, 64) organization!: string;
  @Length(1, 64) installation!: string;
  @IsOptional() @IsObject() request?: JsonObject;
  /** As the plan says it. */
  @Length(1, 16) expected_state!: string;
  @Length(1, 20) expected_activation_epoch!: string;
  @IsOptional() @Length(1, 20) expected_catalog_revision?: string;
  @IsOptional() @Length(1, 20) expected_security_epoch?: string;
  /** Of an abandonment alone. */
  @IsOptional() @Length(1, 20) expected_attempt?: string;
}
