import { Digest } from '@connector/kernel/digest';
import type { GateFence } from '@connector/kernel/brand';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { serveAccounts, type ServedAccount } from '@connector/testing/fixtures/account';
import { forceEpoch } from '@connector/testing/fixtures/serving';
import { connectorDoors } from '../model/paths';
import { epochMachine } from '../model/serving/epoch';
import { gateMachine } from '../model/serving/gate';
import { lockServingGate, type GateBasis, type ServingGate } from './serving-gate';

let schema: TestSchema;
let served: ServedAccount;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
});
afterAll(() => schema.close());

/** Every path that has the standard fence begins with this function; one door that carries it stands for them. */
function fence(basis: GateBasis = served): Promise<ServingGate> {
  return schema.db.fenced(connectorDoors['claim-executions'], (tx) => lockServingGate(tx, basis));
}
const OTHER = Digest.sha256(Buffer.from('other'));

describe('lock-serving-gate', () => {
  it('serving: mode, fence, epoch and digest hold (con:EPOCH-R)', async () => {
    expect(await fence()).toMatchObject({ kind: 'serving', gate: { account: 'north/acme', fence: 7n, epochId: served.epochId } });
  });

  it.each(gateMachine.states.filter((mode) => mode !== 'v2_serving'))('not-serving: con:GATE-R the gate is %s', async (mode) => {
    await schema.sql('UPDATE con_serving_gate SET mode = ?', [mode]);
    expect(await fence()).toEqual({ kind: 'not-serving', mode });
  });

  it('not-serving: the account has no gate', async () => {
    await schema.sql('DELETE FROM con_serving_gate');
    expect(await fence()).toEqual({ kind: 'not-serving', mode: 'no-gate' });
  });

  it('fence-moved: the caller’s work was based on another fence (con:GATE-R)', async () => {
    expect(await fence({ ...served, fence: 6n as GateFence })).toEqual({ kind: 'fence-moved', fence: 7n });
  });

  it('fence-moved: the caller’s work was based on another digest', async () => {
    expect(await fence({ ...served, epochDigest: OTHER })).toEqual({ kind: 'fence-moved', fence: 7n });
  });

  it.each(epochMachine.states.filter((state) => state !== 'active'))(
    'epoch-not-active: con:EPOCH-09 con:GATE-29 a gate that names a %s epoch yields no production fact',
    async (state) => {
      await forceEpoch(schema, served.epochId, state);
      expect(await fence()).toEqual({ kind: 'epoch-not-active', state });
    },
  );

  it('epoch-not-active: con:GATE-29 a gate that names an epoch that is not there', async () => {
    await schema.sql('DELETE FROM con_epoch');
    expect(await fence()).toEqual({ kind: 'epoch-not-active', state: 'absent' });
  });

  it('defect: gate and epoch disagree about the digest', async () => {
    await schema.sql('UPDATE con_epoch SET epoch_digest = ?', [Digest.bytes(OTHER)]);
    await expect(fence()).rejects.toThrow('disagree');
  });
});
