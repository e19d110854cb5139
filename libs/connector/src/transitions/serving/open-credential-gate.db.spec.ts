import type { AccountName, ChannelKeyFence } from '@connector/kernel/brand';
import { CredentialGenerationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { Signals } from '@connector/testing/signals';
import { readChannelKeyFence } from '../../reads/serving/gates';
import { moveChannelKeyGate } from './move-channel-key-gate.tx';
import { openCredentialGate } from './open-credential-gate.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

describe('open-credential-gate', () => {
  const id = CredentialGenerationId.mint();
  const row = async (): Promise<string[]> =>
    (await schema.sql('SELECT mode, fence FROM con_credential_gate')).flatMap((one) => Object.values(one).map(String));

  it('opened: con:CGATE-F con:OPEN-47 enabled at fence 1', async () => {
    expect(await openCredentialGate(schema.db, id)).toEqual({ kind: 'opened' });
    expect(await row()).toEqual(['enabled', '1']);
  });

  it('already-open: con:CGATE-K con:UNIQ-05 the same generation again changes nothing, also where it was revoked since', async () => {
    await openCredentialGate(schema.db, id);
    await schema.sql("UPDATE con_credential_gate SET mode = 'revoked', fence = 2");
    expect(await openCredentialGate(schema.db, id)).toEqual({ kind: 'already-open' });
    expect(await row()).toEqual(['revoked', '2']);
  });

  it('already-open: con:UNIQ-05 of concurrent openers one opened it', async () => {
    const kinds = (await Promise.all([1, 2, 3, 4].map(() => openCredentialGate(schema.db, id)))).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['already-open', 'already-open', 'already-open', 'opened']);
  });
});

describe('move-channel-key-gate', () => {
  const account = 'north/acme' as AccountName;
  const move = (revision: bigint, db = schema.db): Promise<{ readonly kind: string }> =>
    moveChannelKeyGate(db, { account, channel: 'hook', revision: revision as ChannelKeyFence });

  it('moved: the first key set opens the gate, a later one raises it', async () => {
    expect(await readChannelKeyFence(schema.db, account, 'hook')).toBeUndefined();
    expect(await move(1n)).toEqual({ kind: 'moved', fence: 1n });
    expect(await move(3n)).toEqual({ kind: 'moved', fence: 3n });
    expect(await readChannelKeyFence(schema.db, account, 'hook')).toBe(3n);
  });

  it('already-there: the same revision again, and a late carrier of a lower one, move nothing', async () => {
    await move(3n);
    expect(await move(3n)).toEqual({ kind: 'already-there', fence: 3n });
    expect(await move(2n)).toEqual({ kind: 'already-there', fence: 3n });
    expect(await readChannelKeyFence(schema.db, account, 'hook')).toBe(3n);
  });

  it.each([
    [1n, 2n],
    [2n, 1n],
  ])('moved: of two first carriers, %s before %s, the higher revision stands', async (first, second) => {
    const signals = new Signals();
    const slow = schema.another(signals.hook);
    const stop = signals.stopAt('move-channel-key-gate/insert con_channel_key_gate');
    const late = move(second, slow);
    await stop.reached;
    await move(first);
    stop.release();
    await late;
    expect(await readChannelKeyFence(schema.db, account, 'hook')).toBe(2n);
  });
});
