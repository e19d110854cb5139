import { digestsOf } from '@connector/catalog/contract/artifact-registry';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { countOf } from '@connector/testing/fixtures/serving';
import { putBlob } from './put-blob.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const blob = (text = '{"a":1}') => ({ componentKind: 'io.nexuscrm.record-layout.v1', formatVersion: 1, bytes: Buffer.from(text) });
const put = (one = blob()) => putBlob(schema.db, digestsOf(one), one);

describe('put-blob', () => {
  it('stored: the checksum of transport stands beside the bytes and is no key (cat:DIG-13)', async () => {
    expect(await put()).toEqual({ kind: 'stored' });
    expect(await schema.sql("SHOW KEYS FROM art_blob WHERE Column_name = 'raw_sha256'")).toEqual([]);
    expect(await countOf(schema, 'art_blob')).toBe(1);
  });

  it('already-stored: the same bytes again write nothing', async () => {
    await put();
    expect(await put()).toEqual({ kind: 'already-stored' });
    expect(await countOf(schema, 'art_blob')).toBe(1);
  });

  it('digest-differs: bytes that are not of the digest that was said are refused, and nothing is stored', async () => {
    const given = blob('{"b":1}');
    expect(await putBlob(schema.db, digestsOf(blob()), given)).toEqual({ kind: 'digest-differs', ...digestsOf(given) });
    expect(await countOf(schema, 'art_blob')).toBe(0);
  });

  it('corrupt: what stands is not of its digest, and stays as it is', async () => {
    await put();
    await schema.sql("UPDATE art_blob SET bytes = 'x'");
    expect(await put()).toEqual({ kind: 'corrupt' });
  });

  it('refused: a blob above 4 MiB', async () => {
    await expect(put(blob('x'.repeat(4 * 1024 * 1024 + 1)))).rejects.toMatchObject({ code: 'HOUSE:kernel:BytesTooLong' });
  });
});
