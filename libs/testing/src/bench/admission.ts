import { mainSchema, type TestSchema } from '../database';
import { serveAccounts } from '../fixtures/account';
import { BareWriter, rowsOf } from './bare-writer';
import { contactDeliveries, Door, type Ready } from './door';
import { figureLine, ratioLine, type Line } from './line';
import { bothSides, rounds, timed } from './rounds';
import { ratiosOf, spreadOf } from './statistics';

/** Five full batches a round. */
const DELIVERIES = 1_425;
const ACCOUNTS = 64;
const IN_FLIGHT = 256;
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

/** As many deliveries, as many in flight: all of one account, whose gate lets one batch in at a time, and in turn of many. */
export async function benchHotAccount(seconds: number): Promise<readonly Line[]> {
  const schema = await mainSchema();
  try {
    const served = await serveAccounts(schema, ['hot/acme', ...Array.from({ length: ACCOUNTS }, (_, at) => `many/${at}`)]);
    const pairs = await rounds(seconds, (hotFirst, at) => {
      const hot = contactDeliveries(served.slice(0, 1), DELIVERIES, `h${at}`);
      const many = contactDeliveries(served.slice(1), DELIVERIES, `m${at}`);
      return bothSides(
        hotFirst,
        () => flood(schema, hot),
        () => flood(schema, many),
      );
    });
    const ratio = spreadOf(ratiosOf(pairs.map(([hot, many]) => [many, hot])));
    const note = `${DELIVERIES} deliveries, ${IN_FLIGHT} in flight, 8 connections`;
    return [
      ratioLine('b', `one hot account against ${ACCOUNTS}`, ratio, { must: 'at least', than: 0.9 }, note),
      figureLine(
        'b',
        '  one account',
        perSecond(
          DELIVERIES,
          pairs.map(([hot]) => hot),
        ),
        'deliveries/s',
      ),
      figureLine(
        'b',
        `  ${ACCOUNTS} accounts`,
        perSecond(
          DELIVERIES,
          pairs.map(([, many]) => many),
        ),
        'deliveries/s',
      ),
    ];
  } finally {
    await schema.close();
  }
}

/** Milliseconds until all are admitted. */
function flood(schema: TestSchema, deliveries: readonly Ready[]): Promise<number> {
  const door = new Door(schema.db);
  const left = deliveries.values();
  const sender = async (): Promise<void> => {
    for (const one of left) await door.submit(one);
  };
  return timed(() => Promise.all(Array.from({ length: IN_FLIGHT }, sender)));
}
