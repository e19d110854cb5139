const EVERY_MS = 30_000;
const TEXTS_MAX = 32;

/** Lets a text pass once in thirty seconds: a broker that is away must not fill the log. */
export class Seldom {
  readonly #said = new Set<string>();
  #since = -Infinity;

  passes(text: string, now = performance.now()): boolean {
    if (now - this.#since >= EVERY_MS) {
      this.#said.clear();
      this.#since = now;
    }
    if (this.#said.has(text) || this.#said.size >= TEXTS_MAX) return false;
    this.#said.add(text);
    return true;
  }
}
