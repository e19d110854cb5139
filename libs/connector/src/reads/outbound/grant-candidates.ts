import type { AccountName } from '@connector/kernel/brand';
import { id } from '@connector/kernel/column';
import { CredentialGenerationId, EffectId } from '@connector/kernel/ids';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conEffectFeed, conRemoteEffect } from '@connector/schema/connector/outbound';
import { conCredentialGate } from '@connector/schema/connector/serving';
import { runOutboundCommand } from '@connector/schema/runtime/runtime';
import { limited } from './limit';

/** What the `grant` door may look at; seen without a lock, so it decides nothing. */
export interface GrantCandidates {
  /** Due, oldest first; of enabled credential gates. */
  readonly effectIds: readonly EffectId[];
  /** Of those effects and of the commands that wait in the feed. */
  readonly credentialGenerationIds: readonly CredentialGenerationId[];
  /** Commands of the feed that have no effect yet, as far as was looked (200). */
  readonly newCommands: number;
}

const CREDENTIALS_MAX = 16;
const EFFECTS_MAX = 100;

// A revoked gate's effects stay due; they are left out here, or they would stand before all others for ever. The gate is asked for by key and
// not joined: an engine that begins at a few gates sorts all that is due before it gives the first.
const due = (limit: number) =>
  readQuery(
    conRemoteEffect,
    { effect_id: id(EffectId), credential_generation_id: id(CredentialGenerationId) },
    `SELECT e.effect_id, e.credential_generation_id FROM ${conRemoteEffect.name} e
 WHERE e.ready_account = :account AND e.due_at <= NOW(6)
   AND (SELECT g.mode FROM ${conCredentialGate.name} g WHERE g.generation_id = e.credential_generation_id) = 'enabled'
 ORDER BY e.due_at, e.effect_id ${limited(limit, EFFECTS_MAX)}`,
    'due',
  );
const WAITING = readQuery(
  runOutboundCommand,
  { credential_generation_id: id(CredentialGenerationId) },
  `SELECT c.credential_generation_id FROM ${conEffectFeed.name} f
  JOIN ${runOutboundCommand.name} c ON c.account = f.account AND c.feed_seq >= f.next_seq
 WHERE f.account = :account ORDER BY c.feed_seq LIMIT 200`,
  'waiting',
);

/** At most `limit` (1..100) due effects of the account, and at most 16 credential generations; effects of a further one wait. */
export async function grantCandidates(db: Db, account: AccountName, limit: number): Promise<GrantCandidates> {
  const effects = await db.read(due(limit), { account });
  const commands = await db.read(WAITING, { account });
  const seen = new Set([...effects, ...commands].map((row) => row.credential_generation_id));
  const generations = new Set([...seen].slice(0, CREDENTIALS_MAX));
  return {
    effectIds: effects.filter((row) => generations.has(row.credential_generation_id)).map((row) => row.effect_id),
    credentialGenerationIds: [...generations],
    newCommands: commands.length,
  };
}
