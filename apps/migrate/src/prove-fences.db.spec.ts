import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { withConnection } from '@connector/platform/engine/connect';
import { testDatabase } from '@connector/testing/engine';
import { migrate } from './migrate';
import { proveFences } from './prove-fences';
import { scratch, type Scratch } from './scratch.fixture';

let it_: Scratch;

beforeEach(async () => {
  it_ = await scratch(testDatabase());
});
afterEach(() => it_.close());

/** The database behind a port that leaves something out of the statements: it accepts them and does less than they say. */
async function migrateOver(leftOut: RegExp): Promise<void> {
  const { host, port } = testDatabase();
  const server = createServer((client) => {
    const behind = connect({ host, port });
    client.on('data', (bytes) => behind.write(Buffer.from(bytes.toString('latin1').replace(leftOut, blank), 'latin1')));
    behind.on('data', (bytes) => client.write(bytes));
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const)
      one.on('close', () => other.destroy()).on('error', () => one.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = { databaseHost: '127.0.0.1', databasePort: (server.address() as AddressInfo).port };
  try {
    await migrate(Object.assign(it_.config, place), () => undefined);
  } finally {
    server.close();
  }
}
/** As long as what it replaces: a packet says its length. */
const blank = (words: string): string => ' '.repeat(words.length);

const tables = (): Promise<readonly (readonly string[])[]> =>
  withConnection(it_.admin, (ask) =>
    ask(`SELECT table_name FROM information_schema.tables WHERE table_schema = '${it_.config.databaseName}'`),
  );

describe('an engine proves at start-up that it keeps fences, over two connections (PUB-DB-02)', () => {
  it('kept: the engine of this run passes, again and again', async () => {
    const { databaseName } = it_.config;
    await withConnection(it_.admin, (one) =>
      withConnection(it_.admin, async (other) => {
        await one(`CREATE DATABASE ${databaseName}`);
        for (const ask of [one, other]) await ask(`USE ${databaseName}`);
        await one('CREATE TABLE fences (revision INT PRIMARY KEY, checksum BINARY(32) NOT NULL)');
        await one(`INSERT INTO fences VALUES (0, x'${'00'.repeat(32)}')`);
        for (let time = 0; time < 2; time += 1) {
          await one('START TRANSACTION');
          await proveFences(one, other, 'fences');
        }
        expect(await one('SELECT HEX(checksum) FROM fences')).not.toEqual([['00'.repeat(32)]]);
      }),
    );
  });

  it('HOUSE:migrate:LockNotKept: a locking read with NOWAIT that takes no lock; nothing is made', async () => {
    await expect(migrateOver(/ FOR UPDATE NOWAIT/)).rejects.toMatchObject({ code: 'HOUSE:migrate:LockNotKept' });
    expect(await tables()).toEqual([['con_schema_revision']]);
  });

  it('HOUSE:migrate:FenceNotKept: two updates that compared with one value and both landed; nothing is made', async () => {
    await expect(migrateOver(/ AND checksum = x'\w{64}'/)).rejects.toMatchObject({ code: 'HOUSE:migrate:FenceNotKept' });
    expect(await tables()).toEqual([['con_schema_revision']]);
  });
});
