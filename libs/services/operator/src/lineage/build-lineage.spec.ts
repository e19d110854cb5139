import { EventId, ProjectionId, ReceiptId } from '@connector/kernel/ids';
import { after, renderLineage } from '@connector/connector/model/lineage/render';
import type { Instant } from '@connector/kernel/brand';
import { buildLineage } from './build-lineage';
import type { LineageRows } from './lineage-rows';

const AT = '2026-11-30T14:20:01.118000Z' as Instant;

/** A receipt with so many components, each the first of its event. */
function rowsOf(components: number): LineageRows {
  const receiptId = ReceiptId.mint();
  const items = Array.from({ length: components }, (_, ordinal) => ({ ordinal, event_id: EventId.mint() }));
  const events = items.slice(0, 200).map(({ event_id }) => ({ event_id, receipt_id: receiptId, kind: 'thing.changed', recorded_at: AT }));
  const empty = {
    refusals: [],
    conflicts: [],
    projections: [],
    executions: [],
    attempts: [],
    recorded: [],
    superseded: [],
    commands: [],
    authored: [],
    effects: [],
    permits: [],
  };
  return {
    ...{ ...empty, evidence: [], links: [], components: items, events, pending: undefined },
    receipt: {
      receipt_id: receiptId,
      account: 'north/one',
      channel: 'hook',
      transport_key: 'k',
      epoch_id: 'epo_x',
      payload_bytes: 9,
      admitted_at: AT,
    },
  } as unknown as LineageRows;
}

describe('lineage', () => {
  it('more: of 201 items 200 are listed, and the tree says that there are others', () => {
    const lineage = buildLineage('x', rowsOf(201));
    expect([lineage.root.children.length, lineage.root.more]).toEqual([200, true]);
    expect(renderLineage(lineage)).toContain('└─ … more, not listed');
    expect(buildLineage('x', rowsOf(200)).root.more).toBe(false);
  });

  it('known before: an event that came first in another receipt is named and not drawn twice', () => {
    const rows = rowsOf(1);
    const other = ReceiptId.mint();
    const lineage = buildLineage('x', { ...rows, events: rows.events.map((event) => ({ ...event, receipt_id: other })) });
    expect(lineage.root.children[0]).toMatchObject({ kind: 'repeated', note: `the same change came first in ${other}`, children: [] });
    expect(lineage.counts).toMatchObject({ events: 0, repeated: 1 });
  });

  it('superseded: an input that its lane has passed says so and has nothing below it (PUB-ORD-02, con:SUPD-R)', () => {
    const rows = rowsOf(1);
    const id = ProjectionId.mint();
    const projections = rows.events.map(({ event_id }) => ({ projection_id: id, event_id, derived_at: AT }));
    const superseded = [{ projection_id: id, reason: 'late', decided_at: AT }];
    const lineage = buildLineage('x', { ...rows, projections, superseded });
    const [projection] = lineage.root.children[0]?.children ?? [];
    expect(projection).toMatchObject({ id, state: 'superseded', note: 'late: the application is not called', children: [] });
    expect(lineage.counts).toMatchObject({ events: 1, waiting: 0 });
  });

  it.each([
    ['2026-11-30T14:20:01.149000Z', '+31 ms'],
    ['2026-11-30T14:20:03.018000Z', '+1.9 s'],
    ['2026-11-30T14:30:01.118000Z', '+10 min'],
    ['2026-11-30T14:20:01.018000Z', '-100 ms'],
  ])('%s is %s after the receipt', (at, text) => expect(after(AT, at as Instant)).toBe(text));
});
