import type { Handler } from '@connector/runtime/model/application';
import { contactOpensTicket } from './contact-opens-ticket';
import { deliveryNoted } from './delivery-noted';
import { ticketHint } from './ticket-hint';

/** The handlers of this release of the Runtime. */
export const HANDLERS: readonly Handler[] = [contactOpensTicket, ticketHint, deliveryNoted];

/** A handler by its exact id and version; there is no nearest one and no latest one (con:INV-06). */
export function findHandler(handlers: readonly Handler[], id: string, version: string): Handler | undefined {
  return handlers.find((handler) => handler.id === id && handler.version === version);
}
