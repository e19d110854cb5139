import { mainSchema, type TestSchema } from '@connector/testing/database';
import { register, rowsOf, trustedPublisher } from '@connector/testing/fixtures/registry';
import { APP, builtRelease, type SlotSpec, slotKey } from '@connector/testing/fixtures/release';
import { countOf } from '@connector/testing/fixtures/serving';

let schema: TestSchema;
let north: Awaited<ReturnType<typeof trustedPublisher>>;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  north = await trustedPublisher(schema.db, 'dev.north');
});
afterAll(() => schema.close());

const LEDGER = ['cat_slot_reservation', 'cat_slot_revision', 'cat_slot_head'];
const layouts = { a: 1, b: 2, c: 3 };
let version = 0;
/** The next release of the App with these slots. */
const release = (...slots: readonly SlotSpec[]) => {
  version += 1;
  return register(schema.db, north, builtRelease({ version: `${version}.0.0`, layouts, slots }));
};
const V1 = { key: 'main', version: 1, target: 'a' };
const V2 = { key: 'main', version: 2, target: 'b', previous: 'a' };
const V3 = { key: 'main', version: 3, target: 'a', previous: 'b' };
const head = async (): Promise<number> => Number((await schema.sql('SELECT head_definition_version AS v FROM cat_slot_head'))[0]?.['v']);
const refusedAs = (code: string, slot: SlotSpec, headDefinitionVersion: number | null) => ({
  kind: 'refused',
  code,
  localComponentKey: slotKey(slot.key),
  definitionVersion: slot.version,
  headDefinitionVersion,
});

describe('register-release', () => {
  it('registered: a slot goes from A to B and back to A, each citing the one before (cat:SLOT-22, cat:SLOT-23, cat:SLOT-24, cat:SLOT-25, cat:SLOT-38)', async () => {
    for (const slot of [V1, V2, V3]) expect((await release(slot)).kind).toBe('registered');
    expect(await Promise.all([...LEDGER, 'cat_slot_release_version'].map((table) => countOf(schema, table)))).toEqual([1, 3, 1, 3]);
    expect(await head()).toBe(3);
  });

  it('registered: a version of the ledger is used again below the head, which stays (cat:SLOT-27, cat:SLOT-39)', async () => {
    for (const slot of [V1, V2, V3]) await release(slot);
    const before = await rowsOf(schema, ...LEDGER);
    expect((await release(V1)).kind).toBe('registered');
    expect(await rowsOf(schema, ...LEDGER)).toBe(before);
    expect(await countOf(schema, 'cat_slot_release_version')).toBe(4);
  });

  it('registered: a target that says something else is the same slot version (cat:SLOT-36)', async () => {
    await release(V1);
    version += 1;
    const changed = builtRelease({ version: `${version}.0.0`, layouts: { a: 'other', b: 2, c: 3 }, slots: [V1] });
    expect((await register(schema.db, north, changed)).kind).toBe('registered');
    expect([await countOf(schema, 'cat_slot_revision'), await head()]).toEqual([1, 1]);
  });

  it('registered: an omission frees nothing; then a recorded version or the next one (cat:SLOT-40, cat:SLOT-41)', async () => {
    for (const slot of [V1, V2]) await release(slot);
    const before = await rowsOf(schema, ...LEDGER);
    expect((await release()).kind).toBe('registered');
    expect(await rowsOf(schema, ...LEDGER)).toBe(before);
    expect((await release(V2)).kind).toBe('registered');
    expect(await rowsOf(schema, ...LEDGER)).toBe(before);
    expect((await release(V3)).kind).toBe('registered');
    expect(await head()).toBe(3);
  });

  const after = (...slots: readonly SlotSpec[]) => slots;
  it.each<[string, string, readonly SlotSpec[], SlotSpec, number | null]>([
    ['SLOT_GAP', 'a first node that is not version 1 (cat:SLOT-26, cat:SLOT-34)', after(), V2, null],
    ['SLOT_GAP', 'two versions beyond the head (cat:SLOT-29, cat:SLOT-34)', after(V1), V3, 1],
    ['SLOT_FORK', 'another target at a recorded version (cat:SLOT-28, cat:SLOT-37)', after(V1), { ...V1, target: 'b' }, 1],
    ['SLOT_FORK', 'another predecessor at a recorded version (cat:SLOT-28)', after(V1, V2), { ...V2, target: 'b', previous: 'c' }, 2],
    ['SLOT_PREDECESSOR', 'a predecessor that is not the target before (cat:SLOT-31, cat:SLOT-34)', after(V1), { ...V2, previous: 'c' }, 1],
    [
      'SLOT_REBOUND',
      'the key in another namespace (cat:SLOT-18, cat:SLOT-30, cat:SLOT-34)',
      after(V1),
      { ...V2, namespace: `${APP}.more` },
      1,
    ],
  ])('refused: %s for %s, and nothing is written', async (code, _, before, slot, headVersion) => {
    for (const one of before) await release(one);
    const rows = await rowsOf(schema, ...LEDGER, 'cat_app_release', 'cat_component_owner');
    expect(await release(slot)).toEqual(refusedAs(code, slot, headVersion));
    expect(await rowsOf(schema, ...LEDGER, 'cat_app_release', 'cat_component_owner')).toBe(rows);
  });

  it('refused: SLOT_FORK for an exact behavior whose whole revision differs (cat:SLOT-28)', async () => {
    await release(V1);
    const other = { ...V1, target: 'c' };
    expect(await release(other)).toEqual(refusedAs('SLOT_FORK', other, 1));
  });

  it('refused: a head at the largest version has no successor (cat:A-19, cat:SLOT-34)', async () => {
    await release(V1);
    await schema.sql('UPDATE cat_slot_revision SET definition_version = 4294967295');
    await schema.sql('UPDATE cat_slot_head SET head_definition_version = 4294967295');
    expect(await release({ ...V2, version: 4_294_967_295 })).toMatchObject({ code: 'SLOT_FORK' });
    expect(await release({ ...V2, version: 4_294_967_294 })).toMatchObject({ code: 'SLOT_GAP' });
  });

  it('refused: SLOT_TARGET_UNCHANGED for a successor that leads to the same component (cat:SLOT-32)', async () => {
    await release(V1);
    version += 1;
    const built = builtRelease({ version: `${version}.0.0`, layouts, slots: [V2] });
    const [slot] = built.slots;
    if (slot === undefined) throw new Error('no slot');
    const same = { ...built, slots: [{ ...slot, targetComponentId: slot.previousTargetComponentId ?? slot.targetComponentId }] };
    expect(await register(schema.db, north, same)).toEqual(refusedAs('SLOT_TARGET_UNCHANGED', V2, 1));
  });

  it('registered: the ledger alone decides, whatever versions the releases call themselves (cat:SLOT-35)', async () => {
    const called = (label: string, slot: SlotSpec) => register(schema.db, north, builtRelease({ version: label, layouts, slots: [slot] }));
    expect((await called('9.0.0', V1)).kind).toBe('registered');
    expect((await called('1.0.0', V2)).kind).toBe('registered');
    expect((await called('5.0.0-rc.1', V3)).kind).toBe('registered');
    expect(await head()).toBe(3);
  });

  it('refused: one slot of several undoes the whole registration, also the slots before it (cat:A-20, cat:REG-06)', async () => {
    const [one, two] = ['one', 'two'].toSorted((left, right) => (slotKey(left) < slotKey(right) ? -1 : 1)) as [string, string];
    await release({ ...V1, key: one }, { ...V1, key: two });
    const rows = await rowsOf(schema, ...LEDGER);
    expect(await release({ ...V2, key: one }, { ...V1, key: two, target: 'b' })).toMatchObject({
      code: 'SLOT_FORK',
      localComponentKey: slotKey(two),
    });
    expect(await rowsOf(schema, ...LEDGER)).toBe(rows);
  });

  it('registered: several slots at several versions at once, and heads are locked in bytewise order of their keys (cat:A-20)', async () => {
    const keys = ['k1', 'k2', 'k3', 'k4'];
    await release(...keys.map((key) => ({ ...V1, key })));
    await release({ ...V2, key: 'k1' }, { ...V1, key: 'k2' }, { ...V2, key: 'k3' });
    expect((await release({ ...V3, key: 'k1' }, { ...V2, key: 'k2' }, { ...V2, key: 'k3' }, { ...V2, key: 'k4' })).kind).toBe('registered');
    const heads = await schema.sql('SELECT head_definition_version AS v FROM cat_slot_head ORDER BY v');
    expect(heads.map((row) => Number(row['v']))).toEqual([2, 2, 2, 3]);
  });

  it('refused: SLOT_GAP without a read a version, however many versions are declared that no head has reached', async () => {
    await release(V1);
    version += 1;
    const beyond = Array.from({ length: 50 }, (_, index) => ({ key: `k${index}`, version: index + 2, target: 'b', previous: 'a' }));
    const spec = { version: `${version}.0.0`, layouts, slots: [{ ...V2, version: 60 }, ...beyond] };
    const reads: string[] = [];
    const db = schema.another(({ step }) => void (step === 'read cat_slot_revision' && reads.push(step)));
    expect(await register(db, north, builtRelease(spec))).toMatchObject({ kind: 'refused', code: 'SLOT_GAP' });
    expect(reads).toHaveLength(1);
  });

  it('registered: another App has a slot of the same key with a ledger of its own (cat:SLOT-18, cat:SLOT-22, cat:SLOT-24)', async () => {
    const appId = 'dev.north.other';
    const other = (label: string, slot: SlotSpec) =>
      register(schema.db, north, builtRelease({ appId, version: label, layouts, slots: [slot] }));
    const ledger = (app: string) => rowsOf(schema, ...LEDGER.map((table) => `${table} WHERE app_id = '${app}'`));
    for (const slot of [V1, V2]) await release(slot);
    const before = await ledger(APP);
    expect(await other('1.0.0', V2)).toEqual(refusedAs('SLOT_GAP', V2, null));
    for (const [label, slot] of [['1.0.0', { ...V1, target: 'c' }] as const, ['1.1.0', { ...V2, previous: 'c' }] as const])
      expect((await other(label, slot)).kind).toBe('registered');
    expect(await ledger(APP)).toBe(before);
    const theirs = await ledger(appId);
    expect((await release(V3)).kind).toBe('registered');
    expect(await ledger(appId)).toBe(theirs);
  });

  it('named: the ledger has no column of an organization or installation (cat:SLOT-42)', async () => {
    const columns = await Promise.all([...LEDGER, 'cat_slot_release_version'].map((table) => schema.sql(`SHOW COLUMNS FROM ${table}`)));
    expect(columns.flat().filter((row) => /org|install/.test(String(row['Field'])))).toEqual([]);
  });
});
