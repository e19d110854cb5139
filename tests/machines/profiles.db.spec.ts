import { resolveProfile } from '@connector/kernel/digest-profile';
import { EpochId } from '@connector/kernel/ids';
import { prepareEpoch } from '@connector/connector/transitions/serving/prepare-epoch.tx';
import { MAIN_TABLES } from '@connector/schema/tables';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { preparedEpoch, VECTOR_EPOCH } from '@connector/testing/fixtures/serving';
import { vectorEpoch } from '@connector/testing/vectors/serving-epoch';
import { model } from '../tidy/model';
import { readyDoors } from './doors';

const V2 = 'nexuscrm.connector-digest-profile.v2';
/** Facts that name the profile of their digests. */
const PROFILED = MAIN_TABLES.filter(({ columns }) => 'digest_profile' in columns).map(({ name }) => name);

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const rowsOf = async (): Promise<readonly string[]> => {
  const tables = ['con_epoch', 'con_epoch_content', 'con_epoch_binding', 'con_epoch_credential'];
  const rows = await Promise.all(tables.map((table) => schema.sql(`SELECT * FROM ${table}`)));
  return rows.flat().map((row) => JSON.stringify(row));
};

describe('digest profiles of stored facts', () => {
  it('readable: con:DIG-09 every profile that a stored fact names, whichever door wrote it', async () => {
    await preparedEpoch(schema);
    await readyDoors(schema);
    expect([...PROFILED].sort()).toEqual(['con_epoch_content', 'con_receipt', 'run_outbound_command']);
    for (const table of PROFILED) {
      const named = (await schema.sql(`SELECT DISTINCT digest_profile FROM ${table}`)).map((row) => String(row['digest_profile']));
      expect([table, named]).toEqual([table, [V2]]);
      for (const profile of named) expect(resolveProfile(profile)).toEqual({ kind: 'v2' });
    }
  });

  it('written once: con:DIG-10 no door has a statement that changes a fact with a profile, so none can be computed again', async () => {
    const updates = (await model()).paths.flatMap(({ name, steps }) => steps.map((step) => `${name}: ${step}`));
    expect(updates.filter((step) => PROFILED.some((table) => step.includes(`: update ${table}`)))).toEqual([]);
    expect(updates.some((step) => step.includes(': update con_epoch'))).toBe(true);
  });

  it('another generation: con:DIG-10 what has another profile or other content needs an id of its own; what is stored stays as it is', async () => {
    await preparedEpoch(schema);
    const before = await rowsOf();
    const parts = vectorEpoch();
    expect(await prepareEpoch(schema.db, { digestProfile: 'nexuscrm.connector-digest-profile.v3', parts })).toEqual({
      kind: 'profile-refused',
    });
    const other = { ...parts, catalog: { ...parts.catalog, securityEpoch: '8' } };
    expect(await prepareEpoch(schema.db, { digestProfile: V2, parts: other })).toMatchObject({ kind: 'conflicting-epoch' });
    expect(await rowsOf()).toEqual(before);
    expect((await schema.sql('SELECT epoch_id FROM con_epoch')).map((row) => EpochId.of(row['epoch_id'] as Buffer))).toEqual([
      VECTOR_EPOCH,
    ]);
  });
});
