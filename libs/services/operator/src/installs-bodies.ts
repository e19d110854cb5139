import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsInt, IsObject, Length, Matches, Max, Min } from 'class-validator';
import type { JsonObject } from '@connector/kernel/jcs';
import { MEMBERSHIP_BINDINGS_MAX } from '@connector/catalog/model/documents';
import { LIST_MAX } from '@connector/catalog/reads/page';
import { U64_TEXT } from '@connector/platform/host/body';
import { ConfirmedBody, DECIMAL, KeyedBody } from './registry-bodies';

export class InstallsQuery {
  @Length(1, 64) organization!: string;
  /** The id of the last row that was seen. */
  @Length(0, 64) after: string = '';
  @Type(() => Number) @IsInt() @Min(1) @Max(LIST_MAX) limit: number = 50;
}
export class BindingsQuery {
  @Length(0, 64) after: string = '';
  @Type(() => Number) @IsInt() @Min(1) @Max(LIST_MAX) limit: number = 50;
}
export class JournalQuery {
  @Length(1, 20) from_attempt: string = '0';
}

export class PlanInstallBody {
  @Length(1, 64) organization!: string;
  /** What is to be installed, as the file says it; the catalog checks it member by member. */
  @IsObject() request!: JsonObject;
}
export class InstallBody extends ConfirmedBody {
  @Length(1, 64) organization!: string;
  @IsObject() request!: JsonObject;
  @Matches(U64_TEXT, DECIMAL) expected_catalog_revision!: string;
  @Matches(U64_TEXT, DECIMAL) expected_security_epoch!: string;
}
export class ResumeBody extends KeyedBody {
  @Length(1, 64) organization!: string;
  @Length(1, 64) installation!: string;
  /** As it was when somebody looked. */
  @Length(1, 16) expected_state!: string;
  @Matches(U64_TEXT, DECIMAL) expected_activation_epoch!: string;
}
export class MembershipBody extends KeyedBody {
  @Length(1, 64) organization!: string;
  @Length(1, 64) installation!: string;
  @Length(1, 128) workload!: string;
  @Matches(U64_TEXT, DECIMAL) expected_catalog_revision!: string;
  /** Whole: what is not among them is wanted no more. The catalog checks each, member by member. */
  @IsArray() @ArrayMaxSize(MEMBERSHIP_BINDINGS_MAX) @IsObject({ each: true }) bindings!: JsonObject[];
}
