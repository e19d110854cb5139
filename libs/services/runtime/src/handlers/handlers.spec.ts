import type { Json, JsonObject } from '@connector/kernel/jcs';
import type { Handler, HandlerAnswer, RecordSeen } from '@connector/runtime/model/application';
import { contactOpensTicket } from './contact-opens-ticket';
import { deliveryNoted } from './delivery-noted';
import { findHandler, HANDLERS } from './registry';
import { ticketHint } from './ticket-hint';

const ACCOUNT = 'larkspur/acme';
const contact = (seq: number, over: JsonObject = {}): Json => ({
  externalId: 'rec-1',
  seq,
  email: 'ada@example.test',
  name: 'Ada',
  ...over,
});

/** What the handler answers when this is the value of the record that it asked for. */
function answer(handler: Handler, input: Json, value: Json = null, account = ACCOUNT): HandlerAnswer {
  const wants = handler.wants({ account, input });
  const seen = wants.map((key): RecordSeen => ({ ...key, version: value === null ? null : 1n, value }));
  return handler.answer({ account, input }, seen);
}

/** The records and commands that these inputs end in, one after the other. */
function play(handler: Handler, inputs: readonly Json[]): { value: Json; commands: readonly object[] } {
  let value: Json = null;
  const commands: object[] = [];
  for (const input of inputs) {
    const said = answer(handler, input, value);
    value = said.changes[0]?.value ?? value;
    commands.push(...said.commands);
  }
  return { value, commands };
}

describe('contact-opens-ticket', () => {
  it('applied: the first change of a contact opens one ticket at the desk of the same tenant', () => {
    expect(answer(contactOpensTicket, contact(3))).toEqual({
      outcome: 'applied',
      changes: [{ collection: 'contact', key: '["larkspur/acme","rec-1"]', value: { seq: 3, email: 'ada@example.test', name: 'Ada' } }],
      commands: [
        {
          intent: 'open-ticket',
          slot: 'ticket.create',
          account: 'tern/acme',
          effect: 'ticket/create',
          input: { subject: 'New contact: Ada', external_ref: 'rec-1', requester: 'ada@example.test' },
        },
      ],
    });
  });

  it('applied: a later change keeps the record and sends nothing; a contact without an address is asked for by name', () => {
    expect(answer(contactOpensTicket, contact(4), { seq: 3, email: null, name: 'A' })).toMatchObject({ outcome: 'applied', commands: [] });
    expect(answer(contactOpensTicket, contact(1, { email: null })).commands[0]?.input).toMatchObject({ requester: 'Ada' });
  });

  it.each([2, 3])('noop: seq %i where 3 is held', (seq) => {
    expect(answer(contactOpensTicket, contact(seq), { seq: 3, email: null, name: 'A' })).toEqual({
      outcome: 'noop',
      changes: [],
      commands: [],
    });
  });

  it('applied: any order of the same changes ends in the same record and in one ticket', () => {
    const changes = [contact(1), contact(2, { name: 'Ada L.' }), contact(3, { name: 'Ada Lovelace' })];
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ];
    for (const order of orders) {
      const { value, commands } = play(
        contactOpensTicket,
        [...order, 1].map((index) => changes[index] as Json),
      );
      expect(value).toEqual({ seq: 3, email: 'ada@example.test', name: 'Ada Lovelace' });
      expect(commands).toHaveLength(1);
    }
  });

  it('rejected: an input that is no contact is a terminal answer and not a crash', () => {
    const inputs: Json[] = [null, [], 'x', {}, contact(-1), contact(1.5), contact(1, { name: '' }), contact(1, { externalId: 7 })];
    for (const input of [...inputs, contact(1, { email: 5 }), contact(1, { externalId: 'x'.repeat(300) })]) {
      expect(answer(contactOpensTicket, input)).toEqual({ outcome: 'rejected', reason: 'not-a-contact', changes: [], commands: [] });
    }
  });

  it.each(['', 'none', 'ada@', '@example.test', 'ada@home@example.test'])(
    'failed: a contact with the address %j, first or later, changes nothing and sends nothing (con:ARES-01)',
    (email) => {
      const failed = { outcome: 'failed', reason: 'address-unusable', changes: [], commands: [] };
      expect(answer(contactOpensTicket, contact(1, { email }))).toEqual(failed);
      expect(answer(contactOpensTicket, contact(4, { email }), { seq: 3, email: null, name: 'A' })).toEqual(failed);
    },
  );

  it('records of two tenants with the same outside id, and ids that look like a list, are apart (con:IDN-01)', () => {
    const keyOf = (account: string, externalId: string) => contactOpensTicket.wants({ account, input: contact(1, { externalId }) })[0]?.key;
    const keys = [keyOf('a/b', 'c'), keyOf('a/d', 'c'), keyOf('a/b', '","c'), keyOf('a/b","', 'c')];
    expect(new Set(keys).size).toBe(4);
  });
});

describe('ticket-hint', () => {
  const hint = (revision: number, over: JsonObject = {}): Json => ({ ticketId: 90, revision, status: 'open', ...over });

  it('applied, then noop: the greatest revision is kept and nothing is sent', () => {
    expect(play(ticketHint, [hint(5, { status: 'solved' }), hint(1), hint(5)])).toEqual({
      value: { revision: 5, status: 'solved' },
      commands: [],
    });
    expect(answer(ticketHint, hint(1), { revision: 5, status: 'solved' }).outcome).toBe('noop');
  });

  it('rejected: an input that is no hint', () => {
    for (const input of [null, {}, hint(1, { ticketId: null }), hint(1, { status: 3 })]) {
      expect(answer(ticketHint, input).outcome).toBe('rejected');
    }
  });
});

describe('delivery-noted', () => {
  const star = { delivery: 'd-1', event: 'star', action: 'created', payload: { action: 'created' } };

  it('applied, then noop: a delivery is noted once under its own id, and nothing is sent', () => {
    expect(answer(deliveryNoted, star, null, 'github/acme')).toEqual({
      outcome: 'applied',
      changes: [{ collection: 'delivery', key: '["github/acme","d-1"]', value: { event: 'star', action: 'created' } }],
      commands: [],
    });
    expect(answer(deliveryNoted, star, { event: 'star', action: 'created' }).outcome).toBe('noop');
  });

  it('applied: a kind that nobody knows, with an action that is no text', () => {
    expect(play(deliveryNoted, [{ ...star, event: 'hologram', action: ['x'] }]).value).toEqual({ event: 'hologram', action: null });
  });

  it('rejected: an input that is no delivery', () => {
    for (const input of [null, {}, { ...star, delivery: 7 }, { ...star, event: '' }, { ...star, delivery: 'x'.repeat(300) }])
      expect(answer(deliveryNoted, input).outcome).toBe('rejected');
  });
});

describe('registry', () => {
  it('found: by id and version exactly; there is no nearest and no latest one (con:INV-06)', () => {
    const id = 'dev.example.workbench/contact-opens-ticket';
    expect(findHandler(HANDLERS, id, '1')).toBe(contactOpensTicket);
    expect(findHandler(HANDLERS, id, '2')).toBeUndefined();
    expect(findHandler(HANDLERS, `${id}-`, '1')).toBeUndefined();
    expect(new Set(HANDLERS.map((handler) => `${handler.id} ${handler.version}`)).size).toBe(HANDLERS.length);
  });
});
