import { mainSchema, type TestSchema } from '../database';
import { testDatabase } from '../engine';
import { serveAccounts, type ServedAccount } from '../fixtures/account';
import { readyExecutions } from '../fixtures/execution';
import { claim, finish, retain, SHARE, SHORT, type Side } from './retain';
import { figureLine, ratioLine, type Line } from './line';
import { bothSides, rounds, timed } from './rounds';
import { quantile, ratiosOf, spreadOf } from './statistics';

/** Of a side in a round. */
const LOOKS = 10;

/** One look for candidates and the claim of what it found, beside a long history and beside a short one. */
export async function benchHistory(seconds: number, history: number, say: (line: string) => void): Promise<readonly Line[]> {
  const [long, short] = await Promise.all([openSide(), openSide()]);
  const room = await makeRoom(long.schema, say);
  try {
    await retain(short, SHORT, say);
    await retain(long, history, say);
    const pairs = await rounds(seconds, (longFirst, at) => oneRound(long, short, longFirst, at));
    const p50 = (side: 0 | 1) => pairs.map((pair) => quantile(pair[side], 0.5));
    const [longs, shorts] = [p50(0), p50(1)];
    const ratio = spreadOf(ratiosOf(longs.map((ms, at) => [ms, shorts[at] ?? Number.NaN])));
    const note = `look and claim of ${SHARE}, ${LOOKS} a side and round; every finished one was in the ready index once; ${room.told}`;
    return [
      ratioLine('c', `claim p50 beside ${history} finished executions against ${SHORT}`, ratio, { must: 'at most', than: 1.2 }, note),
      figureLine('c', `  beside ${history}`, spreadOf(longs), 'ms'),
      figureLine('c', `  beside ${SHORT}`, spreadOf(shorts), 'ms'),
    ];
  } finally {
    await room.giveBack();
    await Promise.all([long.schema.close(), short.schema.close()]);
  }
}

/** Holds both sides: compared is what a history costs a claim, and not what a cache costs that is too small for the rows of either. */
const POOL_BYTES = 2 * 1024 ** 3;
const POOL = 'innodb_buffer_pool_size';

interface Room {
  readonly told: string;
  giveBack(): Promise<void>;
}

/** The engine's cache made large enough while this is measured, where it is smaller and we may. */
async function makeRoom(schema: TestSchema, say: (line: string) => void): Promise<Room> {
  const keep = async (): Promise<void> => undefined;
  if (testDatabase().kind !== 'mariadb') return { told: 'the cache as it is', giveBack: keep };
  const before = Number((await schema.sql('SHOW GLOBAL VARIABLES WHERE Variable_name = ?', [POOL]))[0]?.['Value']);
  const told = (bytes: number): string => `${POOL} ${bytes / 1024 ** 2} MiB`;
  if (before >= POOL_BYTES) return { told: told(before), giveBack: keep };
  const sized = async (bytes: number): Promise<void> => void (await schema.sql(`SET GLOBAL ${POOL} = ${bytes}`));
  try {
    await sized(POOL_BYTES);
    return { told: told(POOL_BYTES), giveBack: () => sized(before) };
  } catch (thrown) {
    say(`the cache stays at ${before / 1024 ** 2} MiB: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return { told: told(before), giveBack: keep };
  }
}

async function openSide(): Promise<Side> {
  const schema = await mainSchema();
  const [served] = (await serveAccounts(schema, ['north/acme'])) as [ServedAccount];
  return { schema, served };
}

/** Each look goes to both sides before the next one; what was claimed is finished through its door when the round is over. */
async function oneRound(long: Side, short: Side, longFirst: boolean, at: number): Promise<readonly [readonly number[], readonly number[]]> {
  const keys = Array.from({ length: SHARE * LOOKS }, (_, index) => `r${at}-${index}`);
  const made = await Promise.all([long, short].map(({ schema, served }) => readyExecutions(schema, served, keys)));
  const spent: [number[], number[]] = [[], []];
  for (let look = 0; look < LOOKS; look += 1) {
    const pair = await bothSides(
      (look % 2 === 0) === longFirst,
      () => timed(() => claim(long)),
      () => timed(() => claim(short)),
    );
    pair.forEach((ms, side) => spent[side as 0 | 1].push(ms));
  }
  await Promise.all([long, short].map((side, index) => finish(side, made[index] ?? [])));
  return spent;
}
