import type { AccountName, Instant } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import type { EpochId } from '@connector/kernel/ids';
import type { Act, Reason } from './reason';
import { REASONS, type ReasonCode, type ReasonValues } from './reasons';

/** Whose frozen policies say when a reason is escalated. */
export interface PolicyBasis {
  readonly account: AccountName;
  readonly epochId: EpochId;
  readonly epochDigest: Digest;
}

/** What one blocker test found true of one row. */
export interface FindingFacts {
  /** The row that waits: the one that was asked for, or one below it. */
  readonly subject: string;
  readonly since: Instant;
  /** From when the alert time counts; null where nothing may be declared for this row. */
  readonly alertFrom: Instant | null;
  readonly basis: PolicyBasis | null;
  /** What the evidence query is asked about. */
  readonly evidenceId: string;
  /** When a frozen rule applies, and what then happens. */
  readonly policy?: { readonly at: Instant; readonly then: string };
}

export interface Finding extends FindingFacts {
  readonly code: ReasonCode;
  readonly headline: string;
  readonly may: readonly Act[];
}

export function finding<C extends ReasonCode>(code: C, values: ReasonValues<C>, facts: FindingFacts): Finding {
  const reason: Reason = REASONS[code];
  const given = new Map<string, unknown>(Object.entries(values));
  return {
    ...facts,
    code,
    headline: fill(reason.headline, given),
    may: reason.may.map((act) => ({ ...act, command: act.command === null ? null : fill(act.command, given) })),
  };
}

function fill(template: string, values: ReadonlyMap<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values.get(name);
    invariant(typeof value === 'string', 'HOUSE:connector:ReasonPlace', `${place} has no value`);
    return value;
  });
}

/** The first is the headline: by tier, then in the order in which the tests found them. What is decided and over comes last. */
export function inTierOrder(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((left, right) => rankOf(left.code) - rankOf(right.code));
}

function rankOf(code: ReasonCode): number {
  const { tier, verdict }: Reason = REASONS[code];
  return verdict === 'done' ? 8 : tier;
}
