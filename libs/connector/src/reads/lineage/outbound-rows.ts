import type { EffectId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conDispatchPermit, conEffectEvidence, conRemoteEffect, conRemoteLink } from '@connector/schema/connector/outbound';
import { LEVEL_MAX } from './limits';

const EFFECTS = readRows(
  conRemoteEffect,
  ['effect_id', 'account', 'state', 'reason', 'attempt_count', 'due_at', 'created_at', 'changed_at'],
  'WHERE effect_id IN (:effect_id)',
  'lineage',
);
const PERMITS = readRows(
  conDispatchPermit,
  ['permit_id', 'effect_id', 'attempt_ordinal', 'state', 'holder_id', 'holder_fence', 'granted_at', 'sending_at', 'closed_at'],
  `WHERE effect_id IN (:effect_id) ORDER BY effect_id, attempt_ordinal LIMIT ${LEVEL_MAX + 1}`,
  'lineage',
);
const EVIDENCE = readRows(
  conEffectEvidence,
  ['permit_id', 'source', 'outcome', 'io_started', 'status', 'remote_identity', 'detail', 'recorded_at'],
  `WHERE effect_id IN (:effect_id) ORDER BY effect_id, attempt_ordinal LIMIT ${LEVEL_MAX + 1}`,
  'lineage',
);
const LINKS = readRows(
  conRemoteLink,
  ['link_id', 'effect_id', 'owner_slot', 'remote_identity', 'state', 'linked_at'],
  `WHERE effect_id IN (:effect_id) ORDER BY effect_id, linked_at LIMIT ${LEVEL_MAX + 1}`,
  'lineage',
);

/** Everything below these effects, one statement a level; a permit and its evidence are one attempt. */
export async function readEffectRows(db: Db, ids: readonly EffectId[]) {
  if (ids.length === 0) return { effects: [], permits: [], evidence: [], links: [] };
  const params = { effect_id: ids };
  return {
    effects: await db.read(EFFECTS, params),
    permits: await db.read(PERMITS, params),
    evidence: await db.read(EVIDENCE, params),
    links: await db.read(LINKS, params),
  };
}
export type EffectRows = Awaited<ReturnType<typeof readEffectRows>>;
