import type { Places, Reason } from './reason';
import { INBOUND_REASONS } from './reasons-inbound';
import { ORDER_REASONS } from './reasons-order';
import { OUTBOUND_REASONS } from './reasons-outbound';
import { SERVING_REASONS } from './reasons-serving';

/** The closed catalogue of why a row of this path waits (con:LIV-02, con:LIV-12). Reasons of later paths come with those paths. */
export const REASONS = { ...SERVING_REASONS, ...INBOUND_REASONS, ...ORDER_REASONS, ...OUTBOUND_REASONS } as const satisfies Record<
  string,
  Reason
>;
export type ReasonCode = keyof typeof REASONS;

type Texts<C extends ReasonCode> = (typeof REASONS)[C]['headline'] | (typeof REASONS)[C]['may'][number]['command'];
/** Everything that headline and commands of a reason leave open: a blocker test that forgets one does not compile. */
export type ReasonValues<C extends ReasonCode> = { readonly [Name in Places<Texts<C>>]: string };
