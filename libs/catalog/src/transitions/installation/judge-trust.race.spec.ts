import type { Db } from '@connector/platform/db/db';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { askedFor, type PublicationWorld, publicationWorld } from '@connector/testing/fixtures/publication';
import { ORG } from '@connector/testing/fixtures/publication-steps';
import { asking } from '@connector/testing/fixtures/registry';
import { Signals, somebodyWaitsAt } from '@connector/testing/signals';
import { AppId, PublisherId } from '../../model/identifier';
import type { OpenPublication } from '../../model/installation/gathered';
import { ENTRIES } from '../../model/installation/publication';
import { blockRelease } from '../registry/block-release.tx';
import { revokePublisherKey } from '../registry/revoke-publisher-key.tx';
import { openPublication } from './open-publication.tx';

let schema: TestSchema;
let world: PublicationWorld;
let input: OpenPublication;

beforeAll(async () => {
  schema = await mainSchema();
});
/** What step 1 is told was gathered while the release was trusted. */
beforeEach(async () => {
  await schema.reset();
  world = await publicationWorld(schema);
  input = await world.input(ORG, askedFor(await world.release()));
});
afterAll(() => schema.close());

type Act = (db: Db) => Promise<{ readonly kind: string }>;

const opens: Act = (db) => openPublication(db, input, asking());
const revokes: Act = (db) => {
  const { publisherId } = input.release;
  return revokePublisherKey(db, { publisherId: PublisherId.parse(publisherId), keyId: world.signer.keyId, reason: 'lost' }, asking());
};
const blocks: Act = (db) => {
  const { appId, releaseDigest } = input.release;
  return blockRelease(db, { appId: AppId.parse(appId), releaseDigest, reason: 'test' }, asking());
};

/** The first holds what it has at its COMMIT until the second waits for it. */
async function inOrder(first: Act, second: Act, at: string) {
  const signals = new Signals();
  const stops = ['open-publication', 'revoke-publisher-key', 'block-release'].map((name) => signals.stopAt(`${name}/commit`));
  const one = first(schema.another(signals.hook));
  await Promise.race(stops.map(({ reached }) => reached));
  const two = second(schema.another());
  await somebodyWaitsAt(schema, at).finally(() => stops.forEach(({ release }) => release()));
  return Promise.all([one, two]);
}

describe('judge-trust › race: trust is withdrawn while a publication opens', () => {
  it.each([
    ['cat:A-18 a key', revokes, 'revoked', 'lock cat_publisher', 'KEY_REVOKED'],
    ['cat:A-39 a release', blocks, 'blocked', 'lock cat_app_ownership', 'RELEASE_BLOCKED'],
  ] as const)('refused: cat:PREP-01 %s that was trusted when it was gathered and is not any more', async (_what, act, kind, at, code) => {
    const [withdrawn, refused] = await inOrder(act, opens, at);
    expect([withdrawn.kind, refused.kind]).toEqual([kind, 'refused']);
    const [row] = await schema.sql(`SELECT entry FROM cat_publication_step WHERE step = 'refused'`);
    expect(ENTRIES.refused.parse(row?.['entry'] as Buffer).value.faults).toMatchObject([{ code }]);
  });

  it.each([
    ['cat:A-18 its key is revoked', revokes, 'revoked', 'lock cat_publisher'],
    ['cat:A-39 its release is blocked', blocks, 'blocked', 'lock cat_app_ownership'],
  ] as const)('opened: %s once it has committed, and not before', async (_what, act, kind, at) => {
    expect(await inOrder(opens, act, at)).toMatchObject([{ kind: 'opened' }, { kind }]);
  });
});
