import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsOptional, Length, Max, Min } from 'class-validator';
import { CREDENTIAL_VERBS, type CredentialVerb } from '@connector/connector/model/serving/credential-gate';
import { LIST_MAX } from '@connector/connector/reads/lists/list';
import { PACK_BYTES_MAX } from '@connector/packs/engine/limits';
import { GENERATIONS_MAX } from '@connector/packs/reads/generations';
import { GATE_VERBS, type GateVerb } from './gate-plan';
import { BY_MAX } from './registry-bodies';

/** A body has to name a pack above its limit, so that it is answered by that limit. */
export const PACK_BASE64_MAX = Math.ceil((PACK_BYTES_MAX + 1) / 3) * 4;

export class ListQuery {
  @IsOptional() @Length(1, 127) account?: string;
  @IsOptional() @Length(1, 32) state?: string;
  /** The id of the last row that was seen. */
  @IsOptional() @Length(1, 64) after?: string;
  @Type(() => Number) @IsInt() @Min(1) @Max(LIST_MAX) limit: number = 50;
}
export class PackListQuery {
  /** `<pack>@<version>` of the last row that was seen. */
  @IsOptional() @Length(1, 161) after?: string;
  @Type(() => Number) @IsInt() @Min(1) @Max(GENERATIONS_MAX) limit: number = 50;
}
export class PublishPackBody {
  @Length(1, 64) organization!: string;
  /** The bytes of `pack.json`, so that what is checked is what was written. */
  @Length(1, PACK_BASE64_MAX) pack_base64!: string;
  /** It stands in the audit of the registry. */
  @Length(1, BY_MAX) by!: string;
}
export class PlanMoveBody {
  @IsIn(GATE_VERBS) verb!: GateVerb;
  @Length(1, 127) account!: string;
}
export class ConfirmMoveBody {
  @Length(1, 127) account!: string;
  /** The digest of the plan that is to be carried out. */
  @Length(1, 80) confirm!: string;
  /** Minted before the first try and kept over its retries. */
  @Length(1, 64) operation_id!: string;
  @Length(1, 128) by!: string;
  @Length(1, 512) reason!: string;
}
export class PlanAbandonBody {
  @Length(1, 64) permit_id!: string;
}
export class ConfirmAbandonBody {
  @Length(1, 64) permit_id!: string;
  @Length(1, 80) confirm!: string;
  @Length(1, 64) operation_id!: string;
  @Length(1, 128) by!: string;
}
export class PlanReleaseBody {
  @Length(1, 64) attempt_id!: string;
}
export class ConfirmReleaseBody {
  @Length(1, 64) attempt_id!: string;
  @Length(1, 80) confirm!: string;
  @Length(1, 64) operation_id!: string;
  @Length(1, 128) by!: string;
  /** With who says it, it stands in the audit of the catalog. */
  @Length(1, 256) reason!: string;
}
export class PlanDecisionBody {
  @IsIn(CREDENTIAL_VERBS) verb!: CredentialVerb;
  @Length(1, 64) credential!: string;
  /** Of a revocation: nobody may take it back. */
  @IsOptional() @IsBoolean() final?: boolean;
}
export class ConfirmDecisionBody {
  @Length(1, 64) credential!: string;
  /** The digest of the plan that is to be carried out; it says by itself whether that one is final. */
  @Length(1, 80) confirm!: string;
  /** Minted before the first try and kept over its retries. */
  @Length(1, 64) operation_id!: string;
  @Length(1, 128) by!: string;
  @Length(1, 512) reason!: string;
}
