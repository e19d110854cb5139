import { invariant } from '@connector/kernel/faults';
import type { Behaviour } from './behaviour';
import { contacts } from './contacts';
import listed from './personalities.json';
import { tickets } from './tickets';

const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map([
  ['contacts', contacts],
  ['tickets', tickets],
]);

/** Host to manners. Which providers there are is data; no code names one. */
export const PERSONALITIES: ReadonlyMap<string, Behaviour> = new Map(
  listed.map(({ host, behaviour }) => {
    const found = BEHAVIOURS.get(behaviour);
    invariant(found !== undefined, 'HOUSE:simulator:NoSuchBehaviour', `${host} wants ${behaviour}`);
    return [host, found];
  }),
);
