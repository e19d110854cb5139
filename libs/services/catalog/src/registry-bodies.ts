import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { RELEASE_LIMITS, UINT32_MAX } from '@connector/catalog/model/limits';
import type { Digest } from '@connector/kernel/digest';
import { U64_TEXT } from '@connector/platform/host/body';

/** Characters of base64 for so many bytes. */
const base64 = (bytes: number): number => Math.ceil(bytes / 3) * 4;
/** One byte more than the limit passes here, so that the check of the release says what is too large and by how much. */
const beyond = (bytes: number): number => base64(bytes + 1024);
const DIGEST = /^sha256:[0-9a-f]{64}$/;

export class PublisherBody {
  /** Where it may reserve AppIDs; its own id where nothing is said. */
  @IsOptional() @IsArray() @ArrayMinSize(1) @ArrayMaxSize(100) @Length(1, 128, { each: true }) app_prefixes?: string[];
}

export class PublisherKeyBody {
  /** 32 raw bytes of an Ed25519 public key. */
  @Length(44, 44) public_key_base64!: string;
  /** RFC 3339 in UTC with six digits, as the database writes it. */
  @Length(27, 27) valid_from!: string;
  @IsOptional() @Length(27, 27) valid_until?: string;
}

export class ReasonBody {
  @Length(1, 256) reason!: string;
}

export class TransferBody {
  @IsString() @MaxLength(base64(8192)) statement_base64!: string;
  @Length(88, 88) signature_base64!: string;
}

export class RecoveryBody {
  @Length(1, 128) from_publisher_id!: string;
  @Length(1, 128) to_publisher_id!: string;
  @Matches(U64_TEXT) expected_ownership_epoch!: string;
  @Length(1, 512) reason!: string;
}

/** Its ComponentDigest is in the path. */
export class BlobBody {
  @Length(1, 128) component_kind!: string;
  @IsInt() @Min(1) @Max(UINT32_MAX) component_format_version!: number;
  /** Of the bytes as they are: what transport says of them. */
  @Matches(DIGEST) raw_sha256!: Digest;
  @IsString() @MaxLength(base64(RELEASE_LIMITS.blob)) bytes_base64!: string;
}

export class AttestationBody {
  @IsString() @MaxLength(base64(8192)) statement_base64!: string;
  @Length(88, 88) signature_base64!: string;
}

export class AppReleaseBody {
  @IsString() @MaxLength(beyond(RELEASE_LIMITS.manifest)) manifest_base64!: string;
  @IsString() @MaxLength(beyond(RELEASE_LIMITS.bundle)) bundle_base64!: string;
  @IsObject() @ValidateNested() @Type(() => AttestationBody) attestation!: AttestationBody;
}

export class SlotQuery {
  @IsOptional() @Matches(/^[1-9][0-9]{0,9}$/) definition_version?: string;
}
