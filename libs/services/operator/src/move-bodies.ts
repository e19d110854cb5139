import { IsIn, IsObject, IsOptional, Length, Matches } from 'class-validator';
import type { JsonObject } from '@connector/kernel/jcs';
import { U64_TEXT } from '@connector/platform/host/body';
import { ConfirmedBody, DECIMAL } from './registry-bodies';
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
  @Matches(U64_TEXT, DECIMAL) expected_activation_epoch!: string;
  @IsOptional() @Matches(U64_TEXT, DECIMAL) expected_catalog_revision?: string;
  @IsOptional() @Matches(U64_TEXT, DECIMAL) expected_security_epoch?: string;
  /** Of an abandonment alone. */
  @IsOptional() @Matches(U64_TEXT, DECIMAL) expected_attempt?: string;
}
