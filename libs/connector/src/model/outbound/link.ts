import type { Digest } from '@connector/kernel/digest';
import { machine } from '@connector/kernel/machine';

/** con:LINK-01. */
export const linkMachine = machine({
  name: 'RemoteLink',
  states: ['active', 'retired'],
  initial: 'active',
  moves: { 'retire-link': [['active', 'retired']] },
});
export type LinkState = (typeof linkMachine.states)[number];

/**
 * The local side of a link: the root of the effect and its slot. The root is whole, so that two roots never share a place; the
 * generation is left out, so that a successor of a slot meets the link of its predecessor. At most 193 of 255 bytes.
 */
export const ownerSlot = (effectRoot: Digest, slot: string): string => `${effectRoot.slice('sha256:'.length)}/${slot}`;
