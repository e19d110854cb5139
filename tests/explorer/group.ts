import type { AccountName } from '@connector/kernel/brand';
import { OperationId } from '@connector/kernel/ids';
import type { GateBasis } from '@connector/connector/fences/serving-gate';
import type { GateMove } from '@connector/connector/transitions/serving/gate-move';
import type { TestSchema } from '@connector/testing/database';
import type { Part } from '@connector/testing/explorer/schedule';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import type { Watch } from './rows';

/** Real doors with inputs that meet on the same rows, which are of this schedule alone. */
export interface World {
  readonly parts: readonly Part[];
  readonly watch: Watch;
}

export interface Group {
  /** `admit | halt`. */
  readonly name: string;
  /**
   * The row for which its doors must be seen to wait. Absent where one of them only looks and so waits for nobody: then its orders must be
   * seen to come to different outcomes. A group that shows neither is void: whatever its orders are, they prove nothing.
   */
  readonly meets?: string;
  /** Everything is taken away before each schedule: for what happens once in the life of a service. */
  readonly once?: true;
  readonly arrange: (site: Site) => Promise<World>;
}

/** Where worlds are made: each on accounts of its own, so that nothing has to be put back. */
export class Site {
  readonly schema: TestSchema;
  #count = 0;

  constructor(schema: TestSchema) {
    this.schema = schema;
  }

  /** A word that no other world has. */
  word(): string {
    this.#count += 1;
    return `w${this.#count}`;
  }

  /** Rows by plain SQL in one transaction: most of the time of a schedule would go into COMMITs of its arrangement. */
  async together<T>(arrange: () => Promise<T>): Promise<T> {
    await this.schema.sql('START TRANSACTION');
    try {
      return await arrange();
    } finally {
      await this.schema.sql('COMMIT');
    }
  }

  async served(): Promise<ServedAccount> {
    const [served] = (await this.together(() => serveAccounts(this.schema, [`${this.word()}/acme`]))) as [ServedAccount];
    return served;
  }

  /** Two accounts of one epoch. */
  async two(): Promise<readonly [ServedAccount, ServedAccount]> {
    const word = this.word();
    const [one, two] = await this.together(() => serveAccounts(this.schema, [`${word}/acme`, `${word}/bolt`]));
    return [one, two] as [ServedAccount, ServedAccount];
  }
}

export const watchOf = (...served: readonly ServedAccount[]): Watch => ({
  accounts: served.map(({ account }) => account),
  epochs: served.map(({ epochId }) => epochId),
});

/** A move of the gate that the asker saw `steps` moves after the beginning. */
export function move({ account, fence }: { readonly account: AccountName } & Pick<GateBasis, 'fence'>, steps = 0n): GateMove {
  return { operationId: OperationId.mint(), account, expectedFence: (fence + steps) as GateBasis['fence'], by: 'test', reason: 'explored' };
}
