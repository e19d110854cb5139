import { bindingMachine } from '@connector/catalog/model/installation/binding';
import { activateBinding } from '@connector/catalog/transitions/binding/activate-binding.tx';
import { Bound } from '@connector/testing/fixtures/binding';
import type { BindingRef } from '@connector/catalog/transitions/binding/binding-rows';
import { failBinding } from '@connector/catalog/transitions/binding/fail-binding.tx';
import { retireBinding } from '@connector/catalog/transitions/binding/retire-binding.tx';
import { failPublication } from '@connector/catalog/transitions/installation/fail-publication.tx';
import { Publication } from '@connector/testing/fixtures/publication-steps';
import { publish } from '@connector/catalog/transitions/installation/publish.tx';
import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import type { TestSchema } from '@connector/testing/database';
import { askedFor, publicationWorld } from '@connector/testing/fixtures/publication';
import { asking } from '@connector/testing/fixtures/registry';
import type { Subject } from './moves';
import type { Tap } from './tap';
import { countOf, disturbed, moved, trialOf, unlisted, type Trial, type Try } from './trial';

const subject: Subject = { machine: bindingMachine, table: 'cat_binding_state', column: 'state' };
let trial: Trial;
const STAGED_AND_DRAINING = ['DRAINING>RETIRED', 'STAGED>ACTIVE', 'STAGED>FAILED'];

const keyOf = ({ organization, installation, bindingId }: BindingRef) => ({
  organization_id: Buffer.from(organization),
  app_installation_id: Buffer.from(installation),
  binding_id: Buffer.from(bindingId),
});

function tries(schema: TestSchema, tap: Tap): readonly Try[] {
  const on = (
    door: string,
    ready: (bound: Bound) => Promise<BindingRef>,
    open: (bound: Bound, ref: BindingRef) => Promise<unknown>,
  ): Try => ({
    door,
    arrange: async () => {
      await schema.reset();
      const bound = await Bound.open({ ...schema, db: tap.db }, 'org-1');
      const ref = await ready(bound);
      return { key: keyOf(ref), open: () => open(bound, ref) };
    },
  });
  const inPublication = (door: string, open: (attempt: OpenAttempt) => Promise<unknown>): Try => ({
    door,
    arrange: async () => {
      await schema.reset();
      const world = await publicationWorld({ ...schema, db: tap.db });
      const attempt = await world.opened('org-1', askedFor(await world.release()));
      await new Publication(tap.db, world, attempt).toPublish();
      const [row] = await schema.sql('SELECT binding_id FROM cat_binding_state');
      const ref = { organization: 'org-1', installation: attempt.installation, bindingId: String(row?.['binding_id']) };
      return { key: keyOf(ref), open: () => open(attempt) };
    },
  });
  return [
    on(
      'activate-binding',
      (bound) => bound.staged(),
      (bound, ref) => activateBinding(tap.db, bound.activating(ref), asking()),
    ),
    on(
      'fail-binding',
      (bound) => bound.staged(),
      (_, ref) => failBinding(tap.db, ref, asking()),
    ),
    on(
      'retire-binding',
      (bound) => bound.draining(schema),
      (_, ref) => retireBinding(tap.db, ref, asking()),
    ),
    inPublication('publish', (attempt) => publish(tap.db, { ...attempt, schemaGeneration: '7' })),
    inPublication('fail-publication', (attempt) => failPublication(tap.db, { ...attempt, code: 'ABANDONED', detail: 'test', by: 'test' })),
  ];
}

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`HandlerBinding: ${countOf(trial)}`);
}, 60_000);

describe('HandlerBinding, 5 states, 25 pairs', () => {
  it('moved: cat:BIND-06 by the doors, and by their statements alone, three of the four listed pairs; the drain is of another row than the one that is asked for', () => {
    expect(moved(trial.opened)).toEqual(STAGED_AND_DRAINING);
    expect(moved(trial.replayed)).toEqual(STAGED_AND_DRAINING);
    expect(unlisted(trial)).toEqual([]);
  });

  it('untouched: cat:BIND-06 by every door and statement once RETIRED or FAILED', () => {
    expect(disturbed(trial, bindingMachine.terminal)).toEqual([]);
  });

  it('born: STAGED and in no other state', () => {
    expect([...trial.born]).toEqual(['STAGED']);
  });
});
