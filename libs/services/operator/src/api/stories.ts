import { closed, COUNT, DECIMAL, oneOf } from '@connector/kernel/document-shape';
import type { Explanation } from '@connector/connector/model/explain/explanation';
import { REASONS } from '@connector/connector/model/explain/reasons';
import type { Lineage, LineageNode } from '@connector/connector/model/lineage/lineage';
import { BOOLEAN, INSTANT, keyOf, mapOf, named, orNull, PLAIN_ROW, shapeOf, some, STRING, wordOf } from './shapes';

/** `connector.explain/v1` and `connector.lineage/v1` as schemas. */
const CODE = keyOf(REASONS);
const QUERY = wordOf([...new Set(Object.values(REASONS).map(({ evidence }) => evidence))]);
const REASON = closed({
  code: CODE,
  tier: COUNT,
  class: oneOf('machine', 'owner', 'safety', 'policy'),
  headline: STRING,
  since: INSTANT,
  subject: STRING,
});
const EVIDENCE = closed({ query: QUERY, params: closed({ id: STRING }), count: COUNT, rows: some(PLAIN_ROW) });
const ACT = closed({
  kind: oneOf('append_evidence', 'mint_upstream', 'declare_unsupported', 'transition', 'look', 'wait'),
  say: STRING,
  command: orNull(STRING),
  rung: COUNT,
});

export const EXPLANATION = shapeOf<Explanation>()(
  closed({
    schema: oneOf('connector.explain/v1'),
    subject: closed({ kind: STRING, id: STRING, state: STRING, root: orNull(STRING) }),
    verdict: oneOf('progressing', 'waiting', 'needs_person', 'refused', 'done'),
    reason: orNull(REASON),
    owner: orNull(closed({ role: STRING })),
    alert: orNull(closed({ at: INSTANT, declared_by: STRING, passed: BOOLEAN, effect: oneOf('notify_only') })),
    policy: orNull(closed({ at: INSTANT, then: STRING })),
    also: some(closed({ code: CODE, headline: STRING, subject: STRING })),
    evidence: orNull(EVIDENCE),
    may: some(ACT),
    will_not_help: some(STRING),
    blocks: some(closed({ kind: oneOf('gate'), id: STRING, transition: STRING })),
    as_of: closed({
      database_time: INSTANT,
      gate: orNull(closed({ account: STRING, mode: STRING, fence: DECIMAL })),
      epoch: orNull(closed({ id: STRING, state: STRING })),
    }),
  }),
);

const NODE_KINDS = [
  ...(['receipt', 'conflict', 'refusal', 'pending', 'event', 'repeated', 'projection', 'execution'] as const),
  ...(['handover', 'result', 'command', 'effect', 'attempt', 'link'] as const),
];
export const LINEAGE_NODE = shapeOf<LineageNode>()(
  closed({
    kind: wordOf(NODE_KINDS),
    id: orNull(STRING),
    text: STRING,
    state: orNull(STRING),
    at: orNull(INSTANT),
    note: orNull(STRING),
    children: some(named<LineageNode>('LineageNode')),
    more: BOOLEAN,
  }),
);
export const LINEAGE = shapeOf<Lineage>()(
  closed({
    schema: oneOf('connector.lineage/v1'),
    asked: STRING,
    root: named<LineageNode>('LineageNode'),
    counts: closed({ events: COUNT, refused: COUNT, repeated: COUNT, conflicts: COUNT, waiting: COUNT, outcomes: mapOf(COUNT) }),
    epoch: STRING,
  }),
);
