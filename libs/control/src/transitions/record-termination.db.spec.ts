import { GenerationId, IsolationId, TerminationId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { countOf } from '@connector/testing/fixtures/serving';
import { readGenerationReceipts } from '../reads/receipts';
import { recordIsolation } from './record-isolation.tx';
import { recordTermination } from './record-termination.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const evidence = Buffer.from('exit code 137');
const ended = () => ({
  generationId: GenerationId.mint(),
  terminationId: TerminationId.mint(),
  service: 'egress-adapter',
  supervisor: 'local',
  evidence,
});
const isolated = () => ({ generationId: GenerationId.mint(), isolationId: IsolationId.mint(), controller: 'egress-proxy', evidence });

describe('record-termination', () => {
  it('recorded: con:TERM-F one generation, its supervisor and what it saw', async () => {
    const input = ended();
    expect(await recordTermination(schema.db, input)).toEqual({ kind: 'recorded', terminationId: input.terminationId });
    expect(await readGenerationReceipts(schema.db, input.generationId)).toEqual({
      termination: { terminationId: input.terminationId, service: 'egress-adapter', supervisor: 'local' },
    });
  });

  it('already-recorded: the first receipt of a generation stands, whatever id the second brings', async () => {
    const input = ended();
    await recordTermination(schema.db, input);
    const standing = { kind: 'already-recorded', terminationId: input.terminationId };
    expect(await recordTermination(schema.db, input)).toEqual(standing);
    expect(await recordTermination(schema.db, { ...input, terminationId: TerminationId.mint(), evidence: Buffer.from('again') })).toEqual(
      standing,
    );
    expect(await countOf(schema, 'ctl_termination')).toBe(1);
  });

  it.each([{ service: 'ingress' }, { supervisor: 'other' }, { generationId: GenerationId.mint() }])(
    'conflicting-termination: %p',
    async (change) => {
      const input = ended();
      await recordTermination(schema.db, input);
      expect(await recordTermination(schema.db, { ...input, ...change })).toMatchObject({ kind: 'conflicting-termination' });
      expect(await countOf(schema, 'ctl_termination')).toBe(1);
    },
  );
});

describe('record-isolation', () => {
  it('recorded: con:ISO-F one generation, its controller and what it did', async () => {
    const input = isolated();
    expect(await recordIsolation(schema.db, input)).toEqual({ kind: 'recorded', isolationId: input.isolationId });
    expect(await readGenerationReceipts(schema.db, input.generationId)).toEqual({
      isolation: { isolationId: input.isolationId, controller: 'egress-proxy' },
    });
  });

  it('already-recorded: the first receipt of a generation stands', async () => {
    const input = isolated();
    await recordIsolation(schema.db, input);
    const standing = { kind: 'already-recorded', isolationId: input.isolationId };
    expect(await recordIsolation(schema.db, input)).toEqual(standing);
    expect(await recordIsolation(schema.db, { ...input, isolationId: IsolationId.mint() })).toEqual(standing);
  });

  it.each([{ controller: 'other' }, { generationId: GenerationId.mint() }])('conflicting-isolation: %p', async (change) => {
    const input = isolated();
    await recordIsolation(schema.db, input);
    expect(await recordIsolation(schema.db, { ...input, ...change })).toMatchObject({ kind: 'conflicting-isolation' });
  });

  it('nothing: no receipt says nothing about a process', async () => {
    expect(await readGenerationReceipts(schema.db, GenerationId.mint())).toEqual({});
  });
});
