import { failPublication } from '@connector/catalog/transitions/installation/fail-publication.tx';
import { openPublication } from '@connector/catalog/transitions/installation/open-publication.tx';
import { Publication } from '../../fixtures/publication-steps';
import { publish } from '@connector/catalog/transitions/installation/publish.tx';
import { recordAcknowledged } from '@connector/catalog/transitions/installation/record-acknowledged.tx';
import { recordCompiled } from '@connector/catalog/transitions/installation/record-compiled.tx';
import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import { askedFor, publicationWorld } from '../../fixtures/publication';
import { asking } from '../../fixtures/registry';
import { act, type DoorCase, type Site } from './door-case';

const ORG = 'org-1';

async function opened({ main }: Site): Promise<{ readonly open: OpenAttempt; readonly run: Publication }> {
  const world = await publicationWorld(main);
  const open = await world.opened(ORG, askedFor(await world.release()));
  return { open, run: new Publication(main.db, world, open) };
}

/** From its first step to its last one; each answers the same whether its first COMMIT or a later run told it. */
export const PUBLICATION_CASES: readonly DoorCase[] = [
  {
    door: 'open-publication',
    arrange: async ({ main }) => {
      const world = await publicationWorld(main);
      const input = await world.input(ORG, askedFor(await world.release()));
      const request = asking();
      return act(
        ANSWER_SOON,
        (db) => openPublication(db, input, request),
        ({ kind }) => kind,
      );
    },
  },
  {
    door: 'open-publication',
    way: 'refused',
    arrange: async ({ main }) => {
      const world = await publicationWorld(main);
      const input = await world.input(ORG, askedFor(await world.release(), { handlerBindings: [] }));
      const request = asking();
      return act(
        ANSWER_SOON,
        (db) => openPublication(db, input, request),
        ({ kind }) => kind,
      );
    },
  },
  {
    door: 'record-compiled',
    arrange: async (site) => {
      const { open, run } = await opened(site);
      const made = await run.projections();
      return act(ANSWER_SOON, (db) => recordCompiled(db, { ...open, ...made }));
    },
  },
  {
    door: 'record-acknowledged',
    arrange: async (site) => {
      const { open, run } = await opened(site);
      const bound = await run.send();
      return act(ANSWER_SOON, (db) => recordAcknowledged(db, { ...open, bound }));
    },
  },
  {
    door: 'publish',
    arrange: async (site) => {
      const { open, run } = await opened(site);
      await run.toPublish();
      return act(
        ANSWER_SOON,
        (db) => publish(db, { ...open, schemaGeneration: '7' }),
        ({ kind }) => kind.replace('already-', ''),
      );
    },
  },
  {
    door: 'fail-publication',
    arrange: async (site) => {
      const { open } = await opened(site);
      return act(ANSWER_SOON, (db) => failPublication(db, { ...open, code: 'ABANDONED', detail: 'test', by: 'test' }));
    },
  },
];
