import { Digest } from '@connector/kernel/digest';
import { EpochId } from '@connector/kernel/ids';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { countOf, preparedEpoch, VECTOR_EPOCH, VECTOR_GENERATIONS, verifiedEpoch } from '@connector/testing/fixtures/serving';
import { vectorEpoch } from '@connector/testing/vectors/serving-epoch';
import { profiledVector } from '@connector/testing/vectors/load';
import { bindingIdentityDigest, bindingRowDigest } from '../../model/digests/binding';
import { servingEpochDigest } from '../../model/digests/serving-epoch';
import type { ServingEpochParts } from '../../model/digests/serving-epoch.parts';
import { readEpochContent, readEpochHeader } from '../../reads/serving/epoch';
import { openCredentialGate } from './open-credential-gate.tx';
import { prepareEpoch, type PreparedEpoch } from './prepare-epoch.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const PROFILE = 'nexuscrm.connector-digest-profile.v2';
const DIGEST = profiledVector('serving epoch').digest;
const OTHER = Digest.sha256(Buffer.from('other'));
const prepare = (parts = vectorEpoch(), digestProfile: string | null = PROFILE): Promise<PreparedEpoch> =>
  prepareEpoch(schema.db, { digestProfile, parts });
const openGates = async (): Promise<void> => {
  for (const id of VECTOR_GENERATIONS) await openCredentialGate(schema.db, id);
};
const nothingStored = async (): Promise<void> => {
  for (const table of ['con_epoch', 'con_epoch_content', 'con_epoch_binding', 'con_epoch_credential'])
    expect(await countOf(schema, table)).toBe(0);
};

/** The epoch of the vectors with so many bindings, each another one. */
function widened(count: number): ServingEpochParts {
  const parts = vectorEpoch();
  const [binding, proof] = [parts.bindings[0], parts.proofs[0]];
  if (binding === undefined || proof === undefined) throw new Error('the vectors have bindings');
  const bindings = Array.from({ length: count }, (_, ordinal) => {
    const name = { ...binding, ordinal, businessKey: `key/${ordinal}` };
    const identity = bindingIdentityDigest(parts.catalog, name).digest;
    return { ...name, identity, rowId: Digest.bytes(bindingRowDigest(parts.epochId, ordinal, identity).digest).subarray(0, 16) };
  });
  return {
    ...parts,
    bindings,
    proofs: bindings.map(({ identity }) => ({ ...proof, identity, packPayloadDigest: binding.packPayloadDigest })),
  };
}

describe('prepare-epoch', () => {
  it('prepared: con:PREP-W con:PREP-O header, content, bindings with proofs and credential proofs are stored, inert', async () => {
    await openGates();
    expect(await prepare()).toEqual({ kind: 'prepared', epochDigest: DIGEST });
    expect(await readEpochHeader(schema.db, VECTOR_EPOCH)).toEqual({ epochDigest: DIGEST, state: 'prepared' });
    expect([await countOf(schema, 'con_epoch_binding'), await countOf(schema, 'con_epoch_credential')]).toEqual([4, 2]);
  });

  it('prepared: con:EPOCH-F what is read back is the same epoch, byte for byte', async () => {
    await preparedEpoch(schema);
    const stored = await readEpochContent(schema.db, VECTOR_EPOCH, DIGEST);
    expect(stored).toMatchObject({ digestProfile: PROFILE, epochDigest: DIGEST });
    expect(stored && servingEpochDigest(stored.parts)).toMatchObject({ kind: 'digested', digest: DIGEST });
  });

  it('prepared: no credential at all needs no gate', async () => {
    const parts = vectorEpoch();
    const none: ServingEpochParts = { ...parts, configuration: { ...parts.configuration, credentialGenerations: [] }, credentials: [] };
    expect(await prepare(none)).toMatchObject({ kind: 'prepared' });
  });

  it('already-prepared: con:EPOCH-K con:PREP-L the same content again changes nothing, whatever its state is now', async () => {
    await verifiedEpoch(schema);
    expect(await prepare()).toEqual({ kind: 'already-prepared', epochDigest: DIGEST, state: 'verified' });
    expect(await countOf(schema, 'con_epoch_binding')).toBe(4);
  });

  it('already-prepared: con:EPOCH-K of concurrent authors one stores it', async () => {
    await openGates();
    const kinds = (await Promise.all([1, 2, 3, 4].map(() => prepare()))).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['already-prepared', 'already-prepared', 'already-prepared', 'prepared']);
    expect(await countOf(schema, 'con_epoch_content')).toBe(1);
  });

  it('conflicting-epoch: con:EPOCH-M other content under a used id is refused, and the first stands', async () => {
    await preparedEpoch(schema);
    const other = { ...vectorEpoch(), servingScope: OTHER };
    expect(await prepare(other)).toEqual({ kind: 'conflicting-epoch', epochDigest: DIGEST });
    expect(await readEpochHeader(schema.db, VECTOR_EPOCH)).toEqual({ epochDigest: DIGEST, state: 'prepared' });
  });

  it.each([null, '', 'nexuscrm.connector-digest-profile.v1', 'nexuscrm.connector-digest-profile.v3'])(
    'profile-refused: con:PREP-X con:DIG-04 con:DIG-05 con:DIG-06 nobody authors under profile %s',
    async (profile) => {
      await openGates();
      expect(await prepare(vectorEpoch(), profile)).toEqual({ kind: 'profile-refused' });
      await nothingStored();
    },
  );

  const { proofs, credentials } = vectorEpoch();
  const [first, second, ...rest] = proofs;
  const incomplete = async (reason: string, change: Partial<ServingEpochParts>): Promise<void> => {
    await openGates();
    expect(await prepare({ ...vectorEpoch(), ...change })).toMatchObject({ kind: 'incomplete', reason });
    await nothingStored();
  };
  it.each<[string, Partial<ServingEpochParts>]>([
    ['proof-missing', { proofs: proofs.slice(0, 3) }],
    ['proof-extra', { proofs: [...proofs, ...proofs.slice(0, 1)] }],
    ['proof-differs', { proofs: second && first ? [second, first, ...rest] : [] }],
  ])('incomplete: cat:INT-14 con:PREP-X con:PREP-P con:PRE-38 %s', (reason, change) => incomplete(reason, change));
  it.each<[string, Partial<ServingEpochParts>]>([
    ['credential-missing', { credentials: credentials.slice(0, 1) }],
    ['credential-order', { credentials: [...credentials].reverse().map((proof, ordinal) => ({ ...proof, ordinal })) }],
  ])('incomplete: con:PREP-X con:PREP-P con:PRE-47 %s', (reason, change) => incomplete(reason, change));

  it('credential-gate-missing: con:OPEN-47 every generation without a gate is named, and nothing is stored', async () => {
    const [one, two] = VECTOR_GENERATIONS;
    expect(await prepare()).toEqual({ kind: 'credential-gate-missing', generations: [one, two] });
    if (one) await openCredentialGate(schema.db, one);
    expect(await prepare()).toEqual({ kind: 'credential-gate-missing', generations: [two] });
    await nothingStored();
  });

  it('too-large: an epoch of more rows than a door takes', async () => {
    expect(await prepare(widened(1999))).toEqual({ kind: 'too-large', rows: 2001, rowsMax: 2000 });
  });
});

describe('read-epoch-content', () => {
  it('undefined: con:FACT-07 the right id with another digest finds nothing', async () => {
    await preparedEpoch(schema);
    expect(await readEpochContent(schema.db, VECTOR_EPOCH, OTHER)).toBeUndefined();
    expect(await readEpochContent(schema.db, EpochId.mint(), DIGEST)).toBeUndefined();
  });

  it.each(['con_epoch_binding', 'con_epoch_credential'])('defect: con:EPOCH-F a graph without a row of %s is no epoch', async (table) => {
    await preparedEpoch(schema);
    await schema.sql(`DELETE FROM ${table} WHERE ordinal = 1`);
    await expect(readEpochContent(schema.db, VECTOR_EPOCH, DIGEST)).rejects.toMatchObject({ code: 'HOUSE:connector:EpochGraphBroken' });
  });
});
