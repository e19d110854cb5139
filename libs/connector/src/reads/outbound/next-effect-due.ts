import type { AccountName, Instant } from '@connector/kernel/brand';
import { instant } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conEffectFeed, conRemoteEffect } from '@connector/schema/connector/outbound';
import { conCredentialGate } from '@connector/schema/connector/serving';
import { runOutboundCommand } from '@connector/schema/runtime/runtime';

/** How long an account whose ready effects all wait for a revoked or missing credential gate rests between two looks. */
const BLOCKED_LOOK_SECONDS = 30;

// One statement, so that a command is seen either in the feed or as an effect: between two it could be missed in both.
const NEXT = readQuery(
  conRemoteEffect,
  { due_at: instant() },
  `(SELECT e.due_at FROM ${conRemoteEffect.name} e
  WHERE e.ready_account = :account
    AND (SELECT g.mode FROM ${conCredentialGate.name} g WHERE g.generation_id = e.credential_generation_id) = 'enabled'
  ORDER BY e.due_at, e.effect_id LIMIT 1)
 UNION ALL (SELECT NOW(6) FROM ${conEffectFeed.name} f JOIN ${runOutboundCommand.name} c ON c.account = f.account AND c.feed_seq >= f.next_seq
  WHERE f.account = :account LIMIT 1)
 UNION ALL (SELECT NOW(6) + INTERVAL ${BLOCKED_LOOK_SECONDS} SECOND FROM ${conRemoteEffect.name} WHERE ready_account = :account LIMIT 1)`,
  'next-due',
);

/** When the account has something to grant next: what `rest-work` is told of the stage `effect`. Null: nothing is ready and nothing waits. */
export async function nextEffectDue(db: Db, account: AccountName): Promise<Instant | null> {
  const rows = await db.read(NEXT, { account });
  const [first] = rows.map((row) => row.due_at).sort();
  return first ?? null;
}
