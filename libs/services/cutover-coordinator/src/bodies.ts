import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsOptional, Length, Matches, ValidateNested } from 'class-validator';
import { BARRIER_OWNERS } from '@connector/connector/model/serving/barriers';
import { U64_TEXT } from '@connector/platform/host/body';

/** Ids are checked by their own kind, which says how one looks. */
export class PrepareBody {
  @Length(1, 64) epoch_id!: string;
  @Length(1, 64) organization!: string;
  @Length(1, 64) installation!: string;
  @Length(1, 128) workload!: string;
  /** How fresh the catalog's view must be at least. */
  @Matches(U64_TEXT) min_catalog_revision!: string;
  @Length(1, 64) configuration_id!: string;
}

export class VerifyBody {
  @Length(1, 64) operation_id!: string;
  /** Who is named in the audit; left out, the service that called. */
  @IsOptional() @Length(1, 128) requested_by?: string;
}

export class GenesisBody {
  @Length(1, 64) epoch_id!: string;
  @Length(1, 64) operation_id!: string;
  @Length(1, 64) certificate_id!: string;
  @Length(1, 64) attempt_id!: string;
  @Length(1, 128) requested_by!: string;
  @Length(1, 512) reason!: string;
  /** The deployment says, once and for ever, that nothing served before it. */
  @IsIn(['none']) predecessor!: 'none';
  /** The accounts that shall serve, for a second look at them; left out, the frozen configuration's. */
  @IsOptional() @IsArray() @ArrayMinSize(1) @ArrayMaxSize(1_000) @ArrayUnique() @Length(1, 127, { each: true }) accounts?: string[];
}

class HeldBarrierBody {
  @IsIn(BARRIER_OWNERS) owner!: (typeof BARRIER_OWNERS)[number];
  @Length(1, 64) organization!: string;
  /** Of Catalog's. */
  @IsOptional() @Length(1, 64) installation?: string;
  @Matches(U64_TEXT) barrier_fence!: string;
}
export class ReleaseBarriersBody {
  @Length(1, 64) attempt_id!: string;
  @Length(1, 64) operation_id!: string;
  /** Everything that the attempt was seen to hold. */
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(10) @ValidateNested({ each: true }) @Type(() => HeldBarrierBody) barriers!: HeldBarrierBody[];
  @Length(1, 128) by!: string;
  @Length(1, 256) reason!: string;
}

export class GateMoveBody {
  @Length(1, 127) account!: string;
  @Matches(U64_TEXT) expected_fence!: string;
  @Length(1, 64) operation_id!: string;
  @Length(1, 128) by!: string;
  @Length(1, 512) reason!: string;
}

export class AbandonBody {
  @Length(1, 64) operation_id!: string;
  @IsOptional() @Length(1, 127) account?: string;
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(50) @ArrayUnique() @Length(1, 64, { each: true }) permit_ids!: string[];
  @Length(1, 128) by!: string;
}
