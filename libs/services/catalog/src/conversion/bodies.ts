import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsObject, IsString, Length, Matches, MaxLength, ValidateNested } from 'class-validator';
import { CRM_APP_ID, type SignedStatement } from '@connector/catalog/model/conversion/mapping';
import type { Digest } from '@connector/kernel/digest';
import { parseBase64 } from '@connector/platform/host/body';
import { choicesIn, ChoicesBody } from '../installations/bodies';
import type { ConvertPack } from './prove';

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const STATEMENT_CHARS_MAX = 1_000_000;

export class SignedBody {
  @IsString() @MaxLength(STATEMENT_CHARS_MAX) statement_base64!: string;
  @Length(88, 88) signature_base64!: string;
}

/** Every input of a conversion that an operator gives; none is left out, and the App is none of them (cat:CONV-07). */
export class ConversionBody extends ChoicesBody {
  @Length(1, 128) pack_install_id!: string;
  @Matches(DIGEST) applied_payload_hash!: Digest;
  @Matches(DIGEST) provenance_digest!: Digest;
  @Matches(DIGEST) expected_catalog_checksum!: Digest;
  @Matches(DIGEST) expected_runtime_checksum!: Digest;
  @IsObject() @ValidateNested() @Type(() => SignedBody) mapping!: SignedBody;
}

export class DeletionBody {
  @IsArray() @ArrayMaxSize(20) @ValidateNested({ each: true }) @Type(() => SignedBody) evidence!: SignedBody[];
}

export class ProjectionQuery {
  @Length(1, 128) capability_id!: string;
}

export const signedIn = ({ statement_base64: statement, signature_base64: signature }: SignedBody, pointer: string): SignedStatement => ({
  statement: parseBase64(statement, `${pointer}/statement_base64`),
  signature: parseBase64(signature, `${pointer}/signature_base64`),
});

export function conversionIn(organization: string, body: ConversionBody): ConvertPack {
  const asked = { ...choicesIn(body), appId: CRM_APP_ID as string };
  return {
    ...{ organization, packInstallId: body.pack_install_id, appliedPayloadHash: body.applied_payload_hash },
    ...{ appReleaseDigest: body.app_release_digest, asked, mapping: signedIn(body.mapping, '/mapping') },
    provenanceDigest: body.provenance_digest,
    expected: { catalog: body.expected_catalog_checksum, runtime: body.expected_runtime_checksum },
  };
}
