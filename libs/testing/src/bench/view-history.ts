import { catIntegrationView, catAuthorizedBinding } from '@connector/schema/catalog/membership';
import { catRevision } from '@connector/schema/catalog/installations';
import { catAudit, catRequest } from '@connector/schema/catalog/request';
import { mainSchema, type TestSchema } from '../database';
import { testDatabase } from '../engine';
import { installedApp } from '../fixtures/installation';
import { faultsOf, Plans, type Planned } from '../plans';
import { figureLine, ratioLine, type Line } from './line';
import { bothSides, rounds, timed } from './rounds';
import { quantile, ratiosOf, spreadOf } from './statistics';
import { readView, setBindings } from './view';

const SHORT = 10;
const LONG = 100_000;
/** Of a side in a round. */
const READS = 100;

interface Side {
  readonly schema: TestSchema;
  /** The organization's. */
  readonly revision: bigint;
}

/** A view of one binding, after few changes of its membership and after many, each side read in turn. */
export async function benchRevisions(seconds: number, say: (line: string) => void): Promise<readonly Line[]> {
  const schemas = await Promise.all([mainSchema(), mainSchema()]);
  try {
    const [long, short] = [await sideOf(schemas[0], LONG, say), await sideOf(schemas[1], SHORT, say)];
    const work = await sameWork(long, short);
    const pairs = await rounds(seconds, (longFirst) => oneRound(long, short, longFirst));
    const ms = (side: 0 | 1): readonly number[] => pairs.map((pair) => pair[side]);
    const note = `${READS} reads a side and round, in turn, the ratio of their p50; all but ${SHORT + 1} of the ${LONG} inserted in bulk`;
    return [
      ratioLine('j', `view read after ${LONG} revisions against ${SHORT}`, spreadOf(ratiosOf(pairs)), { must: 'at most', than: 1.1 }, note),
      figureLine('j', `  after ${LONG}`, spreadOf(ms(0)), 'ms'),
      figureLine('j', `  after ${SHORT}`, spreadOf(ms(1)), 'ms'),
      work,
    ];
  } finally {
    await Promise.all(schemas.map((schema) => schema.close()));
  }
}

async function oneRound(long: Side, short: Side, longFirst: boolean): Promise<readonly [long: number, short: number]> {
  const spent: [number[], number[]] = [[], []];
  for (let read = 0; read < READS; read += 1) {
    const pair = await bothSides(
      (read % 2 === 0) === longFirst,
      () => timed(() => readView(long.schema.db, long.revision)),
      () => timed(() => readView(short.schema.db, short.revision)),
    );
    pair.forEach((ms, side) => spent[side as 0 | 1].push(ms));
  }
  return [quantile(spent[0], 0.5), quantile(spent[1], 0.5)];
}

/** What the engine is asked for on both sides; throws where a plan is not by whole keys, or the long side takes one row more. */
async function sameWork(long: Side, short: Side): Promise<Line> {
  const what = '  plan and rows of both';
  const { kind } = testDatabase();
  if (kind !== 'mariadb') return { group: 'j', what, kind: 'not-run', why: `what ${kind} explains is not read here` };
  const [many, few] = [await planned(long), await planned(short)];
  const told = ({ plan, rows, examined }: Planned): string => `${plan.map(({ access }) => access).join(' ')}, ${rows} of ${examined} rows`;
  const faults = [...faultsOf(many), ...faultsOf(few)];
  if (faults.length > 0 || told(many) !== told(few))
    throw new Error(`after ${LONG} ${told(many)}, after ${SHORT} ${told(few)}; ${faults.join('; ')}`);
  return figureLine('j', what, spreadOf([many.examined]), 'rows read', `asserted the same: ${told(many)}`);
}

async function planned({ schema, revision }: Side): Promise<Planned> {
  const plans = new Plans(schema);
  try {
    await readView(plans.db, revision);
    const [one, ...more] = plans.take();
    if (one === undefined || more.length > 0) throw new Error('a view is one statement');
    return one;
  } finally {
    await plans.close();
  }
}

/** `count` changes of a membership of one binding; of more than ten the first ten and the last went through the door. */
async function sideOf(schema: TestSchema, count: number, say: (line: string) => void): Promise<Side> {
  await installedApp(schema);
  let revision = 1n;
  for (let change = 1; change <= SHORT; change += 1) revision = await setBindings(schema.db, revision, 1, `${change}`);
  if (count === SHORT) return { schema, revision };
  const began = performance.now();
  for (let [have, step] = [SHORT, 1]; have < count - 1; have *= 2, step += 1)
    await copy(schema, { from: revision - BigInt(SHORT), have, count: Math.min(have, count - 1 - have), step });
  await schema.sql('UPDATE cat_lineage SET catalog_revision = catalog_revision + ?', [count - 1 - SHORT]);
  const tables = [...OF_A_REVISION, ...OF_A_REQUEST.map(({ table }) => table)];
  await schema.sql(`ANALYZE TABLE ${tables.map(({ name }) => name).join(', ')}`);
  say(`${count - 1} revisions in bulk after ${Math.round((performance.now() - began) / 1_000)} s`);
  return { schema, revision: await setBindings(schema.db, revision + BigInt(count - 1 - SHORT), 1, `${count}`) };
}

/** What one change leaves: rows under its revision, and rows under keys of their own. */
const OF_A_REVISION = [catRevision, catAuthorizedBinding, catIntegrationView];
const OF_A_REQUEST = [
  { table: catRequest, key: 'request_key' },
  { table: catAudit, key: 'audit_id' },
] as const;

interface Copies {
  /** The revision before the first change. */
  readonly from: bigint;
  /** Changes that stand. */
  readonly have: number;
  readonly count: number;
  readonly step: number;
}

/** The first `count` changes once more, behind those that stand. Of what a row says only its key is another. */
async function copy(schema: TestSchema, { from, have, count, step }: Copies): Promise<void> {
  for (const { name, columns } of OF_A_REVISION) {
    const names = Object.keys(columns);
    const values = names.map((column) => (column === 'catalog_revision' ? `catalog_revision + ${have}` : column));
    await schema.sql(
      `INSERT INTO ${name} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${name}
        WHERE catalog_revision > ${from} AND catalog_revision <= ${from + BigInt(count)}`,
    );
  }
  for (const { table, key } of OF_A_REQUEST) {
    const names = Object.keys(table.columns);
    const values = names.map((column) => (column === key ? `UNHEX(MD5(CONCAT(${column}, ':${step}')))` : column));
    await schema.sql(
      `INSERT INTO ${table.name} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${table.name} ORDER BY ${key} LIMIT ${count}`,
    );
  }
}
