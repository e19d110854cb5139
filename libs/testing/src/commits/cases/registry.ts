import { putBlob } from '@connector/artifacts/transitions/put-blob.tx';
import { digestsOf } from '@connector/catalog/contract/artifact-registry';
import { AppId, PublisherId } from '@connector/catalog/model/identifier';
import { acceptTransfer } from '@connector/catalog/transitions/registry/accept-transfer.tx';
import { addPublisherKey } from '@connector/catalog/transitions/registry/add-publisher-key.tx';
import { blockRelease } from '@connector/catalog/transitions/registry/block-release.tx';
import { offerTransfer } from '@connector/catalog/transitions/registry/offer-transfer.tx';
import { recoverApp } from '@connector/catalog/transitions/registry/recover-app.tx';
import { registerPublisher } from '@connector/catalog/transitions/registry/register-publisher.tx';
import { revokePublisherKey } from '@connector/catalog/transitions/registry/revoke-publisher-key.tx';
import { ANSWER_SOON } from '@connector/platform/db/retrying';
import type { TestSchema } from '../../database';
import { asking, LONG_AGO, register, signedTransfer, signer, trustedPublisher } from '../../fixtures/registry';
import { APP, builtRelease, type ReleaseSpec } from '../../fixtures/release';
import { act, type DoorCase, known } from './door-case';

const NORTH = PublisherId.parse('dev.north');
const SOUTH = PublisherId.parse('dev.south');
const app = AppId.parse(APP);
const FIRST: ReleaseSpec = { layouts: { a: 1, b: 2 }, slots: [{ key: 'main', version: 1, target: 'a' }], capabilities: [`${APP}.view.v1`] };

/** Both publishers, and the App of the first with these releases. */
async function reserved({ db }: TestSchema, ...specs: readonly ReleaseSpec[]) {
  const north = await trustedPublisher(db, NORTH);
  await trustedPublisher(db, SOUTH);
  for (const spec of specs) await register(db, north, builtRelease(spec));
  return north;
}
const given = (north: Parameters<typeof signedTransfer>[0]) => signedTransfer(north, { appId: APP, from: NORTH, to: SOUTH });

const PUBLISHER_CASES: readonly DoorCase[] = [
  {
    door: 'register-publisher',
    arrange: () => {
      const request = asking();
      return Promise.resolve(act(ANSWER_SOON, (db) => registerPublisher(db, { publisherId: NORTH, appPrefixes: [NORTH] }, request)));
    },
  },
  {
    door: 'add-publisher-key',
    arrange: async ({ main }) => {
      await registerPublisher(main.db, { publisherId: NORTH, appPrefixes: [NORTH] }, asking());
      const input = { publisherId: NORTH, publicKey: signer().publicKey, validFrom: LONG_AGO, validUntil: null };
      const request = asking();
      return act(ANSWER_SOON, (db) => addPublisherKey(db, input, request));
    },
  },
  {
    door: 'revoke-publisher-key',
    arrange: async ({ main }) => {
      const { keyId } = await trustedPublisher(main.db, NORTH);
      const request = asking();
      return act(ANSWER_SOON, (db) => revokePublisherKey(db, { publisherId: NORTH, keyId, reason: 'lost' }, request));
    },
  },
];

const RELEASE_CASES: readonly DoorCase[] = [
  {
    door: 'put-blob',
    arrange: () => {
      const blob = known(builtRelease(FIRST).blobs[0]);
      return Promise.resolve(act(ANSWER_SOON, (db) => putBlob(db, digestsOf(blob), blob)));
    },
  },
  {
    door: 'register-release',
    way: 'the first of an App',
    arrange: async ({ main }) => {
      const north = await reserved(main);
      const release = builtRelease(FIRST);
      const request = asking();
      return act(ANSWER_SOON, (db) => register(db, north, release, request));
    },
  },
  {
    door: 'register-release',
    way: 'with the successor of a slot',
    arrange: async ({ main }) => {
      const north = await reserved(main, FIRST);
      const slots = [{ key: 'main', version: 2, target: 'b', previous: 'a' }];
      const release = builtRelease({ ...FIRST, version: '2.0.0', slots });
      const request = asking();
      return act(ANSWER_SOON, (db) => register(db, north, release, request));
    },
  },
  {
    door: 'block-release',
    arrange: async ({ main }) => {
      await reserved(main, FIRST);
      const input = { appId: app, releaseDigest: builtRelease(FIRST).releaseDigest, reason: 'leaks' };
      const request = asking();
      return act(ANSWER_SOON, (db) => blockRelease(db, input, request));
    },
  },
];

const OWNERSHIP_CASES: readonly DoorCase[] = [
  {
    door: 'offer-transfer',
    arrange: async ({ main }) => {
      const input = given(await reserved(main, FIRST));
      const request = asking();
      return act(ANSWER_SOON, (db) => offerTransfer(db, input, request));
    },
  },
  {
    door: 'accept-transfer',
    arrange: async ({ main }) => {
      const offered = await offerTransfer(main.db, given(await reserved(main, FIRST)), asking());
      const transferId = known('transferId' in offered ? offered.transferId : undefined);
      const request = asking();
      return act(ANSWER_SOON, (db) => acceptTransfer(db, { appId: app, transferId }, request));
    },
  },
  {
    door: 'recover-app',
    arrange: async ({ main }) => {
      await reserved(main, FIRST);
      const input = { appId: app, fromPublisherId: NORTH, toPublisherId: SOUTH, expectedOwnershipEpoch: 1n, reason: 'keys lost' };
      const request = asking();
      return act(ANSWER_SOON, (db) => recoverApp(db, input, request));
    },
  },
];

/** Publishers, releases and who owns an App. */
export const REGISTRY_CASES: readonly DoorCase[] = [...PUBLISHER_CASES, ...RELEASE_CASES, ...OWNERSHIP_CASES];
