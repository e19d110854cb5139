import type { AccountName } from '@connector/kernel/brand';
import { CredentialGenerationId, EpochId, GenerationId, OperationId } from '@connector/kernel/ids';
import type { Digest } from '@connector/kernel/digest';
import { ctlCredentialGeneration } from '@connector/schema/control/control';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { revoked } from '@connector/testing/fixtures/credential';
import { explainSources, inShort, why } from '@connector/testing/fixtures/explain';
import { enabledCredential, insertRow, isolated, registered, revoke, terminated } from '@connector/testing/fixtures/outbound';
import { forceEpoch, preparedEpoch, VECTOR_EPOCH, verifiedEpoch } from '@connector/testing/fixtures/serving';
import { rejectVerified } from '../../transitions/serving/reject-verified.tx';
import { verifyEpoch } from '../../transitions/serving/verify-epoch.tx';
import { explain } from './explain';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
afterAll(() => schema.close());
beforeEach(() => schema.reset());

const asked = (epochDigest: Digest) => ({ operationId: OperationId.mint(), epochId: VECTOR_EPOCH, epochDigest, requestedBy: 'ops' });

describe('explain, an epoch', () => {
  it('EPOCH_NOT_VERIFIED: a candidate that nobody verified', async () => {
    await preparedEpoch(schema);
    const answer = await why(schema, VECTOR_EPOCH);
    expect(inShort(answer)).toEqual({ verdict: 'waiting', code: 'EPOCH_NOT_VERIFIED', owner: 'release-managers', alert: false, rows: 1 });
    expect(answer.subject).toEqual({ kind: 'epoch', id: VECTOR_EPOCH, state: 'prepared', root: null });
    expect(answer.evidence?.rows[0]).toMatchObject({ epoch_id: VECTOR_EPOCH, verdict: null });
    expect(answer.as_of).toMatchObject({ gate: null, epoch: null });
  });

  it('EPOCH_REJECTED: what the owners answered stands in the headline', async () => {
    const evidence = Buffer.from('{"reason":"packs: DIGEST_MISMATCH"}');
    const verdict = { kind: 'rejected', reason: 'packs: DIGEST_MISMATCH' } as const;
    await verifyEpoch(schema.db, { ...asked(await preparedEpoch(schema)), verdict, evidence });
    const answer = await why(schema, VECTOR_EPOCH);
    expect(inShort(answer)).toEqual({ verdict: 'refused', code: 'EPOCH_REJECTED', owner: 'release-managers', alert: false, rows: 1 });
    expect(answer.reason?.headline).toContain(': packs: DIGEST_MISMATCH.');
    expect(answer.evidence?.rows[0]).toMatchObject({ verdict: 'rejected' });
    expect(answer.will_not_help.join()).toContain('for ever');
  });

  it('EPOCH_REJECTED: con:EPOCH-05 it was verified first, and its evidence still says so', async () => {
    await rejectVerified(schema.db, { ...asked(await verifiedEpoch(schema)), reason: 'differs: catalog' });
    const answer = await why(schema, VECTOR_EPOCH);
    expect([answer.reason?.code, answer.evidence?.rows[0]?.['verdict']]).toEqual(['EPOCH_REJECTED', 'verified']);
    expect(answer.reason?.headline).toContain('it was verified, and its owners said something else');
  });

  it('EPOCH_NOT_ACTIVE: an epoch that drains', async () => {
    await preparedEpoch(schema);
    await forceEpoch(schema, VECTOR_EPOCH, 'draining');
    expect((await why(schema, VECTOR_EPOCH)).reason?.code).toBe('EPOCH_NOT_ACTIVE');
  });

  it.each(['verified', 'active', 'retired'])('done: an epoch that is %s owes nothing', async (state) => {
    await preparedEpoch(schema);
    await forceEpoch(schema, VECTOR_EPOCH, state);
    expect(await why(schema, VECTOR_EPOCH)).toMatchObject({ verdict: 'done', reason: null, subject: { state } });
  });
});

describe('explain, a credential generation', () => {
  it('done: its gate is enabled', async () => {
    const id = await enabledCredential(schema);
    const subject = { kind: 'credential generation', id, state: 'enabled', root: null };
    expect(await why(schema, id)).toMatchObject({ verdict: 'done', subject });
  });

  it('CREDENTIAL_REVOKED: its gate lets nothing out', async () => {
    const id = await enabledCredential(schema);
    await revoke(schema, id);
    const answer = await why(schema, id);
    expect(inShort(answer)).toMatchObject({ verdict: 'needs_person', code: 'CREDENTIAL_REVOKED', owner: 'credential-owners', rows: 1 });
  });

  it('CREDENTIAL_REVOKED: who revoked it and why, and it may be reenabled, unless that was for good', async () => {
    const id = await enabledCredential(schema);
    await revoked(schema, 'north/acme' as AccountName, id);
    const answer = await why(schema, id);
    expect(answer.reason?.headline).toContain('by ops@example: leaked');
    expect(answer.may.map(({ command }) => command)).toContain(`connector credentials reenable ${id} --reason "..." --plan`);
    await schema.sql('UPDATE ctl_credential_decision SET final = 1');
    const final = await why(schema, id);
    expect(final.may.map(({ kind }) => kind)).toEqual(['mint_upstream']);
  });

  it('CREDENTIAL_GATE_MISSING: authored, and nobody opened its gate; the path of its secret is not shown', async () => {
    const id = CredentialGenerationId.mint();
    const digest = Buffer.alloc(32).toString('hex') as Digest;
    await insertRow(schema, ctlCredentialGeneration, {
      ...{ generation_id: id, credential_identity: 'primary', provider: 'north', account: 'north/acme' as never },
      ...{ secret_path: 'secret/of/acme', secret_version: '1', transport: Buffer.from('{}'), transport_digest: digest },
      ...{ receipt: Buffer.from('{}'), receipt_digest: digest },
    });
    const answer = await why(schema, id);
    expect(inShort(answer)).toMatchObject({
      verdict: 'needs_person',
      code: 'CREDENTIAL_GATE_MISSING',
      owner: 'credential-owners',
      rows: 1,
    });
    expect(JSON.stringify(answer)).not.toContain('secret/of/acme');
  });
});

describe('explain, a process generation', () => {
  it('done: a holder whose name it still is; silence proves nothing', async () => {
    const { generationId } = await registered(schema);
    expect(await why(schema, generationId)).toMatchObject({
      verdict: 'done',
      subject: { kind: 'process generation', state: 'registered' },
    });
  });

  it('PROCESS_UNPROVEN: it has ended and its isolation is not proved; done with both receipts', async () => {
    const { generationId } = await registered(schema);
    await terminated(schema, generationId);
    const answer = await why(schema, generationId);
    expect(inShort(answer)).toMatchObject({ verdict: 'needs_person', code: 'PROCESS_UNPROVEN', owner: 'egress-operators', rows: 1 });
    expect(answer.reason?.headline).toContain('has ended; its isolation is not proved');
    await isolated(schema, generationId);
    expect(await why(schema, generationId)).toMatchObject({ verdict: 'done', subject: { state: 'ended and isolated' } });
  });

  it('PROCESS_UNPROVEN: cut off, and its end is not proved', async () => {
    const { generationId } = await registered(schema);
    await isolated(schema, generationId);
    expect((await why(schema, generationId)).reason?.headline).toContain('is cut off; its end is not proved');
  });

  it('PROCESS_UNPROVEN: followed by another process of its name, with no receipt', async () => {
    const { generationId } = await registered(schema);
    await schema.sql('UPDATE con_egress_holder SET fence = fence + 1');
    expect((await why(schema, generationId)).reason?.headline).toContain('its end and its isolation is not proved');
  });

  it('done: a process that never registered holds nothing, so its end is enough', async () => {
    const id = GenerationId.mint();
    await terminated(schema, id);
    expect(await why(schema, id)).toMatchObject({ verdict: 'done', subject: { state: 'ended' } });
  });
});

it.each([EpochId, CredentialGenerationId, GenerationId])('not-found: no row names this $name', async (kind) => {
  expect(await explain(schema.db, kind.mint(), explainSources(schema))).toEqual({ kind: 'not-found' });
});
