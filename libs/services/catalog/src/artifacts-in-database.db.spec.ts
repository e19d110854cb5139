import { Digest } from '@connector/kernel/digest';
import { artifactsConformance } from '@connector/testing/artifacts-conformance';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { artifactsInDatabase } from './artifacts-in-database';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

artifactsConformance('in a database', () => {
  const db = schema.another();
  return Promise.resolve({
    registry: artifactsInDatabase(db, { attempts: 1, firstMs: 1, capMs: 1 }),
    damage: async (digest) => {
      await schema.sql("UPDATE art_blob SET bytes = 'damaged' WHERE component_digest = ?", [Digest.bytes(digest)]);
    },
    part: () => db.close(),
  });
});
