import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsObject, IsOptional, Length, Matches, ValidateNested } from 'class-validator';
import { BINDING_KINDS, type BindingKind } from '@connector/kernel/document-binding';
import type { Digest } from '@connector/kernel/digest';
import { MEMBERSHIP_BINDINGS_MAX } from '@connector/catalog/model/documents';
import { PINNED_MAX } from '@connector/packs/model/pins';
import { U64_TEXT } from '@connector/platform/host/body';

export const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Beside `pack`, the content of `pack.json`. */
export class PackGenerationBody {
  @Length(1, 64) organization!: string;
}

class RuntimeCommandBody {
  @Length(1, 128) definition_id!: string;
  @Length(1, 32) definition_version!: string;
}

export class ViewBindingBody {
  @IsIn(BINDING_KINDS) kind!: BindingKind;
  @Length(1, 128) owner_pack!: string;
  @Length(1, 64) pack_installation_id!: string;
  @Matches(DIGEST) pack_payload_digest!: Digest;
  @Length(1, 128) business_key!: string;
  @Length(1, 32) definition_version!: string;
  @IsArray() @ArrayMaxSize(100) @Length(1, 512, { each: true }) credential_refs!: string[];
  @IsOptional() @IsObject() @ValidateNested() @Type(() => RuntimeCommandBody) runtime_command?: RuntimeCommandBody;
}

/** Whole: what is not among the bindings is wanted no more. */
export class MembershipBody {
  @Length(1, 128) workload!: string;
  /** The organization's, as the operator saw it. */
  @Matches(U64_TEXT) expected_catalog_revision!: string;
  @IsArray()
  @ArrayMaxSize(MEMBERSHIP_BINDINGS_MAX)
  @ValidateNested({ each: true })
  @Type(() => ViewBindingBody)
  bindings!: ViewBindingBody[];
}

export class ViewQuery {
  @Matches(U64_TEXT) min_catalog_revision: string = '0';
}

/** The whole identity of a definition but its kind, which the path has (cat:INT-12). */
export class ReadExactBody {
  @Length(1, 64) organization!: string;
  @Length(1, 64) installation!: string;
  @Length(1, 128) workload!: string;
  @Length(1, 512) owner_pack!: string;
  @Length(1, 512) pack_installation!: string;
  @Length(1, 512) business_key!: string;
  @Length(1, 512) definition_version!: string;
  @Matches(DIGEST) pack_payload_digest!: Digest;
}

export class PinnedGenerationBody {
  @Length(1, 64) storage_id!: string;
  @Matches(DIGEST) pack_payload_digest!: Digest;
}

export class PinsBody {
  @Matches(DIGEST) epoch_digest!: Digest;
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(PINNED_MAX)
  @ValidateNested({ each: true })
  @Type(() => PinnedGenerationBody)
  generations!: PinnedGenerationBody[];
}
