import { abandonCandidate } from '@connector/catalog/transitions/installation/abandon-candidate.tx';
import { finishAbandonment } from '@connector/catalog/transitions/installation/finish-abandonment.tx';
import { finishRemoval } from '@connector/catalog/transitions/installation/finish-removal.tx';
import { openPublication } from '@connector/catalog/transitions/installation/open-publication.tx';
import { openRemoval } from '@connector/catalog/transitions/installation/open-removal.tx';
import { supersedeAbandonment } from '@connector/catalog/transitions/installation/supersede-abandonment.tx';
import { withdraw } from '@connector/catalog/transitions/installation/withdraw.tx';
import type { OpenAttempt } from '@connector/catalog/model/installation/attempt';
import type { AppRelease } from '@connector/catalog/model/release';
import { OperationId } from '@connector/kernel/ids';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import { Life } from '../../fixtures/life';
import { APP, askedFor, publicationWorld, type PublicationWorld } from '../../fixtures/publication';
import { asking } from '../../fixtures/registry';
import { act, type DoorCase, type Site } from './door-case';

interface Standing {
  readonly life: Life;
  readonly world: PublicationWorld;
  readonly second: AppRelease;
}

async function active({ main }: Site): Promise<Standing> {
  const world = await publicationWorld(main);
  const life = await Life.active(main, world, await world.release());
  return { life, world, second: await world.release(undefined, APP, '2.0.0') };
}

/** An upgrade that was abandoned after its command was sent; what takes it back has this attempt. */
async function abandoned(standing: Standing): Promise<OpenAttempt> {
  const { life, second } = standing;
  const run = await life.opened('upgrade', second);
  await run.toPublish();
  await abandonCandidate(life.schema.db, await life.seen(), asking());
  return { ...run.at, attempt: run.at.attempt + 1n };
}

async function headOf({ world, life }: Standing) {
  const head = await world.security.readHead(life.organization);
  if (head.kind !== 'head') throw new RangeError('no head');
  return head;
}

/** What is minted in a run is another in the next one. */
const kindOf = ({ kind }: { readonly kind: string }): string => kind.replace('already-', '');

/** The further life of an installation. */
export const LIFECYCLE_CASES: readonly DoorCase[] = [
  {
    door: 'open-publication',
    way: 'an upgrade',
    arrange: async (site) => {
      const { life, world, second } = await active(site);
      const input = await world.input(life.organization, askedFor(second));
      const existing = { ...(await life.seen()), kind: 'upgrade' } as const;
      const request = asking();
      return act(ANSWER_SOON, (db) => openPublication(db, { ...input, existing }, request), kindOf);
    },
  },
  ...(['before it was sent', 'after it was sent'] as const).map((way): DoorCase => ({
    door: 'abandon-candidate',
    way,
    arrange: async (site) => {
      const { life, second } = await active(site);
      const run = await life.opened('upgrade', second);
      if (way === 'after it was sent') await run.compile();
      const [seen, request] = [await life.seen(), asking()];
      return act(ANSWER_SOON, (db) => abandonCandidate(db, seen, request), kindOf);
    },
  })),
  {
    door: 'supersede-abandonment',
    arrange: async (site) => {
      const standing = await active(site);
      const at = await abandoned(standing);
      const head = await headOf(standing);
      // A run that finds its own earlier one finds that its attempt is not the open one any more.
      return act(
        ANSWER_SOON,
        (db) => supersedeAbandonment(db, at, head),
        () => 'superseded',
      );
    },
  },
  {
    door: 'finish-abandonment',
    arrange: async (site) => {
      const standing = await active(site);
      const at = await abandoned(standing);
      await standing.life.at({ kind: 'opened', attempt: at.attempt }).toPublish();
      return act(ANSWER_SOON, (db) => finishAbandonment(db, at), kindOf);
    },
  },
  {
    door: 'open-removal',
    arrange: async (site) => {
      const standing = await active(site);
      const input = { ...(await standing.life.seen()), basis: await headOf(standing), commandId: OperationId.mint() };
      const request = asking();
      return act(ANSWER_SOON, (db) => openRemoval(db, input, request));
    },
  },
  {
    door: 'withdraw',
    arrange: async (site) => {
      const { life } = await active(site);
      const run = life.at(await life.openRemoval());
      await run.toPublish();
      return act(ANSWER_SOON, (db) => withdraw(db, run.at), kindOf);
    },
  },
  {
    door: 'finish-removal',
    arrange: async (site) => {
      const { life } = await active(site);
      await life.withdrawn();
      await life.retired();
      const { organization, installation } = life;
      return act(ANSWER_SOON, (db) => finishRemoval(db, { organization, installation }));
    },
  },
];
