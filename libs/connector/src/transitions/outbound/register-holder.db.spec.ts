import { GenerationId } from '@connector/kernel/ids';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { inOrder } from '@connector/testing/fixtures/outbound';
import { Signals } from '@connector/testing/signals';
import { registerHolder } from './register-holder.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const register = (generationId: GenerationId, holderId = 'egress-1', db = schema.db) => registerHolder(db, { holderId, generationId });
const rows = (): Promise<Record<string, unknown>[]> =>
  schema.sql(
    `SELECT h.fence, h.generation_id = g.generation_id AS current FROM con_egress_holder h
     JOIN con_egress_holder_generation g ON g.holder_id = h.holder_id AND g.fence = h.fence`,
  );

describe('register-holder', () => {
  it('registered: con:OPEN-29 a name begins at fence 1 and every further generation raises it', async () => {
    expect(await register(GenerationId.mint())).toEqual({ kind: 'registered', holderFence: 1n });
    expect(await register(GenerationId.mint())).toEqual({ kind: 'registered', holderFence: 2n });
    expect(await register(GenerationId.mint(), 'egress-2')).toEqual({ kind: 'registered', holderFence: 1n });
    expect(await rows()).toEqual(
      expect.arrayContaining([
        { fence: '2', current: 1 },
        { fence: '1', current: 1 },
      ]),
    );
  });

  it('registered: the same generation again after an unknown COMMIT has its fence and raises none', async () => {
    const generation = GenerationId.mint();
    await register(GenerationId.mint());
    expect(await register(generation)).toEqual({ kind: 'registered', holderFence: 2n });
    expect(await register(generation)).toEqual({ kind: 'registered', holderFence: 2n });
    expect(await schema.sql('SELECT * FROM con_egress_holder_generation')).toHaveLength(2);
  });

  it('generation-spent: a generation that lost its name does not take it back', async () => {
    const generation = GenerationId.mint();
    await register(generation);
    await register(GenerationId.mint());
    expect(await register(generation)).toEqual({ kind: 'generation-spent', holderId: 'egress-1', holderFence: 1n });
    expect(await rows()).toEqual([{ fence: '2', current: 1 }]);
  });

  it('generation-spent: one process generation has one name', async () => {
    const generation = GenerationId.mint();
    await register(generation);
    expect(await register(generation, 'egress-2')).toEqual({ kind: 'generation-spent', holderId: 'egress-1', holderFence: 1n });
    expect(await rows()).toEqual([{ fence: '1', current: 1 }]);
  });

  it('registered: race of two generations for a new name: the one that saw it free too late runs again and has the next fence', async () => {
    const late = new Signals();
    const insert = late.stopAt('register-holder/insert con_egress_holder_generation');
    const db = schema.another(late.hook);
    const generation = GenerationId.mint();
    const second = retrying(ANSWER_SOON, () => register(generation, 'egress-1', db));
    await insert.reached;
    expect(await register(GenerationId.mint())).toEqual({ kind: 'registered', holderFence: 1n });
    insert.release();
    expect(await second).toEqual({ kind: 'registered', holderFence: 2n });
    expect(late.seen).toContain('register-holder/rolled-back');
  });

  it('registered: race of two generations for a known name: both orders raise the fence twice', async () => {
    await register(GenerationId.mint());
    const answers = await inOrder(
      schema,
      { first: 'register-holder/commit', second: 'register-holder/lock con_egress_holder' },
      (db) => register(GenerationId.mint(), 'egress-1', db),
      (db) => register(GenerationId.mint(), 'egress-1', db),
    );
    expect(answers).toEqual([
      { kind: 'registered', holderFence: 2n },
      { kind: 'registered', holderFence: 3n },
    ]);
  });
});
