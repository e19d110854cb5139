import { mainSchema, type TestSchema } from '../database';
import { serveAccounts } from '../fixtures/account';
import { BareWriter, rowsOf } from './bare-writer';
import { admitted, contactDeliveries, Door, type Ready } from './door';
import { figureLine, ratioLine, type Line } from './line';
import { bothSides, rounds, timed } from './rounds';
import { quantile, ratiosOf, spreadOf } from './statistics';

/** Five full batches a round. */
const DELIVERIES = 1_425;
const ACCOUNTS = 64;
const IN_FLIGHT = 256;
/** Of the pool of a test schema. */
const CONNECTIONS = 8;
const BATCH = 20;
const perSecond = (count: number, ms: readonly number[]) => spreadOf(ms.map((one) => (count * 1_000) / one));

/** The same rows written in two ways, batch by batch one behind the other: by the door, and as one bare INSERT a table in one transaction. */
export async function benchAdmission(seconds: number): Promise<readonly Line[]> {
  const [schema, bare] = await Promise.all([mainSchema(), mainSchema()]);
  const writer = new BareWriter(bare);
  try {
    const accounts = await serveAccounts(schema, ['north/acme']);
    const measured = await rounds(seconds, (_first, at) => twice(schema, writer, contactDeliveries(accounts, DELIVERIES, `a${at}`)));
    const batch = Math.max(...measured.map(({ largest }) => largest));
    const ratio = spreadOf(ratiosOf(measured.map(({ bareMs, doorMs }) => [bareMs, doorMs])));
    const note = `one account, one connection, up to ${batch} deliveries of one item a batch`;
    const speed = (ms: readonly number[]) => perSecond(DELIVERIES, ms);
    return [
      ratioLine('a', 'admission door against bare multi-row INSERTs of the same rows', ratio, { must: 'at least', than: 0.6 }, note),
      figureLine('a', '  through the door', speed(measured.map(({ doorMs }) => doorMs)), 'deliveries/s', 'ids and digests made before'),
      figureLine('a', '  bare', speed(measured.map(({ bareMs }) => bareMs)), 'deliveries/s', 'six INSERTs and COMMIT'),
    ];
  } finally {
    await writer.close();
    await Promise.all([schema.close(), bare.close()]);
  }
}

async function twice(schema: TestSchema, writer: BareWriter, deliveries: readonly Ready[]) {
  const spent = { doorMs: 0, bareMs: 0, largest: 0 };
  const door = new Door(schema.db, async (batch, admit) => {
    spent.doorMs += await timed(admit);
    spent.bareMs += await writer.write(await rowsOf(schema, batch));
    spent.largest = Math.max(spent.largest, batch.length);
  });
  await Promise.all(deliveries.map((one) => door.submit(one)));
  return spent;
}

/**
 * What a gate costs that is alone, and what it costs to have many. Behind the queue as many are in flight on both sides: one account's
 * batches fill while its gate lets one in at a time, those of many stay small. Past the queue every batch is as large as every other, and
 * only what the accounts share could keep the many from being as fast (PUB-DB-06).
 */
export async function benchHotAccount(seconds: number): Promise<readonly Line[]> {
  const schema = await mainSchema();
  try {
    const served = await serveAccounts(schema, ['hot/acme', ...Array.from({ length: ACCOUNTS }, (_, at) => `many/${at}`)]);
    const [hot, many] = [served.slice(0, 1), served.slice(1)];
    const queued = await rounds(seconds, (hotFirst, at) =>
      bothSides(
        hotFirst,
        () => flood(schema, contactDeliveries(hot, DELIVERIES, `h${at}`)),
        () => flood(schema, contactDeliveries(many, DELIVERIES, `m${at}`)),
      ),
    );
    const equal = await rounds(seconds, (hotFirst, at) =>
      bothSides(
        hotFirst,
        () => equalBatches(schema, contactDeliveries(hot, ACCOUNTS * BATCH, `eh${at}`)),
        () => equalBatches(schema, contactDeliveries(many, ACCOUNTS * BATCH, `em${at}`)),
      ),
    );
    return [...queuedLines(queued), ...equalLines(equal)];
  } finally {
    await schema.close();
  }
}

const speedLine = (what: string, count: number, ms: readonly number[], note = ''): Line =>
  figureLine('b', what, perSecond(count, ms), 'deliveries/s', note);

function queuedLines(pairs: readonly (readonly [hot: Flood, many: Flood])[]): readonly Line[] {
  const ratio = spreadOf(ratiosOf(pairs.map(([hot, many]) => [many.ms, hot.ms])));
  const note = `${DELIVERIES} deliveries, ${IN_FLIGHT} in flight, ${CONNECTIONS} connections`;
  const batch = (side: 0 | 1) =>
    `${Math.round(
      quantile(
        pairs.map((pair) => DELIVERIES / pair[side].batches),
        0.5,
      ),
    )} a batch`;
  const ms = (side: 0 | 1) => pairs.map((pair) => pair[side].ms);
  return [
    ratioLine('b', `rate of one hot account against ${ACCOUNTS}, queued`, ratio, { must: 'at least', than: 0.9 }, note),
    speedLine('  one account', DELIVERIES, ms(0), batch(0)),
    speedLine(`  ${ACCOUNTS} accounts`, DELIVERIES, ms(1), batch(1)),
  ];
}

function equalLines(pairs: readonly (readonly [hot: number, many: number])[]): readonly Line[] {
  const ratio = spreadOf(ratiosOf(pairs));
  const note = `${ACCOUNTS} batches of ${BATCH} each, ${CONNECTIONS} at a time`;
  const [hot, many] = ([0, 1] as const).map((side) => pairs.map((pair) => pair[side])) as [number[], number[]];
  return [
    ratioLine('b', `rate of ${ACCOUNTS} accounts against one, equal batches`, ratio, { must: 'at least', than: 1 }, note),
    speedLine('  one account', ACCOUNTS * BATCH, hot),
    speedLine(`  ${ACCOUNTS} accounts`, ACCOUNTS * BATCH, many),
  ];
}

interface Flood {
  /** Until all are admitted. */
  readonly ms: number;
  readonly batches: number;
}

async function flood(schema: TestSchema, deliveries: readonly Ready[]): Promise<Flood> {
  let batches = 0;
  const door = new Door(schema.db, async (_batch, admit) => {
    batches += 1;
    await admit();
  });
  const left = deliveries.values();
  const sender = async (): Promise<void> => {
    for (const one of left) await door.submit(one);
  };
  const ms = await timed(() => Promise.all(Array.from({ length: IN_FLIGHT }, sender)));
  return { ms, batches };
}

/** Batches of one size, each of one account, as many at a time as there are connections; milliseconds until all are admitted. */
function equalBatches(schema: TestSchema, deliveries: readonly Ready[]): Promise<number> {
  const byAccount = [...deliveries].sort((one, other) => (one.served.account < other.served.account ? -1 : 1));
  const left = Array.from({ length: ACCOUNTS }, (_, at) => byAccount.slice(at * BATCH, (at + 1) * BATCH)).values();
  const sender = async (): Promise<void> => {
    for (const batch of left) await admitted(schema.db, batch);
  };
  return timed(() => Promise.all(Array.from({ length: CONNECTIONS }, sender)));
}
