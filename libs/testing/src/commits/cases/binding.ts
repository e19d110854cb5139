import { activateBinding } from '@connector/catalog/transitions/binding/activate-binding.tx';
import { Bound } from '../../fixtures/binding';
import type { BindingRef } from '@connector/catalog/transitions/binding/binding-rows';
import { closeBindingReference } from '@connector/catalog/transitions/binding/close-binding-reference.tx';
import { decideRetention } from '@connector/catalog/transitions/binding/decide-retention.tx';
import { failBinding } from '@connector/catalog/transitions/binding/fail-binding.tx';
import { openBindingReference } from '@connector/catalog/transitions/binding/open-binding-reference.tx';
import { retireBinding } from '@connector/catalog/transitions/binding/retire-binding.tx';
import { stageBinding } from '@connector/catalog/transitions/binding/stage-binding.tx';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import type { TestSchema } from '../../database';
import { asking } from '../../fixtures/registry';
import { act, type DoorCase } from './door-case';

const ORG = 'org-1';

async function draining(main: TestSchema): Promise<BindingRef> {
  return (await Bound.open(main, ORG)).draining(main);
}

export const BINDING_CASES: readonly DoorCase[] = [
  {
    door: 'stage-binding',
    arrange: async ({ main }) => {
      const [bound, request] = [await Bound.open(main, ORG), asking()];
      return act(
        ANSWER_SOON,
        (db) => stageBinding(db, bound.staging(), request),
        ({ kind }) => kind,
      );
    },
  },
  {
    door: 'activate-binding',
    arrange: async ({ main }) => {
      const [bound, request] = [await Bound.open(main, ORG), asking()];
      const input = bound.activating(await bound.staged());
      return act(ANSWER_SOON, (db) => activateBinding(db, input, request));
    },
  },
  {
    door: 'fail-binding',
    arrange: async ({ main }) => {
      const [bound, request] = [await Bound.open(main, ORG), asking()];
      const ref = await bound.staged();
      return act(ANSWER_SOON, (db) => failBinding(db, ref, request));
    },
  },
  {
    door: 'retire-binding',
    arrange: async ({ main }) => {
      const [ref, request] = [await draining(main), asking()];
      return act(ANSWER_SOON, (db) => retireBinding(db, ref, request));
    },
  },
  {
    door: 'open-binding-reference',
    arrange: async ({ main }) => {
      const reference = { ...(await draining(main)), referenceId: 'work-1', kind: 'work' } as const;
      return act(
        ANSWER_SOON,
        (db) => openBindingReference(db, reference, 'test'),
        ({ kind }) => (kind === 'already-open' ? 'opened' : kind),
      );
    },
  },
  {
    door: 'close-binding-reference',
    arrange: async ({ main }) => {
      const reference = { ...(await draining(main)), referenceId: 'work-1', kind: 'work' } as const;
      await openBindingReference(main.db, reference, 'test');
      return act(ANSWER_SOON, (db) => closeBindingReference(db, reference, 'test'));
    },
  },
  {
    door: 'decide-retention',
    arrange: async ({ main }) => {
      const [ref, request] = [await draining(main), asking()];
      return act(ANSWER_SOON, (db) => decideRetention(db, { ...ref, reason: 'test' }, request));
    },
  },
];
