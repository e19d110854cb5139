import { errorAnswer, MysqlPackets, packet, query, queryOf, saysOk } from './mysql-packets';

const LONGEST = 0xffffff;

describe('packets of the MySQL protocol', () => {
  const stream = Buffer.concat([packet(1, Buffer.from('login')), query('SELECT 1'), packet(0, Buffer.alloc(0)), query('/* d */ COMMIT')]);

  it.each([1, 2, 3, 4, 5, 7, 64, 1_000])('are the same whatever the reads: %i bytes at a time', (size) => {
    const packets = new MysqlPackets();
    const found = [];
    for (let at = 0; at < stream.length; at += size) found.push(...packets.push(stream.subarray(at, at + size)));
    expect(found.map((one) => [one.sequence, queryOf(one)])).toEqual([
      [1, undefined],
      [0, 'SELECT 1'],
      [0, undefined],
      [0, '/* d */ COMMIT'],
    ]);
    expect(Buffer.concat(found.map(({ bytes }) => bytes))).toEqual(stream);
  });

  it('one of 16 MiB is followed by its rest, which is no command whatever it says', () => {
    const long = packet(0, Buffer.concat([Buffer.of(0x03), Buffer.alloc(LONGEST - 1, 0x20)]));
    const rest = packet(1, Buffer.concat([Buffer.of(0x03), Buffer.from('/* d */ COMMIT')]));
    const found = new MysqlPackets().push(Buffer.concat([long, rest]));
    expect(found.map((one) => [one.payload.length, queryOf(one)?.trim()])).toEqual([
      [LONGEST, ''],
      [rest.length - 4, undefined],
    ]);
  });

  it('an OK is told from an error', () => {
    const [ok, error] = [packet(1, Buffer.of(0, 0, 0, 2, 0)), errorAnswer(9007, 'why')].map((bytes) => new MysqlPackets().push(bytes)[0]);
    expect([ok, error].map((one) => one && saysOk(one))).toEqual([true, false]);
  });
});
