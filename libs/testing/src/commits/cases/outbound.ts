import { GenerationId, OperationId, SendToken } from '@connector/kernel/ids';
import { permitsOfHolder } from '@connector/connector/reads/outbound/holder-permits';
import { grantCandidates } from '@connector/connector/reads/outbound/grant-candidates';
import { abandonPermits } from '@connector/connector/transitions/outbound/abandon-permits.tx';
import { createEffectsOfFeed } from '@connector/connector/transitions/outbound/create-effects.tx';
import { finalizeEffects } from '@connector/connector/transitions/outbound/finalize-effects.tx';
import { grant } from '@connector/connector/transitions/outbound/grant.tx';
import { settlePermits } from '@connector/connector/transitions/outbound/settle-permits.tx';
import { startSending } from '@connector/connector/transitions/outbound/start-sending.tx';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import { HolderName } from '@connector/services/egress-adapter/src/holder-name';
import { WHILE_WE_LIVE } from '@connector/services/egress-adapter/src/while-we-live';
import type { TestSchema } from '../../database';
import {
  authored,
  CONFIRMED,
  enabledCredential,
  granted,
  isolated,
  NO_IO,
  REFUSED,
  registered,
  sending,
  settlement,
  terminated,
  type HeldPermit,
  UNCERTAIN,
} from '../../fixtures/outbound';
import { act, oneAccount, type Act, type DoorCase } from './door-case';

/** One account, an adapter, and the credential of its commands. */
async function adapter(main: TestSchema) {
  const served = await oneAccount(main);
  return { served, holder: await registered(main), credential: await enabledCredential(main) };
}

/** So many permits, each by a grant of its own: minted ids order the effects of one grant, and no two runs would be alike. */
async function permits(main: TestSchema, count: number) {
  const made = await adapter(main);
  const held: HeldPermit[] = [];
  for (let sequence = 1; sequence <= count; sequence += 1) {
    await authored(main, made.served, sequence, made.credential);
    held.push(...(await granted(main.db, made.served, made.holder)));
  }
  return { ...made, held };
}

async function calls(main: TestSchema, count: number) {
  const made = await permits(main, count);
  return { ...made, token: await sending(main.db, made.holder, made.credential, made.held) };
}

/** What the call showed, by the state that the effect gets. A retry waits for a time that chance makes, so `prepared` is not among them. */
const SHOWN = { remote_confirmed: CONFIRMED, uncertain: UNCERTAIN, no_effect: REFUSED };
/** The last try: what would be due again is due never. */
const ONE_TRY = { attemptsMax: 1, backoff: { firstMs: 1, factor: 1, capMs: 1 }, retryRefused: false };

const settleCases: readonly DoorCase[] = [...Object.entries(SHOWN), ['no_effect, without I/O', NO_IO] as const].map(([way, shown]) => ({
  door: 'settle-permits',
  way,
  arrange: async ({ main }) => {
    const { served, holder, held, token } = await calls(main, 2);
    const batch = settlement(served, holder, token, held, shown, ONE_TRY);
    return act(WHILE_WE_LIVE, (db) => settlePermits(db, batch));
  },
}));

/** One invocation: its token is in its memory and in the row, and whoever comes with another one never sends (decisions 13.1). */
async function oneInvocation(main: TestSchema): Promise<Act> {
  const { holder, credential, held } = await permits(main, 2);
  const batch = { ...holder, credentialGenerationId: credential, sendToken: SendToken.mint(), permits: held };
  return {
    run: async (db, again) => ({ token: batch.sendToken, answers: await again(WHILE_WE_LIVE, () => startSending(db, batch)) }),
    after: async (db) => {
      const answers = await startSending(db, { ...batch, sendToken: SendToken.mint() });
      return answers.some(({ kind }) => kind === 'sending') ? 'an invocation with another token may send as well' : undefined;
    },
  };
}

/** From the feed of the application to the end of a call. */
export const OUTBOUND_CASES: readonly DoorCase[] = [
  {
    door: 'create-effects',
    arrange: async ({ main }) => {
      const { served, credential } = await adapter(main);
      for (const sequence of [1, 2]) await authored(main, served, sequence, credential);
      // How many it made is what wakes an adapter; a lost answer costs one look of the adapter's poll.
      return act(
        ANSWER_SOON,
        (db) => createEffectsOfFeed(db, served, 200),
        ({ kind }) => ({ kind }),
      );
    },
  },
  {
    door: 'grant',
    arrange: async ({ main }) => {
      const { served, holder, credential } = await adapter(main);
      await authored(main, served, 1, credential);
      await createEffectsOfFeed(main.db, served, 200);
      await authored(main, served, 2, credential);
      const candidates = await grantCandidates(main.db, served.account, 100);
      const input = { basis: served, holder, slots: 1, candidates, newCommands: 200 };
      return {
        // Whatever the dispatcher was told, the adapter finds its permits by (holder, fence, granted) (decisions 13.2).
        run: async (db, again) => {
          const { kind } = await again(ANSWER_SOON, () => grant(db, input));
          return { kind, found: (await permitsOfHolder(db, holder, 'granted', 100)).map(({ permit_id: id }) => id) };
        },
      };
    },
  },
  { door: 'start-sending', arrange: ({ main }) => oneInvocation(main) },
  ...settleCases,
  {
    door: 'finalize-effects',
    arrange: async ({ main }) => {
      const { served, holder, held, token } = await calls(main, 1);
      await settlePermits(main.db, settlement(served, holder, token, held, CONFIRMED));
      const batch = { operationId: OperationId.mint(), account: served.account, effectIds: held.map(({ effectId }) => effectId) };
      return act(ANSWER_SOON, (db) => finalizeEffects(db, batch));
    },
  },
  {
    door: 'abandon-permits',
    arrange: async ({ main }) => {
      const { served, holder, credential, held } = await permits(main, 2);
      await sending(main.db, holder, credential, held.slice(1));
      await terminated(main, holder.generationId);
      await isolated(main, holder.generationId);
      const batch = { operationId: OperationId.mint(), account: served.account, requestedBy: 'test', permits: held };
      return act(ANSWER_SOON, (db) => abandonPermits(db, batch));
    },
  },
  {
    door: 'register-holder',
    way: 'a name that nobody had',
    arrange: () => Promise.resolve(taking(GenerationId.mint())),
  },
  {
    door: 'register-holder',
    way: 'a name that another process has',
    arrange: async ({ main }) => {
      await registered(main);
      return taking(GenerationId.mint());
    },
  },
];

/** The adapter's loop asks for its name at every look until it has it. */
function taking(generation: GenerationId): Act {
  return {
    run: async (db, again) => {
      const name = new HolderName(db, 'egress-1', generation);
      return again(ANSWER_SOON, () => name.take());
    },
  };
}
