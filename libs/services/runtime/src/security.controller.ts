import { Body, Controller, Get, Inject, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBase64, Length, Matches, MaxLength, ValidateNested } from 'class-validator';
import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import type { Db } from '@connector/platform/db/db';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { U64_TEXT } from '@connector/platform/host/body';
import { onlyFor } from '@connector/platform/host/only-for';
import { sendOutcome } from '@connector/platform/host/outcome';
import { unprojectedHead } from '@connector/security/contract/projection';
import { readSecurityHead } from '@connector/security/reads/security-head';
import { advanceAppGrants, type AppGrantsAdvanced } from '@connector/security/transitions/advance-app-grants.tx';
import { setOtherInputs, type OtherInputsSet } from '@connector/security/transitions/set-other-inputs.tx';
import { DIGEST_TEXT } from './commands.controller';
import { tupleAdmission } from './tuple-admission';

export const SECURITY_DB = Symbol('security-db');
const OPERATION_TEXT = /^opn_[0-9a-z]{26}$/;
/** One MiB as base64. */
const APP_GRANTS_CHARS_MAX = 1_398_104;
const GRANTS_MAX = 1000;

/** The fenced command as Catalog journaled it (cat:SEC-02). */
export class AppGrantsBody {
  @Matches(OPERATION_TEXT) command_id!: string;
  @Length(1, 64) organization!: string;
  @Matches(U64_TEXT) expected_prior_epoch!: string;
  @MaxLength(APP_GRANTS_CHARS_MAX) @IsBase64() app_grants_base64!: string;
  @Matches(DIGEST_TEXT) expected_projection_digest!: string;
}
export class WorkloadGrantBody {
  @Length(1, 128) workload_id!: string;
  @IsArray() @ArrayMaxSize(GRANTS_MAX) @Length(1, 128, { each: true }) capabilities!: string[];
}
export class OtherInputsBody {
  @Matches(OPERATION_TEXT) operation_id!: string;
  @Matches(DIGEST_TEXT) expected_other_inputs_digest!: string;
  @IsArray() @ArrayMaxSize(GRANTS_MAX) @ValidateNested({ each: true }) @Type(() => WorkloadGrantBody) platform_grants!: WorkloadGrantBody[];
}

export class TupleQuery {
  @Matches(U64_TEXT) security_epoch!: string;
}

interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}

const ADVANCED = {
  bound: 200,
  'stale-epoch': 409,
  'payload-conflict': 409,
  'projection-differs': 409,
  'epochs-exhausted': 409,
} satisfies Record<AppGrantsAdvanced['kind'], number>;
const SET = { bound: 200, 'other-inputs-moved': 409, 'payload-conflict': 409, 'epochs-exhausted': 409 } satisfies Record<
  OtherInputsSet['kind'],
  number
>;

/** Runtime security: what Catalog asks for, what an operator sets, and what both must have seen (plan of a publication, step 3). */
@Controller('v1/security')
export class SecurityController {
  constructor(@Inject(SECURITY_DB) private readonly db: Db) {}

  @Post('app-grants')
  @UseGuards(onlyFor('catalog'))
  async advance(@Body() body: AppGrantsBody, @Res() reply: Reply): Promise<void> {
    const command = {
      commandId: OperationId.parse(body.command_id),
      organization: body.organization,
      expectedPriorEpoch: BigInt(body.expected_prior_epoch),
      appGrants: Buffer.from(body.app_grants_base64, 'base64'),
      expectedProjectionDigest: Digest.parse(body.expected_projection_digest),
    };
    sendOutcome(reply, ADVANCED, await retrying(ANSWER_SOON, () => advanceAppGrants(this.db, command)));
  }

  @Get('orgs/:organization/head')
  @UseGuards(onlyFor('catalog', 'operator'))
  async head(@Param('organization') organization: string, @Res() reply: Reply): Promise<void> {
    const head = (await readSecurityHead(this.db, organization)) ?? unprojectedHead(organization);
    sendOutcome(reply, { head: 200 }, { kind: 'head', ...head });
  }

  @Get('orgs/:organization/app-installations/:installation/admission')
  @UseGuards(onlyFor('catalog', 'operator'))
  async admission(@Param() params: Readonly<Record<string, string>>, @Query() query: TupleQuery, @Res() reply: Reply): Promise<void> {
    const { organization = '', installation = '' } = params;
    const tuple = { organization, installation, securityEpoch: BigInt(query.security_epoch) };
    sendOutcome(reply, { admitted: 200, refused: 409 }, await tupleAdmission(this.db, tuple));
  }

  @Post('orgs/:organization/other-inputs')
  @UseGuards(onlyFor('operator'))
  async setOtherInputs(@Param('organization') organization: string, @Body() body: OtherInputsBody, @Res() reply: Reply): Promise<void> {
    const input = {
      operationId: OperationId.parse(body.operation_id),
      organization,
      expectedOtherInputsDigest: Digest.parse(body.expected_other_inputs_digest),
      // A document is made of plain objects.
      platformGrants: body.platform_grants.map(({ workload_id, capabilities }) => ({ workload_id, capabilities })),
    };
    sendOutcome(reply, SET, await retrying(ANSWER_SOON, () => setOtherInputs(this.db, input)));
  }
}
