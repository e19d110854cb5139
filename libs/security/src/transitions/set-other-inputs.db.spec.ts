import { OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { advanceOf, grantsOf, otherInputsOf } from '@connector/testing/fixtures/security';
import { noOtherInputs, otherInputs, securityBinding, securityProjection } from '../contract/projection';
import { readSecurityHead } from '../reads/security-head';
import { advanceAppGrants } from './advance-app-grants.tx';
import { setOtherInputs } from './set-other-inputs.tx';

let schema: TestSchema;
beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const ORG = 'org-1';
const GRANTS = grantsOf(ORG, { 'inst-1': ['runtime.records.read.v1'] });
const set = (input: ReturnType<typeof otherInputsOf>) => setOtherInputs(schema.db, input);
const standing = async () => (await readSecurityHead(schema.db, ORG))?.otherInputsDigest ?? noOtherInputs(ORG).digest;
const stored = async (epoch: bigint) => {
  const [row] = await schema.sql('SELECT projection, other_inputs FROM sec_projection WHERE security_epoch = ?', [epoch.toString()]);
  return {
    projection: securityProjection.parse(row?.['projection'] as Buffer),
    inputs: otherInputs.parse(row?.['other_inputs'] as Buffer),
  };
};

describe('set-other-inputs', () => {
  it('bound: the first inputs of an organization are its epoch 1, over no App grants', async () => {
    const input = otherInputsOf(ORG);
    const answer = await set(input);
    expect(answer).toMatchObject({ kind: 'bound', securityEpoch: 1n });
    const { projection, inputs } = await stored(1n);
    expect(inputs.value.platform_grants).toEqual(input.platformGrants);
    expect(projection.value).toMatchObject({ other_inputs_digest: inputs.digest, app_grants: { installations: [] } });
    expect('bindingBytes' in answer && securityBinding.parse(answer.bindingBytes).value).toMatchObject({
      command_id: input.operationId,
      security_epoch: '1',
      projection_digest: projection.digest,
    });
  });

  it('bound: cat:SEC-12 the App grants that stand are carried over, byte for byte', async () => {
    await advanceAppGrants(schema.db, advanceOf(ORG, GRANTS));
    const before = await stored(1n);
    expect(await set(otherInputsOf(ORG))).toMatchObject({ kind: 'bound', securityEpoch: 2n });
    const after = await stored(2n);
    expect(after.projection.value.app_grants).toEqual(before.projection.value.app_grants);
    expect(after.projection.digest).not.toBe(before.projection.digest);
  });

  it('bound: inputs that were set are carried over by the App grants that follow', async () => {
    await set(otherInputsOf(ORG));
    const otherInputsDigest = await standing();
    await advanceAppGrants(schema.db, advanceOf(ORG, GRANTS, 1n, otherInputsDigest));
    expect((await stored(2n)).inputs).toEqual((await stored(1n)).inputs);
    expect(await standing()).toBe(otherInputsDigest);
  });

  it('bound: cat:SEC-07 the same operation again is the same binding, also after newer epochs', async () => {
    const input = otherInputsOf(ORG);
    const first = await set(input);
    await set({ ...otherInputsOf(ORG, []), expectedOtherInputsDigest: await standing() });
    expect(await set(input)).toEqual(first);
    expect(await readSecurityHead(schema.db, ORG)).toMatchObject({ securityEpoch: 2n });
  });

  it('bound: the grants in any order are the same operation', async () => {
    const grants = ['wl.a', 'wl.b'].map((workload_id) => ({ workload_id, capabilities: ['x.y.v1', 'x.z.v1'] }));
    const input = { ...otherInputsOf(ORG), platformGrants: grants };
    const turned = grants.map((grant) => ({ ...grant, capabilities: [...grant.capabilities].reverse() })).reverse();
    const first = await set(input);
    expect(await set({ ...input, platformGrants: turned })).toEqual(first);
  });

  it('payload-conflict: cat:SEC-08 the id of an operation with other inputs', async () => {
    const input = otherInputsOf(ORG);
    await set(input);
    expect(await set({ ...input, platformGrants: [] })).toEqual({ kind: 'payload-conflict' });
    expect(await readSecurityHead(schema.db, ORG)).toMatchObject({ securityEpoch: 1n });
  });

  it('payload-conflict: the id of a command that advanced App grants', async () => {
    const command = advanceOf(ORG, GRANTS);
    await advanceAppGrants(schema.db, command);
    expect(await set({ ...otherInputsOf(ORG), operationId: command.commandId })).toEqual({ kind: 'payload-conflict' });
  });

  it('other-inputs-moved: whoever replaces what he did not see is told what stands', async () => {
    await set(otherInputsOf(ORG));
    const otherInputsDigest = await standing();
    expect(await set(otherInputsOf(ORG, []))).toEqual({ kind: 'other-inputs-moved', otherInputsDigest });
    expect(otherInputsDigest).not.toBe(noOtherInputs(ORG).digest);
  });

  it('epochs-exhausted: the last epoch has no next one', async () => {
    await advanceAppGrants(schema.db, advanceOf(ORG, GRANTS));
    for (const table of ['sec_head', 'sec_projection']) await schema.sql(`UPDATE ${table} SET security_epoch = 18446744073709551615`);
    expect(await set(otherInputsOf(ORG))).toEqual({ kind: 'epochs-exhausted' });
  });

  it('refused: a workload or a capability twice', async () => {
    const grant = { workload_id: 'wl.a', capabilities: ['x.y.v1'] };
    for (const platformGrants of [[grant, grant], [{ ...grant, capabilities: ['x.y.v1', 'x.y.v1'] }]]) {
      const input = { ...otherInputsOf(ORG), operationId: OperationId.mint(), platformGrants };
      await expect(set(input)).rejects.toMatchObject({ name: 'InputFault' });
    }
    expect(await schema.sql('SELECT organization_id FROM sec_head')).toEqual([]);
  });
});
