import type { CommandIntent, Handler, HandlerAnswer, Question } from '@connector/runtime/model/application';
import { countMember, member, textMember } from './members';
import { recordKey } from './record-key';

const COLLECTION = 'contact';
const REJECTED: HandlerAnswer = { outcome: 'rejected', reason: 'not-a-contact', changes: [], commands: [] };
const FAILED: HandlerAnswer = { outcome: 'failed', reason: 'address-unusable', changes: [], commands: [] };
const NOOP: HandlerAnswer = { outcome: 'noop', changes: [], commands: [] };

interface Contact {
  readonly key: string;
  readonly tenant: string;
  readonly externalId: string;
  readonly seq: number;
  readonly email: string | null;
  readonly name: string;
}

/** The mapped input of a contact; undefined where it is none. */
function contactOf({ account, input }: Question): Contact | undefined {
  const [externalId, name, seq] = [textMember(input, 'externalId'), textMember(input, 'name'), countMember(input, 'seq')];
  const email = member(input, 'email');
  const tenant = account.split('/')[1];
  if (externalId === undefined || name === undefined || seq === undefined || tenant === undefined) return undefined;
  if (email !== null && typeof email !== 'string') return undefined;
  const key = recordKey(account, externalId);
  return key === undefined ? undefined : { key, tenant, externalId, seq, email, name };
}

function opensTicket({ tenant, externalId, email, name }: Contact): CommandIntent {
  return {
    intent: 'open-ticket',
    slot: 'ticket.create',
    account: `tern/${tenant}`,
    effect: 'ticket/create',
    input: { subject: `New contact: ${name}`, external_ref: externalId, requester: email ?? name },
  };
}

/** Nobody can be written to without a domain, so no ticket may name it; to drop it silently would keep another contact than the source has. */
const unusable = ({ email }: Contact): boolean => email !== null && !/^[^@]+@[^@]+$/.test(email);

/**
 * Keeps the change with the greatest `seq` of each contact, so that any order of the same changes ends in the same record. The first change
 * of a contact, whichever it is, opens a ticket at the desk of the same tenant; no later one does. An address that is none fails the change,
 * and with it what the source made on top: a strict lane is held then.
 */
export const contactOpensTicket: Handler = {
  id: 'dev.example.workbench/contact-opens-ticket',
  version: '1',
  reasons: ['not-a-contact', 'address-unusable'],
  wants(question) {
    const contact = contactOf(question);
    return contact === undefined ? [] : [{ collection: COLLECTION, key: contact.key }];
  },
  answer(question, [record]) {
    const contact = contactOf(question);
    if (contact === undefined || record === undefined) return REJECTED;
    if (unusable(contact)) return FAILED;
    const held = countMember(record.value, 'seq');
    if (held !== undefined && contact.seq <= held) return NOOP;
    const { key, seq, email, name } = contact;
    const change = { collection: COLLECTION, key, value: { seq, email, name } };
    return { outcome: 'applied', changes: [change], commands: held === undefined ? [opensTicket(contact)] : [] };
  },
};
