import { Controller, Get, Inject } from '@nestjs/common';
import type { WakeConfig } from '@connector/platform/host/config';
import type { WakeState } from '@connector/platform/wake/wake';
import type { ClaimDelaySummary } from './claim-delays';

export const WAKES = Symbol('wakes');

/** Of this one process, in memory since its start. */
export interface WakesSeen extends ClaimDelaySummary {
  readonly adapter: WakeConfig;
  readonly state: WakeState;
}

/** Which wake is in use and what it is worth: people ask, nothing decides by it. */
@Controller('v1/wakes')
export class WakesController {
  constructor(@Inject(WAKES) private readonly wakes: () => WakesSeen) {}

  @Get()
  get(): WakesSeen {
    return this.wakes();
  }
}
