import type { JsonObject } from '@connector/kernel/jcs';
import type { Effect, ProviderAnswer } from './effect';

export interface Kept {
  readonly digest: string;
  readonly answer: ProviderAnswer;
}

/** The remote records of one provider: what its calls have really done. Follows from the ledger alone. */
export class Records {
  private readonly byId = new Map<string, JsonObject>();
  private readonly keptByKey = new Map<string, Kept>();

  apply(effect: Effect): void {
    this.byId.set(effect.id, effect.record);
    if (effect.key !== null && effect.digest !== null) this.keptByKey.set(effect.key, { digest: effect.digest, answer: effect.answer });
  }

  get(id: string): JsonObject | undefined {
    return this.byId.get(id);
  }

  /** What was answered under this key. */
  kept(key: string): Kept | undefined {
    return this.keptByKey.get(key);
  }

  get count(): number {
    return this.byId.size;
  }

  /** At most `limit`, oldest first. */
  list(limit: number, fits: (record: JsonObject) => boolean = () => true): JsonObject[] {
    const found: JsonObject[] = [];
    for (const record of this.byId.values()) {
      if (found.length === limit) break;
      if (fits(record)) found.push(record);
    }
    return found;
  }
}
