import { Body, Controller, Inject, Post, Res } from '@nestjs/common';
import { IsInt, Matches, Max, Min } from 'class-validator';
import type { HolderFence } from '@connector/kernel/brand';
import { Granter, type Grants } from './granter';

export const GRANTER = Symbol('granter');

export class GrantsBody {
  @Matches(/^[a-z0-9][a-z0-9._-]{0,63}$/) holder_id!: string;
  /** u64 in decimal. */
  @Matches(/^[1-9][0-9]{0,18}$/) holder_fence!: string;
  /** How many granted permits the adapter may have when this has answered, those that it has already included. */
  @IsInt() @Min(1) @Max(100) slots!: number;
}

interface Reply {
  status(code: number): Reply;
  send(body: unknown): void;
}
const STATUS = { granted: 200, 'holder-fenced-off': 409 } satisfies Record<Grants['kind'], number>;

/** An egress adapter asks for permits; it finds them by (holder, fence, granted), also when this answer is lost (decisions 13.2). */
@Controller('v1/grants')
export class GrantsController {
  constructor(@Inject(GRANTER) private readonly granter: Granter) {}

  @Post()
  async post(@Body() { holder_id, holder_fence, slots }: GrantsBody, @Res() reply: Reply): Promise<void> {
    const holder = { holderId: holder_id, holderFence: BigInt(holder_fence) as HolderFence };
    const answer = await this.granter.grants({ holder, slots });
    reply.status(STATUS[answer.kind]).send(bodyOf(answer));
  }
}

function bodyOf(answer: Grants): object {
  if (answer.kind !== 'granted') return answer;
  return { kind: answer.kind, granted: answer.granted, accounts_looked: answer.accountsLooked };
}
