import { mainSchema, type TestSchema } from '@connector/testing/database';
import { askedFor, publicationWorld } from '@connector/testing/fixtures/publication';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const ORG = 'org-1';

describe('installation', () => {
  it('published: cat:INST-T01 cat:INST-T02 an App of one service handler becomes ACTIVE as revision 1', async () => {
    const world = await publicationWorld(schema);
    const release = await world.release();
    const answer = await world.install(ORG, askedFor(release));
    expect(answer).toMatchObject({
      kind: 'opened',
      attempt: 1n,
      end: { kind: 'published', lineage: { catalogRevision: 1n, activationEpoch: 1n } },
    });
  });
});
