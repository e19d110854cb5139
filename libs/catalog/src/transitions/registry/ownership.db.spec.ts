import { Digest } from '@connector/kernel/digest';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { asking, register, rowsOf, signedTransfer, trustedPublisher } from '@connector/testing/fixtures/registry';
import { APP, builtRelease } from '@connector/testing/fixtures/release';
import { countOf } from '@connector/testing/fixtures/serving';
import { verifyAttestation } from '../../model/attestation';
import { AppId, PublisherId } from '../../model/identifier';
import { readApp } from '../../reads/apps';
import { readAudit } from '../../reads/audit';
import { readRelease, readTrust } from '../../reads/releases';
import { acceptTransfer, type AcceptedTransfer } from './accept-transfer.tx';
import { blockRelease } from './block-release.tx';
import { offerTransfer } from './offer-transfer.tx';
import { recoverApp, type RecoverApp } from './recover-app.tx';
import { revokePublisherKey } from './revoke-publisher-key.tx';

type Trusted = Awaited<ReturnType<typeof trustedPublisher>>;
let schema: TestSchema;
let north: Trusted;
let south: Trusted;
const app = AppId.parse(APP);
const first = builtRelease({ layouts: { a: 1 } });

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(async () => {
  await schema.reset();
  north = await trustedPublisher(schema.db, 'dev.north');
  south = await trustedPublisher(schema.db, 'dev.south');
  await register(schema.db, north, first);
});
afterAll(() => schema.close());

const statement = (change: Partial<Parameters<typeof signedTransfer>[1]> = {}, key: Pick<Trusted, 'keyId' | 'sign'> = north) =>
  signedTransfer(key, { appId: APP, from: 'dev.north', to: 'dev.south', ...change });
const offer = (given = statement(), request = asking()) => offerTransfer(schema.db, { ...given, appId: app }, request);
const transferIdOf = (answer: Awaited<ReturnType<typeof offer>>): Digest => {
  if (!('transferId' in answer)) throw new Error(`expected an offer, found ${answer.code}`);
  return answer.transferId;
};
const accept = (transferId: Digest, request = asking()): Promise<AcceptedTransfer> =>
  acceptTransfer(schema.db, { appId: app, transferId }, request);
const transfer = async (): Promise<AcceptedTransfer> => accept(transferIdOf(await offer()));
const owner = async () => {
  const { publisherId, ownershipEpoch } = (await readApp(schema.db, app)) ?? {};
  return [publisherId, ownershipEpoch];
};
const refusedAs = (code: string, ownerPublisherId: string | null = 'dev.north', ownershipEpoch: bigint | null = 1n) => ({
  kind: 'refused',
  code,
  appId: APP,
  ownerPublisherId,
  ownershipEpoch,
});

describe('offer-transfer', () => {
  it('offered: what the owner signed stands, and the owner is who it was (cat:PUB-07)', async () => {
    expect(await offer()).toMatchObject({ kind: 'offered', newPublisherId: 'dev.south', expectedOwnershipEpoch: 1n });
    expect(await owner()).toEqual(['dev.north', 1n]);
    expect((await readApp(schema.db, app))?.offers).toHaveLength(1);
  });

  it('already-offered: the same statement again, and no row is new', async () => {
    const one = statement();
    const made = await offer(one);
    expect(await offer(one)).toEqual({ ...made, kind: 'already-offered' });
    expect(await countOf(schema, 'cat_transfer_offer')).toBe(1);
  });

  it.each<[string, () => ReturnType<typeof statement>]>([
    ['KEY_FOREIGN', () => statement({}, south)],
    ['SIGNATURE_INVALID', () => ({ ...statement(), signature: Buffer.alloc(64) })],
    ['OWNER_MISMATCH', () => statement({ from: 'dev.west' })],
    ['APP_MISMATCH', () => statement({ appId: 'dev.north.other' })],
    ['OWNERSHIP_EPOCH_STALE', () => statement({ epoch: 2n })],
    ['SAME_PUBLISHER', () => statement({ to: 'dev.north' })],
    ['PUBLISHER_UNKNOWN', () => statement({ to: 'dev.nobody' })],
  ])('refused: %s, with who owns the App, and nothing is kept (cat:PUB-06, cat:PUB-08)', async (code, given) => {
    expect(await offer(given())).toEqual(refusedAs(code));
    expect(await countOf(schema, 'cat_transfer_offer')).toBe(0);
  });

  it('refused: STATEMENT_SHAPE for bytes that are no statement, APP_UNKNOWN where nobody reserved the App', async () => {
    expect(await offer({ ...statement(), statement: Buffer.from('{}') })).toEqual(refusedAs('STATEMENT_SHAPE', null, null));
    const other = AppId.parse('dev.north.other');
    expect(await offerTransfer(schema.db, { ...statement(), appId: other }, asking())).toMatchObject({ code: 'APP_UNKNOWN', appId: other });
  });
});

describe('accept-transfer', () => {
  it('transferred: owner and epoch move by one commit with the event that names both (cat:PUB-07, cat:PUB-08, cat:PUB-09)', async () => {
    const moved = { appId: APP, oldPublisherId: 'dev.north', publisherId: 'dev.south', ownershipEpoch: 2n };
    expect(await transfer()).toEqual({ kind: 'transferred', ...moved });
    expect(await owner()).toEqual(['dev.south', 2n]);
    const [event] = (await readApp(schema.db, app))?.events ?? [];
    expect(event).toMatchObject({ kind: 'transferred', ownershipEpoch: 2n, oldPublisherId: 'dev.north', newPublisherId: 'dev.south' });
  });

  it('transferred: the audit of the App says who did what, latest first; without it everything goes on (cat:PUB-09, cat:A-47)', async () => {
    await transfer();
    const told = (await readAudit(schema.db, APP)).map(({ door, caller }) => [door, caller]);
    expect(told).toEqual([
      ['accept-transfer', 'test'],
      ['offer-transfer', 'test'],
      ['register-release', 'test'],
    ]);
    await schema.sql('DELETE FROM cat_audit');
    const back = transferIdOf(await offer(statement({ from: 'dev.south', to: 'dev.north', epoch: 2n }, south)));
    expect(await accept(back)).toMatchObject({ kind: 'transferred', ownershipEpoch: 3n });
  });

  it('transferred: reservation, releases and attestations stay byte for byte, and verify as who attested them (cat:PUB-05, cat:PUB-11, cat:A-44)', async () => {
    const kept = ['cat_app', 'cat_app_release', 'cat_metadata_bundle', 'cat_component_owner'];
    const before = await rowsOf(schema, ...kept);
    await transfer();
    expect(await rowsOf(schema, ...kept)).toBe(before);
    const stored = await readRelease(schema.db, app, first.releaseDigest);
    if (stored === undefined) throw new Error('the release is gone');
    expect([stored.publisherId, stored.ownershipEpoch]).toEqual(['dev.north', 1n]);
    const { key } = await readTrust(schema.db, stored);
    const given = { statement: stored.attestationBytes, signature: stored.signatureBytes };
    expect(verifyAttestation(stored, given, key, stored.registeredAt)).toMatchObject({ kind: 'attested', keyId: north.keyId });
  });

  it('transferred: then the old publisher registers nothing and the new one does (cat:PUB-10)', async () => {
    await transfer();
    expect(await register(schema.db, north, builtRelease({ version: '1.1.0' }))).toMatchObject({
      code: 'APP_ID_RESERVED',
      publisherId: 'dev.north',
      ownerPublisherId: 'dev.south',
    });
    const next = builtRelease({ version: '1.1.0', publisherId: 'dev.south' });
    expect(await register(schema.db, south, next)).toMatchObject({ kind: 'registered', ownershipEpoch: 2n });
  });

  it('transferred: the same request again is answered as the first time', async () => {
    const transferId = transferIdOf(await offer());
    const request = asking();
    const answer = await accept(transferId, request);
    expect(await accept(transferId, request)).toEqual(answer);
    expect(await owner()).toEqual(['dev.south', 2n]);
  });

  it('refused: an offer is good for one epoch, also when the App came back to who made it (cat:PUB-08)', async () => {
    const transferId = transferIdOf(await offer());
    await accept(transferId);
    expect(await accept(transferId)).toEqual(refusedAs('KEY_FOREIGN', 'dev.south', 2n));
    const back = transferIdOf(await offer(statement({ from: 'dev.south', to: 'dev.north', epoch: 2n }, south)));
    await accept(back);
    expect(await accept(transferId)).toEqual(refusedAs('OWNERSHIP_EPOCH_STALE', 'dev.north', 3n));
  });

  it('refused: KEY_REVOKED where the key was revoked between offer and acceptance (cat:A-18)', async () => {
    const transferId = transferIdOf(await offer());
    await revokePublisherKey(schema.db, { publisherId: north.publisherId, keyId: north.keyId, reason: 'stolen' }, asking());
    expect(await accept(transferId)).toEqual(refusedAs('KEY_REVOKED'));
    expect(await owner()).toEqual(['dev.north', 1n]);
  });

  it('unknown-transfer: what nobody offered', async () => {
    expect(await accept(Digest.sha256(Buffer.from('x')))).toMatchObject({ kind: 'unknown-transfer' });
  });
});

describe('recover-app', () => {
  const recover = (change: Partial<RecoverApp> = {}, request = asking()) =>
    recoverApp(
      schema.db,
      {
        appId: app,
        fromPublisherId: PublisherId.parse('dev.north'),
        toPublisherId: PublisherId.parse('dev.south'),
        expectedOwnershipEpoch: 1n,
        reason: 'keys lost in a fire',
        ...change,
      },
      request,
    );

  it('recovered: by the operator alone, under the next epoch and with an event that names both (cat:PUB-12)', async () => {
    expect(await recover()).toMatchObject({ kind: 'recovered', oldPublisherId: 'dev.north', publisherId: 'dev.south', ownershipEpoch: 2n });
    const [event] = await schema.sql('SELECT kind, signature FROM cat_ownership_event WHERE ownership_epoch = 2');
    expect(event).toEqual({ kind: Buffer.from('recovered'), signature: null });
  });

  it.each<[string, Partial<RecoverApp>]>([
    ['OWNERSHIP_EPOCH_STALE', { expectedOwnershipEpoch: 2n }],
    ['OWNER_MISMATCH', { fromPublisherId: PublisherId.parse('dev.west') }],
    ['SAME_PUBLISHER', { toPublisherId: PublisherId.parse('dev.north') }],
    ['PUBLISHER_UNKNOWN', { toPublisherId: PublisherId.parse('dev.nobody') }],
  ])('refused: %s, and the owner stays (cat:PUB-12)', async (code, change) => {
    expect(await recover(change)).toEqual(refusedAs(code));
    expect(await owner()).toEqual(['dev.north', 1n]);
    expect(await countOf(schema, 'cat_ownership_event')).toBe(1);
  });

  it('refused: APP_UNKNOWN where nobody reserved the App', async () => {
    expect(await recover({ appId: AppId.parse('dev.north.other') })).toMatchObject({ code: 'APP_UNKNOWN' });
  });
});

describe('block-release', () => {
  const block = (releaseDigest = first.releaseDigest, request = asking()) =>
    blockRelease(schema.db, { appId: app, releaseDigest, reason: 'leaks' }, request);

  it('blocked: trust says so, and the release itself stays (cat:A-39)', async () => {
    const before = await rowsOf(schema, 'cat_app_release');
    expect(await block()).toMatchObject({ kind: 'blocked' });
    expect(await rowsOf(schema, 'cat_app_release')).toBe(before);
    const stored = await readRelease(schema.db, app, first.releaseDigest);
    expect(stored && (await readTrust(schema.db, stored)).blocked).toMatchObject({ reason: 'leaks' });
  });

  it('already-blocked: the first block stands', async () => {
    await block();
    expect(await block()).toMatchObject({ kind: 'already-blocked' });
    expect(await countOf(schema, 'cat_release_block')).toBe(1);
  });

  it('unknown-release: none of this digest', async () => {
    expect(await block(Digest.sha256(Buffer.from('x')))).toMatchObject({ kind: 'unknown-release' });
  });
});
