import { Body, Controller, HttpCode, Inject, Post, UseGuards } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, Matches, ValidateNested } from 'class-validator';
import { Digest } from '@connector/kernel/digest';
import { CommandId } from '@connector/kernel/ids';
import { onlyFor } from '@connector/platform/host/only-for';
import { RESULTS_MAX, type StoredResult } from '@connector/runtime/reads/results';
import { COMMAND_TEXT, DIGEST_TEXT, INTAKE } from './commands.controller';
import type { Intake } from './intake';

export class AskedCommand {
  @Matches(COMMAND_TEXT) command_id!: string;
  @Matches(DIGEST_TEXT) execution_ref_digest!: string;
}
export class ResultsQuery {
  @IsArray() @ArrayMaxSize(RESULTS_MAX) @ValidateNested({ each: true }) @Type(() => AskedCommand) commands!: AskedCommand[];
}

/** Asking is a POST because 200 names do not fit into a path; it changes nothing. */
@Controller('v1/results/query')
@UseGuards(onlyFor('execution-claimant'))
export class ResultsController {
  constructor(@Inject(INTAKE) private readonly intake: Intake) {}

  @Post()
  @HttpCode(200)
  async query(@Body() { commands }: ResultsQuery): Promise<object> {
    const questions = commands.map((asked) => ({
      commandId: CommandId.parse(asked.command_id),
      executionRefDigest: Digest.parse(asked.execution_ref_digest),
    }));
    const results = await this.intake.results(questions);
    return { results: results.map((result, index) => said(questions[index]?.commandId, result)) };
  }
}

function said(commandId: string | undefined, result: StoredResult): object {
  if (result.kind === 'absent') return { command_id: commandId, found: false };
  return {
    command_id: commandId,
    found: true,
    outcome: result.outcome,
    result_digest: result.resultDigest,
    commit_receipt_base64: result.commitReceipt.toString('base64'),
    commit_receipt_digest: result.commitReceiptDigest,
  };
}
