import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsInt, IsOptional, Length, Matches, Max, Min } from 'class-validator';
import { RELEASE_LIMITS, UINT32_MAX } from '@connector/catalog/model/limits';
import { LIST_MAX } from '@connector/catalog/reads/page';
import { INSTANT_TEXT, U64_TEXT } from '@connector/platform/host/body';

/** One byte beyond the limit passes here, so that the check of a release says what is too large. */
const base64 = (bytes: number): number => Math.ceil((bytes + 1) / 3) * 4;
/** A release is the largest body: its manifest and its bundle. */
export const REGISTRY_BODY_BYTES_MAX = base64(RELEASE_LIMITS.manifest) + base64(RELEASE_LIMITS.bundle) + 65_536;
const STATEMENT_MAX = base64(8_192);
export const BY_MAX = 64;
/** With who says it, it stands in one column of the catalog. */
export const REASON_MAX = 180;

/** A counter as a plan says it: digits, so that whoever makes the plan again can count on from it. */
export const DECIMAL = { message: '$property is a number in decimal, as the plan says it' };
const INSTANT = { message: '$property is RFC 3339 in UTC with six digits, as 2030-01-31T12:00:00.000000Z' };

export class PageQuery {
  /** The id of the last row that was seen. */
  @Length(0, 128) after: string = '';
  @Type(() => Number) @IsInt() @Min(1) @Max(LIST_MAX) limit: number = 50;
}

/** Every write has a key, minted before its first try and kept over its retries, and says who asks: that stands in the catalog's audit. */
export class KeyedBody {
  @Length(1, 64) operation_id!: string;
  @Length(1, BY_MAX) by!: string;
}
export class ConfirmedBody extends KeyedBody {
  /** The digest of the plan that is to be carried out. */
  @Length(1, 80) confirm!: string;
}
export class ReasonedBody extends ConfirmedBody {
  @Length(1, REASON_MAX) reason!: string;
}

export class AddPublisherBody extends KeyedBody {
  @Length(1, 128) publisher_id!: string;
  @IsOptional() @IsArray() @ArrayMaxSize(100) @Length(1, 128, { each: true }) app_prefixes?: string[];
}
export class AddKeyBody extends KeyedBody {
  @Length(1, 128) publisher_id!: string;
  /** 32 raw bytes of an Ed25519 public key. */
  @Length(44, 44) public_key_base64!: string;
  @Matches(INSTANT_TEXT, INSTANT) valid_from!: string;
  @IsOptional() @Matches(INSTANT_TEXT, INSTANT) valid_until?: string;
}
export class PlanRevokeKeyBody {
  @Length(1, 128) publisher_id!: string;
  @Length(1, 128) key_id!: string;
}
export class RevokeKeyBody extends ReasonedBody {
  @Length(1, 128) publisher_id!: string;
  @Length(1, 128) key_id!: string;
}

export class OfferTransferBody extends KeyedBody {
  @Length(1, 128) app_id!: string;
  @Length(1, STATEMENT_MAX) statement_base64!: string;
  @Length(88, 88) signature_base64!: string;
}
export class PlanAcceptBody {
  @Length(1, 128) app_id!: string;
  @Length(1, 80) transfer_id!: string;
}
export class AcceptBody extends ConfirmedBody {
  @Length(1, 128) app_id!: string;
  @Length(1, 80) transfer_id!: string;
}
export class PlanRecoverBody {
  @Length(1, 128) app_id!: string;
  @Length(1, 128) to_publisher_id!: string;
}
export class RecoverBody extends ReasonedBody {
  @Length(1, 128) app_id!: string;
  @Length(1, 128) from_publisher_id!: string;
  @Length(1, 128) to_publisher_id!: string;
  @Matches(U64_TEXT, DECIMAL) expected_ownership_epoch!: string;
}

export class BlobBody {
  @Length(1, 80) content_digest!: string;
  @Length(1, 128) component_kind!: string;
  @Type(() => Number) @IsInt() @Min(1) @Max(UINT32_MAX) component_format_version!: number;
  @Length(1, 80) raw_sha256!: string;
  @Length(0, base64(RELEASE_LIMITS.blob)) bytes_base64!: string;
}
/** The key and the person of a write, as the catalog is told them. */
export const askingIn = ({ operation_id: idempotencyKey, by }: KeyedBody) => ({ idempotencyKey, by });

export class PublishReleaseBody extends KeyedBody {
  @Length(0, base64(RELEASE_LIMITS.manifest)) manifest_base64!: string;
  @Length(0, base64(RELEASE_LIMITS.bundle)) bundle_base64!: string;
  @Length(1, STATEMENT_MAX) statement_base64!: string;
  @Length(88, 88) signature_base64!: string;
}
