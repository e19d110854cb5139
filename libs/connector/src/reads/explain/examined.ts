import type { AccountName } from '@connector/kernel/brand';
import type { Finding, PolicyBasis } from '../../model/explain/finding';

/** One row with everything that holds it back now; without findings it is finished. */
export interface Examined {
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  /** Null where the row belongs to no one account. */
  readonly account: AccountName | null;
  readonly basis: PolicyBasis | null;
  readonly findings: readonly Finding[];
  /** Whether a row in this state owes anything: a row that does and has no finding is our mistake. */
  readonly finished: boolean;
}
