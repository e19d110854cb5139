import { Digest } from '@connector/kernel/digest';
import { OperationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { advanceOf, grantsOf, otherInputsOf } from '@connector/testing/fixtures/security';
import { APP_GRANTS_BYTES_MAX, noOtherInputs, projectionOf, securityBinding, securityProjection } from '../contract/projection';
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
const OTHER = grantsOf(ORG, { 'inst-1': ['runtime.records.read.v1'], 'inst-2': ['runtime.records.write.v1'] });
const advance = (input: ReturnType<typeof advanceOf>) => advanceAppGrants(schema.db, input);
const standing = async () => (await readSecurityHead(schema.db, ORG))?.otherInputsDigest ?? noOtherInputs(ORG).digest;
const rows = async () => {
  const count = async (table: string): Promise<number> => Number((await schema.sql(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']);
  return [await count('sec_projection'), await count('sec_command')];
};
const bound = async (input: ReturnType<typeof advanceOf>) => {
  const answer = await advance(input);
  if (answer.kind !== 'bound') throw new Error(answer.kind);
  return answer;
};

describe('advance-app-grants', () => {
  it('bound: cat:PUBL-05 cat:SEC-03 cat:A-31 the first command of an organization expects 0 and is bound to epoch 1', async () => {
    const command = advanceOf(ORG, GRANTS);
    const answer = await bound(command);
    expect(answer).toMatchObject({ securityEpoch: 1n, projectionDigest: command.expectedProjectionDigest });
    const binding = securityBinding.parse(answer.bindingBytes);
    expect(binding.digest).toBe(answer.bindingDigest);
    expect(binding.value).toEqual({
      schema_version: 'nexuscrm.runtime-security-binding/v1',
      command_id: command.commandId,
      organization_id: ORG,
      security_epoch: '1',
      projection_digest: command.expectedProjectionDigest,
    });
  });

  it('bound: cat:SEC-06 each epoch replaces the whole set, and stores it with its binding and the head in one commit', async () => {
    await bound(advanceOf(ORG, OTHER));
    const second = await bound(advanceOf(ORG, GRANTS, 1n));
    const [stored] = await schema.sql('SELECT projection, binding FROM sec_projection WHERE security_epoch = 2');
    expect(securityProjection.parse(stored?.['projection'] as Buffer)).toMatchObject({
      digest: second.projectionDigest,
      value: { app_grants: { installations: [{ app_installation_id: 'inst-1' }] } },
    });
    expect(stored?.['binding']).toEqual(second.bindingBytes);
    expect(await readSecurityHead(schema.db, ORG)).toEqual({
      securityEpoch: 2n,
      projectionDigest: second.projectionDigest,
      otherInputsDigest: noOtherInputs(ORG).digest,
    });
  });

  it('bound: cat:SEC-06 the same grants again under another command are an epoch of their own: it only rises', async () => {
    const first = await bound(advanceOf(ORG, GRANTS));
    const second = await bound(advanceOf(ORG, GRANTS, 1n));
    expect([second.securityEpoch, second.projectionDigest]).toEqual([2n, first.projectionDigest]);
    expect(second.bindingDigest).not.toBe(first.bindingDigest);
  });

  it('bound: cat:SEC-07 cat:PUBL-C3 the exact command again is the same binding, byte for byte, also after newer epochs of both kinds', async () => {
    const command = advanceOf(ORG, GRANTS);
    const first = await bound(command);
    expect(await advance(command)).toEqual(first);
    await bound(advanceOf(ORG, OTHER, 1n));
    await setOtherInputs(schema.db, otherInputsOf(ORG));
    expect(await advance(command)).toEqual(first);
    expect(await rows()).toEqual([3, 2 + 1]);
  });

  it('bound: the grants of an organization may be taken away whole', async () => {
    await bound(advanceOf(ORG, GRANTS));
    expect(await advance(advanceOf(ORG, grantsOf(ORG, {}), 1n))).toMatchObject({ kind: 'bound', securityEpoch: 2n });
  });

  it('bound: what came back of an epoch before the last one is counted exactly, above what a JavaScript number holds', async () => {
    await bound(advanceOf(ORG, GRANTS));
    for (const table of ['sec_head', 'sec_projection']) await schema.sql(`UPDATE ${table} SET security_epoch = 18446744073709551613`);
    expect(await advance(advanceOf(ORG, OTHER, 18446744073709551613n))).toMatchObject({ securityEpoch: 18446744073709551614n });
  });

  it('stale-epoch: cat:SEC-09 an epoch that was passed is answered with the present one, and writes nothing', async () => {
    await bound(advanceOf(ORG, GRANTS));
    const before = await rows();
    expect(await advance(advanceOf(ORG, OTHER, 0n))).toEqual({ kind: 'stale-epoch', currentEpoch: 1n });
    expect(await rows()).toEqual(before);
  });

  it('stale-epoch: cat:A-31 an epoch ahead of the present one is not the present one either, also where nothing was projected', async () => {
    expect(await advance(advanceOf(ORG, GRANTS, 1n))).toEqual({ kind: 'stale-epoch', currentEpoch: 0n });
    expect(await rows()).toEqual([0, 0]);
  });

  it('stale-epoch: cat:SEC-09 another input of security that came between refuses the command for ever', async () => {
    const command = advanceOf(ORG, GRANTS);
    await setOtherInputs(schema.db, otherInputsOf(ORG));
    for (let run = 0; run < 2; run += 1) expect(await advance(command)).toEqual({ kind: 'stale-epoch', currentEpoch: 1n });
  });

  it.each([
    ['other grants', (): object => ({ ...advanceOf(ORG, OTHER) })],
    ['another expected epoch', (): object => ({ expectedPriorEpoch: 1n })],
    ['another expected projection', (): object => ({ expectedProjectionDigest: Digest.sha256(Buffer.from('x')) })],
    ['another organization', (): object => ({ ...advanceOf('org-2', grantsOf('org-2', {})) })],
  ])('payload-conflict: cat:SEC-08 the id of a command with %s', async (_what, change) => {
    const command = advanceOf(ORG, GRANTS);
    await bound(command);
    const before = await rows();
    expect(await advance({ ...command, ...change(), commandId: command.commandId })).toEqual({ kind: 'payload-conflict' });
    expect(await rows()).toEqual(before);
  });

  it('payload-conflict: cat:SEC-08 an id that set other inputs', async () => {
    const other = otherInputsOf(ORG);
    await setOtherInputs(schema.db, other);
    expect(await advance({ ...advanceOf(ORG, GRANTS, 1n), commandId: other.operationId })).toEqual({ kind: 'payload-conflict' });
  });

  it('projection-differs: at the right epoch under other inputs than the command was made for', async () => {
    const set = otherInputsOf(ORG);
    await setOtherInputs(schema.db, set);
    const otherInputsDigest = await standing();
    expect(await advance(advanceOf(ORG, GRANTS, 1n))).toEqual({
      kind: 'projection-differs',
      projectionDigest: projectionOf(GRANTS, otherInputsDigest).digest,
      otherInputsDigest,
    });
    expect(await rows()).toEqual([1, 1]);
    expect(await advance(advanceOf(ORG, GRANTS, 1n, otherInputsDigest))).toMatchObject({ kind: 'bound', securityEpoch: 2n });
  });

  it('epochs-exhausted: the last epoch has no next one, and none is used again', async () => {
    await bound(advanceOf(ORG, GRANTS));
    for (const table of ['sec_head', 'sec_projection']) await schema.sql(`UPDATE ${table} SET security_epoch = 18446744073709551615`);
    expect(await advance(advanceOf(ORG, OTHER, 18446744073709551615n))).toEqual({ kind: 'epochs-exhausted' });
    expect(await rows()).toEqual([1, 1]);
  });

  it.each([
    ['bytes that are no JSON', Buffer.from('{')],
    ['bytes that are not canonical', Buffer.concat([GRANTS, Buffer.from(' ')])],
    ['another document', noOtherInputs(ORG).bytes],
    ['grants of another organization', grantsOf('org-2', {})],
    ['more bytes than one command may have', Buffer.alloc(APP_GRANTS_BYTES_MAX + 1, 0x20)],
  ])('refused: %s', async (_what, appGrants) => {
    const command = { ...advanceOf(ORG, GRANTS), commandId: OperationId.mint(), appGrants };
    await expect(advance(command)).rejects.toMatchObject({ name: 'InputFault' });
    expect(await schema.sql('SELECT organization_id FROM sec_head')).toEqual([]);
  });

  it('bound: cat:SEC-05 of eight commands on one epoch at once one is bound, and seven are told the epoch that it made', async () => {
    const commands = Array.from({ length: 8 }, (_, index) => advanceOf(ORG, grantsOf(ORG, { [`inst-${index}`]: [] }), 1n));
    await bound(advanceOf(ORG, GRANTS));
    const kinds = (await Promise.all(commands.map(advance))).map((answer) =>
      JSON.stringify(answer.kind === 'stale-epoch' ? String(answer.currentEpoch) : answer.kind),
    );
    expect(kinds.sort()).toEqual([...Array<string>(7).fill('"2"'), '"bound"']);
  });
});
