import { IsBoolean, IsInt, IsOptional, Length, Matches, Max, MaxLength, Min } from 'class-validator';
import { U64_TEXT } from '@connector/platform/host/body';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const KEY_VERSION_MAX = 1_000_000_000;

/** Beside `configuration`, the document. Ids are checked by their own kind, which says how one looks. */
export class ConfigurationBody {
  /** Minted by whoever asks: the same id again is the same generation. */
  @Length(1, 64) configuration_id!: string;
  @Length(1, 128) authored_by!: string;
}

/** Beside `transport`: `scheme` and its non-secret settings. */
export class CredentialBody {
  @Length(1, 64) credential_generation_id!: string;
  @Length(1, 128) credential_identity!: string;
  @Length(1, 128) provider!: string;
  @Length(1, 127) account!: string;
  /** Where the secret backend has it; never the secret. */
  @Length(1, 255) secret_path!: string;
  @Length(1, 64) secret_version!: string;
}

export class CredentialDecisionBody {
  @Length(1, 64) credential_generation_id!: string;
  /** The fence of its gate that was seen. */
  @Matches(U64_TEXT) expected_fence!: string;
  /** Minted before the first try and kept over its retries. */
  @Length(1, 64) operation_id!: string;
  @Length(1, 128) by!: string;
  @Length(1, 512) reason!: string;
}

export class CredentialRevocationBody extends CredentialDecisionBody {
  /** Nobody may take it back. */
  @IsBoolean() final!: boolean;
}

export class ChannelKeyBody {
  @Length(1, 127) account!: string;
  @Length(1, 63) channel!: string;
  @IsInt() @Min(1) @Max(KEY_VERSION_MAX) key_version!: number;
  @Length(1, 32) scheme!: string;
  @Length(1, 255) secret_path!: string;
  @Length(1, 64) secret_version!: string;
  /** RFC 3339 in UTC with six digits of a second; left out: until it is retired. */
  @IsOptional() @Length(27, 27) ends_at?: string;
}

export class ChannelKeyRetirementBody {
  @Length(1, 127) account!: string;
  @Length(1, 63) channel!: string;
  @IsInt() @Min(1) @Max(KEY_VERSION_MAX) key_version!: number;
  @Length(1, 512) reason!: string;
}

export class TerminationBody {
  @Length(1, 64) generation_id!: string;
  @Length(1, 64) termination_id!: string;
  @Length(1, 32) service!: string;
  @Length(1, 128) supervisor!: string;
  /** What the supervisor saw, at most 4 KiB. */
  @Matches(BASE64) @MaxLength(5_464) evidence_base64!: string;
}

export class IsolationBody {
  @Length(1, 64) generation_id!: string;
  @Length(1, 64) isolation_id!: string;
  @Length(1, 128) controller!: string;
  /** What the controller did, at most 4 KiB. */
  @Matches(BASE64) @MaxLength(5_464) evidence_base64!: string;
}
