import type { Digest } from '@connector/kernel/digest';
import type { Digested } from '@connector/kernel/digest-profile';
import { EventId, ProjectionId } from '@connector/kernel/ids';
import { type Identified, identified, profiled } from './profiled';

/** The body as received, before anything read it. */
export function receiptPayloadDigest(body: Uint8Array): Digested {
  return profiled('receipt-payload').bytes('body', body).build();
}

/** One extracted item of a receipt, as its JCS. `receiptId` has 16 bytes, `ordinal` is zero-based. */
export function componentDigest(receiptId: Uint8Array, ordinal: number, item: Uint8Array): Digested {
  return profiled('component').id('receipt_id', receiptId).int('ordinal', ordinal).bytes('item', item).build();
}

export interface EventParts {
  readonly account: string;
  readonly sourceEventKey: Uint8Array;
  /** 16 bytes; null for the live event. A replay is another event of the same source key (con:IDN-06, con:IDN-07). */
  readonly replayRequestId: Uint8Array | null;
}

export function eventDigest(event: EventParts): Identified<'EventId'> {
  return identified(
    EventId,
    profiled('event')
      .text('account', event.account)
      .bytes('source_event_key', event.sourceEventKey)
      .opt('replay_request_id', event.replayRequestId, (writer, id) => writer.id('replay_request_id', id))
      .build(),
  );
}

export interface ProjectionParts {
  readonly eventId: Uint8Array;
  /** The binding identity of the route. */
  readonly routeIdentity: Digest;
  readonly epochDigest: Digest;
  readonly windowId: Uint8Array | null;
}

export function projectionDigest(projection: ProjectionParts): Identified<'ProjectionId'> {
  return identified(
    ProjectionId,
    profiled('projection')
      .id('event_id', projection.eventId)
      .digest('route_identity', projection.routeIdentity)
      .digest('epoch_digest', projection.epochDigest)
      .opt('window_id', projection.windowId, (writer, id) => writer.id('window_id', id))
      .build(),
  );
}
