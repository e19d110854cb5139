import { Body, Controller, Inject, Post, Res, UseGuards } from '@nestjs/common';
import { Equals, IsBase64, Length, Matches, MaxLength } from 'class-validator';
import { parseAccountName } from '@connector/connector/model/serving/account-name';
import { Digest } from '@connector/kernel/digest';
import { CommandId, EpochId, ExecutionId } from '@connector/kernel/ids';
import { onlyFor } from '@connector/platform/host/only-for';
import type { AcceptCommand, RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import type { Intake } from './intake';

export const INTAKE = Symbol('intake');
export const DIGEST_TEXT = /^sha256:[0-9a-f]{64}$/;
export const COMMAND_TEXT = /^cmd_[0-9a-z]{26}$/;
/** One MiB as base64. */
const INPUT_CHARS_MAX = 1_398_104;
const STATUS = { accepted: 202, 'conflicting-command': 409, 'digest-mismatch': 422 } satisfies Record<AcceptCommand['kind'], number>;

/** The complete ExecutionRef with its input (con:RCMD-F). */
export class CommandBody {
  @Matches(COMMAND_TEXT) command_id!: string;
  @MaxLength(127) account!: string;
  @Matches(DIGEST_TEXT) execution_ref_digest!: string;
  @Matches(/^exe_[0-9a-z]{26}$/) execution_id!: string;
  @Matches(/^epo_[0-9a-z]{26}$/) epoch_id!: string;
  @Matches(DIGEST_TEXT) epoch_digest!: string;
  @Length(1, 64) pack_generation_storage_id!: string;
  @Equals('inbound-route') kind!: 'inbound-route';
  @Length(1, 128) business_key!: string;
  @Length(1, 32) definition_version!: string;
  @MaxLength(INPUT_CHARS_MAX) @IsBase64() input_base64!: string;
  @Matches(DIGEST_TEXT) input_digest!: string;
}

interface Reply {
  status(code: number): Reply;
  send(body: unknown): void;
}

@Controller('v1/commands')
@UseGuards(onlyFor('execution-claimant'))
export class CommandsController {
  constructor(@Inject(INTAKE) private readonly intake: Intake) {}

  @Post()
  async post(@Body() body: CommandBody, @Res() reply: Reply): Promise<void> {
    const answer = await this.intake.submit(commandOf(body));
    reply.status(STATUS[answer.kind]).send({ kind: answer.kind });
  }
}

function commandOf(body: CommandBody): RuntimeCommand {
  return {
    commandId: CommandId.parse(body.command_id),
    account: parseAccountName(body.account),
    executionRefDigest: Digest.parse(body.execution_ref_digest),
    executionId: ExecutionId.parse(body.execution_id),
    epochId: EpochId.parse(body.epoch_id),
    epochDigest: Digest.parse(body.epoch_digest),
    packGenerationStorageId: body.pack_generation_storage_id,
    kind: body.kind,
    businessKey: body.business_key,
    definitionVersion: body.definition_version,
    input: Buffer.from(body.input_base64, 'base64'),
    inputDigest: Digest.parse(body.input_digest),
  };
}
