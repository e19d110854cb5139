import { Body, Controller, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { HttpProblem } from '@connector/platform/host/problem';
import { FAULTS, type FaultName } from './fault-plan';
import type { Entry } from './entry';
import type { Simulator, SimulatorState } from './simulator';

export const SIMULATOR = Symbol('simulator');

export class LedgerQuery {
  /** Entries with a greater number. */
  @Type(() => Number) @IsInt() @Min(0) after: number = 0;
  @Type(() => Number) @IsInt() @Min(1) @Max(500) limit: number = 200;
}
export class FaultBody {
  @IsString() host!: string;
  @IsIn(FAULTS) fault!: FaultName;
  /** Calls that it is for. */
  @IsOptional() @IsInt() @Min(1) @Max(10_000) times: number = 1;
  /** `slow` waits so long, `429` asks to wait so long. */
  @IsOptional() @IsInt() @Min(1) @Max(60_000) ms: number = 1_000;
}

/** For tests and for the command line: the bearer token of the caller, checked by the host's guard. */
@Controller('_control')
export class ControlController {
  constructor(@Inject(SIMULATOR) private readonly simulator: Simulator) {}

  /** Until `entries` is empty, ask again after the last number seen. */
  @Get('ledger')
  ledger(@Query() query: LedgerQuery): { readonly entries: readonly Entry[] } {
    return { entries: this.simulator.page(query.after, query.limit) };
  }

  @Get('state')
  state(): SimulatorState {
    return this.simulator.state();
  }

  @Post('faults')
  @HttpCode(204)
  fault(@Body() { host, fault, times, ms }: FaultBody): void {
    const wrong = this.simulator.plan({ host, fault, times, ms });
    if (wrong === 'no-such-host')
      throw new HttpProblem({ status: 404, code: 'HOUSE:simulator:NoSuchHost', detail: 'No provider has this host.' });
    if (wrong === 'too-many')
      throw new HttpProblem({ status: 409, code: 'HOUSE:simulator:TooManyFaults', detail: 'Too many faults are planned.' });
  }

  @Post('reset')
  @HttpCode(204)
  reset(): void {
    this.simulator.reset();
  }
}
