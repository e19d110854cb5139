/** How many requests are in hand, and when there are none. */
export class InFlight {
  #count = 0;
  #waiting: (() => void)[] = [];

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    this.#waiting.splice(0).forEach((resolve) => resolve());
  }

  none(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
