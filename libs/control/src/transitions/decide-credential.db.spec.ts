import type { CredentialFence } from '@connector/kernel/brand';
import { CredentialGenerationId, OperationId } from '@connector/kernel/ids';
import { openCredentialGate } from '@connector/connector/transitions/serving/open-credential-gate.tx';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { countOf } from '@connector/testing/fixtures/serving';
import { ACCOUNT, credentialInput } from './control.fixture';
import { authorCredential } from './author-credential.tx';
import { decideCredential, type DecideCredential } from './decide-credential.tx';

let schema: TestSchema;
let generationId: CredentialGenerationId;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  generationId = await authored();
});
afterAll(() => schema.close());

async function authored(secretVersion = '1'): Promise<CredentialGenerationId> {
  const input = credentialInput({ secretVersion });
  await authorCredential(schema.db, input);
  await openCredentialGate(schema.db, input.generationId);
  return input.generationId;
}
const asked = (change: Partial<DecideCredential> = {}): DecideCredential => ({
  operationId: OperationId.mint(),
  generationId,
  verb: 'revoke',
  expectedFence: 1n as CredentialFence,
  final: false,
  by: 'ops@example',
  reason: 'leaked',
  ...change,
});
const decide = (change: Partial<DecideCredential> = {}) => decideCredential(schema.db, asked(change));
const gate = (mode: string, fence: number): Promise<unknown> =>
  schema.sql('UPDATE con_credential_gate SET mode = ?, fence = ?', [mode, fence]);
const decisions = (): Promise<number> => countOf(schema, 'ctl_credential_decision');

describe('decide-credential', () => {
  it('decided: con:REV-P con:CGATE-W who and why stand in a row for the next fence of the gate; the gate itself is not touched', async () => {
    const once = asked();
    const decision = { operationId: once.operationId, generationId, verb: 'revoke', fence: 2n, account: ACCOUNT };
    expect(await decideCredential(schema.db, once)).toEqual({ kind: 'decided', decision });
    const [row] = await schema.sql('SELECT verb, fence, final, account, decided_by, reason FROM ctl_credential_decision');
    expect(Object.values(row ?? {}).map(String)).toEqual(['revoke', '2', '0', ACCOUNT, 'ops@example', 'leaked']);
    expect(await schema.sql('SELECT mode, fence FROM con_credential_gate')).toEqual([{ mode: Buffer.from('enabled'), fence: '1' }]);
  });

  it('decided: con:REE-P reenabling is a decision of its own, of a revoked gate', async () => {
    await gate('revoked', 2);
    expect(await decide({ verb: 'reenable', expectedFence: 2n as CredentialFence })).toMatchObject({
      kind: 'decided',
      decision: { fence: 3n },
    });
  });

  it('already-decided: con:OPEN-33 the same operation again, also when its decision was carried long ago', async () => {
    const once = asked();
    const first = await decideCredential(schema.db, once);
    const again = { ...first, kind: 'already-decided' };
    expect(await decideCredential(schema.db, once)).toEqual(again);
    await gate('enabled', 9);
    expect(await decideCredential(schema.db, once)).toEqual(again);
    expect(await decisions()).toBe(1);
  });

  it.each<[string, () => Promise<Partial<DecideCredential>> | Partial<DecideCredential>]>([
    ['another generation', async () => ({ generationId: await authored('2') })],
    ['another fence', () => ({ expectedFence: 2n as CredentialFence })],
    ['the other verb', () => ({ verb: 'reenable' as const })],
    ['a final revocation', () => ({ final: true })],
  ])('operation-reused: con:OPEN-33 an operation id that decided something else: %s', async (_, change) => {
    const once = asked();
    await decideCredential(schema.db, once);
    expect(await decideCredential(schema.db, { ...once, ...(await change()) })).toEqual({ kind: 'operation-reused' });
    expect(await decisions()).toBe(1);
  });

  it('operation-reused: of two generations that one operation is for at once, one is decided', async () => {
    const once = asked();
    const other = { ...once, generationId: await authored('2') };
    const kinds = (await Promise.all([decideCredential(schema.db, once), decideCredential(schema.db, other)])).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['decided', 'operation-reused']);
    expect(await decisions()).toBe(1);
  });

  it('other-decision-waits: con:CGATE-M of two deciders one decides the next fence; the other is told by which decision', async () => {
    const answers = await Promise.all([decide(), decide(), decide()]);
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['decided', 'other-decision-waits', 'other-decision-waits']);
    const standing = answers.map((answer) => ('decision' in answer ? answer.decision.operationId : ''));
    expect(new Set(standing).size).toBe(1);
    expect(await decisions()).toBe(1);
  });

  it('not-in-mode: con:NEG-CGATE a revoked generation is not revoked, an enabled one not reenabled', async () => {
    expect(await decide({ verb: 'reenable' })).toEqual({ kind: 'not-in-mode', mode: 'enabled' });
    await gate('revoked', 1);
    expect(await decide()).toEqual({ kind: 'not-in-mode', mode: 'revoked' });
    expect(await decisions()).toBe(0);
  });

  it('fence-moved: the asker saw another fence', async () => {
    await gate('enabled', 3);
    expect(await decide()).toEqual({ kind: 'fence-moved', fence: 3n });
    expect(await decisions()).toBe(0);
  });

  it('revocation-is-final: con:REE-P what was decided for good is taken back by nobody', async () => {
    await decide({ final: true });
    await gate('revoked', 2);
    expect(await decide({ verb: 'reenable', expectedFence: 2n as CredentialFence })).toEqual({ kind: 'revocation-is-final' });
    expect(await decisions()).toBe(1);
  });

  it('no-gate: con:OPEN-47 nothing is decided of a generation without a gate', async () => {
    await schema.sql('DELETE FROM con_credential_gate');
    expect(await decide()).toEqual({ kind: 'no-gate' });
    expect(await decide({ generationId: CredentialGenerationId.mint() })).toEqual({ kind: 'no-gate' });
    expect(await decisions()).toBe(0);
  });
});
