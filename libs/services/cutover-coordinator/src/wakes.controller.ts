import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import type { Signal } from '@connector/platform/host/signal';

export const HALTS = Symbol('halts-signal');
export const RECEIPTS = Symbol('receipts-signal');

/** A wake sets a flag and nothing else; the loops look for themselves. */
@Controller()
export class WakesController {
  constructor(
    @Inject(HALTS) private readonly halts: Signal,
    @Inject(RECEIPTS) private readonly receipts: Signal,
  ) {}

  @EventPattern('halt')
  halt(): void {
    this.halts.notify();
  }

  /** A termination or isolation receipt was recorded, or a credential fence moved. */
  @EventPattern('abandon')
  abandon(): void {
    this.receipts.notify();
  }
}
