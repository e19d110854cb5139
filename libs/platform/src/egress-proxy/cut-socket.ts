import { Socket } from 'node:net';

/**
 * A connection that ends by a reset and never by an orderly close. After close(2) the kernel goes on sending what it
 * still holds, so a slow provider could get bytes of a generation that was reported as isolated.
 */
export class CutSocket extends Socket {
  private cutting = false;

  constructor() {
    // Half open: the provider's FIN must not make Node send ours, for a socket that is shutting down cannot be reset.
    super({ allowHalfOpen: true });
  }

  override _final(done: (error?: Error | null) => void): void {
    done();
  }

  override destroy(error?: Error): this {
    if (this.cutting || this.pending) return super.destroy(error);
    this.cutting = true;
    return this.resetAndDestroy();
  }
}
