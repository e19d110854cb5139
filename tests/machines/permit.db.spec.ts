import { SendToken } from '@connector/kernel/ids';
import { permitMachine } from '@connector/connector/model/outbound/permit';
import { startSending } from '@connector/connector/transitions/outbound/start-sending.tx';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { CONFIRMED, NO_IO, REFUSED, UNCERTAIN } from '@connector/testing/fixtures/outbound';
import type { Subject } from './moves';
import { Calls, permitKey, type Call } from './outbound';
import { Tap } from './tap';
import { countOf, disturbed, faults, moved, replayOnce, trialOf, unlisted, untried, type Trial, type Try } from './trial';

const subject: Subject = { machine: permitMachine, table: 'con_dispatch_permit', column: 'state' };
let trial: Trial;

function tries(schema: TestSchema, tap: Tap): readonly Try[] {
  const calls = new Calls(schema, tap);
  const on = <C extends Call>(door: string, make: () => Promise<C>, open: (call: C) => Promise<unknown>): Try => ({
    door,
    arrange: async () => {
      const call = await make();
      return { key: permitKey(call), open: () => open(call) };
    },
  });
  const send = ({ holder, credential, permit }: Call): Promise<unknown> =>
    startSending(tap.db, { ...holder, credentialGenerationId: credential, sendToken: SendToken.mint(), permits: [permit] });
  return [
    on('grant', async () => calls.untried(await calls.granted(), true), calls.grant),
    on('start-sending', () => calls.granted(), send),
    ...[CONFIRMED, UNCERTAIN, REFUSED, NO_IO].map((evidence) =>
      on(
        'settle-permits',
        () => calls.sending(),
        (call) => calls.settle(call, evidence),
      ),
    ),
    on('abandon-permits', async () => calls.ended(await calls.granted()), calls.abandon),
    on('abandon-permits', async () => calls.ended(await calls.sending()), calls.abandon),
  ];
}

beforeAll(async () => {
  trial = await trialOf(subject, tries);
  console.log(`DispatchPermit: ${countOf(trial)}`);
});

describe('DispatchPermit, 4 states, 16 pairs', () => {
  it('tried: every door that writes a permit, and every statement that they have for it; a refusal is answered, not thrown', () => {
    expect(untried(trial)).toEqual([]);
    expect(faults(trial)).toEqual(['HOUSE:connector:EvidenceMissing']);
  });

  it('moved: con:SM-ALL-01 con:NEG-PRMT by the doors the four listed pairs and none of the others', () => {
    expect(moved(trial.opened)).toEqual(['granted>abandoned', 'granted>sending', 'sending>abandoned', 'sending>returned']);
    expect(moved(trial.opened)).toEqual(trial.said.moves);
    expect(unlisted(trial)).toEqual([]);
  });

  it('moved: con:SM-ALL-01 con:NEG-PRMT by the statements alone the same pairs, whatever a door judges before', () => {
    expect(moved(trial.replayed)).toEqual(trial.said.moves);
  });

  it('untouched: con:SM-ALL-04 con:INV-27 by every door and statement once returned or abandoned', () => {
    expect(permitMachine.terminal).toEqual(['returned', 'abandoned']);
    expect(disturbed(trial, permitMachine.terminal)).toEqual([]);
  });

  it('born: con:SM-ALL-03 granted and in no other state', () => {
    expect([...trial.born]).toEqual(['granted']);
  });
});

describe('the trial itself', () => {
  it('named: a planted statement that lost its state clause, and one that names a state too many', async () => {
    const schema = await mainSchema();
    const tap = new Tap(schema);
    const call = await new Calls(schema, tap).sending();
    const site = { schema, tap, subject };
    const returning = (where: string) =>
      replayOnce(site, permitKey(call), {
        name: 'update con_dispatch_permit#return',
        sql: `UPDATE con_dispatch_permit SET state = 'returned', open_account = NULL WHERE holder_id = ? ${where}`,
        values: [Buffer.from(call.holder.holderId)],
      });
    expect(moved(await returning("AND state = 'sending'"))).toEqual(['sending>returned']);
    expect(moved(await returning("AND state IN ('granted', 'sending')"))).toEqual(['granted>returned', 'sending>returned']);
    const without = await returning('');
    expect(moved(without)).toEqual(['abandoned>returned', 'granted>returned', 'sending>returned']);
    expect(without.find(({ from }) => from === 'returned')?.touched).toEqual(['open_account']);
    await tap.close();
    await schema.close();
  });
});
