import type { BindingKind } from '@connector/kernel/document-binding';
import { Digest } from '@connector/kernel/digest';
import { ANSWER_SOON, retrying } from '@connector/platform/db/retrying';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { notedManifest, notedPack, PACK_OWNER } from '@connector/testing/fixtures/registered-pack';
import { countOf } from '@connector/testing/fixtures/serving';
import { definitionReceipt, packManifest } from '../model/documents';
import { readPackAudit } from '../reads/audit';
import { readDefinition, readExact, readGeneration, type BindingIdentity } from '../reads/definitions';
import type { PackDefinition } from './pack-definitions';
import { registerPack, type PackPlace, type RegisteredPack } from './register-pack.tx';

let schema: TestSchema;

beforeAll(async () => {
  schema = await mainSchema();
});
beforeEach(() => schema.reset());
afterAll(() => schema.close());

const KINDS: readonly BindingKind[] = ['callout-profile', 'field-mapping', 'inbound-route', 'push-contract'];
const OTHER = Digest.sha256(Buffer.from('other'));

/** One definition of each kind (con:DEFN-F). */
const pack = notedPack;
const manifestOf = notedManifest;
const placeOf = (answer: RegisteredPack): PackPlace => {
  if (!('storageId' in answer)) throw new Error(`expected a place, found ${answer.kind}`);
  return answer;
};
const identityIn = (place: PackPlace, kind: BindingKind = 'inbound-route'): BindingIdentity => ({
  organization: 'org-1',
  kind,
  ownerPack: 'dev.example.north',
  packInstallation: place.packInstallationId,
  businessKey: `record/${kind}`,
  definitionVersion: '1',
});

describe('register-pack', () => {
  it('registered: con:DEFN-W manifest and definitions are stored byte for byte', async () => {
    const input = pack();
    const place = placeOf(await registerPack(schema.db, input));
    expect(place).toMatchObject({ kind: 'registered', payloadDigest: packManifest.parse(input.manifest).digest });
    expect(await readGeneration(schema.db, place.payloadDigest)).toMatchObject({ storageId: place.storageId, manifest: input.manifest });
    for (const { kind, bytes } of input.definitions) {
      const key = { storageId: place.storageId, kind, businessKey: `record/${kind}`, definitionVersion: '1' };
      expect(await readDefinition(schema.db, key)).toMatchObject({ bytes });
    }
  });

  it('already-registered: con:DEFN-M the same bytes again are the same generation', async () => {
    const first = placeOf(await registerPack(schema.db, pack()));
    expect(await registerPack(schema.db, pack())).toEqual({ ...first, kind: 'already-registered' });
    expect([await countOf(schema, 'pck_generation'), await countOf(schema, 'pck_definition')]).toEqual([1, 4]);
  });

  it('already-registered: of concurrent registrations one stores the generation', async () => {
    // Two that wait for the same row may be told to run again, as whoever asks does.
    const registered = () => retrying(ANSWER_SOON, () => registerPack(schema.db, pack()));
    const kinds = (await Promise.all([1, 2, 3].map(() => registered()))).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['already-registered', 'already-registered', 'registered']);
  });

  it('conflicting-version: other bytes under a used version are refused with both digests', async () => {
    const first = placeOf(await registerPack(schema.db, pack()));
    const other = pack('1.0.0', 'y');
    const givenDigest = packManifest.parse(other.manifest).digest;
    expect(await registerPack(schema.db, other)).toEqual({ kind: 'conflicting-version', storedDigest: first.payloadDigest, givenDigest });
    expect(await countOf(schema, 'pck_generation')).toBe(1);
  });

  it('conflicting-version: an organization that is refused has nothing of the pack then', async () => {
    await registerPack(schema.db, pack());
    expect(await registerPack(schema.db, { ...pack('1.0.0', 'y'), organization: 'org-2' })).toMatchObject({ kind: 'conflicting-version' });
    expect(await countOf(schema, 'pck_installation')).toBe(1);
    expect(await readPackAudit(schema.db, 'org-2')).toEqual([]);
  });

  it('registered: cat:A-47 who asked is told in the same commit, of the organization; what wrote nothing tells nothing', async () => {
    const place = placeOf(await registerPack(schema.db, pack()));
    const second = placeOf(await registerPack(schema.db, { ...pack(), caller: 'operator n.roth', organization: 'org-2' }));
    await registerPack(schema.db, { ...pack(), caller: 'operator n.roth' });
    const told = async (organization: string) =>
      (await readPackAudit(schema.db, organization)).map(({ door, caller, details }) => [door, caller, JSON.parse(details)]);
    const { storageId: storage_id, payloadDigest: payload_digest } = place;
    const details = { owner_pack: 'dev.example.north', pack_version: '1.0.0', payload_digest, storage_id };
    const of = ({ packInstallationId: pack_installation_id }: PackPlace) => ({ ...details, pack_installation_id });
    expect(await told('org-1')).toEqual([['register-pack', PACK_OWNER, of(place)]]);
    expect(await told('org-2')).toEqual([['register-pack', 'operator n.roth', of(second)]]);
  });

  it('registered: one installation id per organization and pack, kept over versions', async () => {
    const first = placeOf(await registerPack(schema.db, pack()));
    const second = placeOf(await registerPack(schema.db, pack('1.1.0')));
    const elsewhere = placeOf(await registerPack(schema.db, { ...pack(), organization: 'org-2' }));
    expect(second.packInstallationId).toBe(first.packInstallationId);
    expect(second.storageId).not.toBe(first.storageId);
    expect([elsewhere.storageId, elsewhere.packInstallationId === first.packInstallationId]).toEqual([first.storageId, false]);
  });

  const [one, ...rest] = pack().definitions;
  const changedTo = (change: Partial<PackDefinition>): readonly PackDefinition[] => (one ? [{ ...one, ...change }, ...rest] : rest);
  it.each<[string, readonly PackDefinition[]]>([
    ['definition-missing', rest],
    ['definition-extra', changedTo({ businessKey: 'record/other' })],
    ['definition-extra', changedTo({ kind: 'push-contract' })],
    ['definition-repeated', changedTo({}).concat(changedTo({}).slice(0, 1))],
    ['definition-not-canonical', changedTo({ bytes: Buffer.from('{ "note":"x"}') })],
    ['digest-differs', changedTo({ bytes: Buffer.from('{"note":"y"}') })],
  ])('definitions-differ: %s, and nothing is stored', async (reason, definitions) => {
    expect(await registerPack(schema.db, { ...pack(), definitions })).toMatchObject({ kind: 'definitions-differ', reason });
    expect([await countOf(schema, 'pck_generation'), await countOf(schema, 'pck_installation')]).toEqual([0, 0]);
  });

  it('refused: a manifest that is not canonical, or declares extensions', async () => {
    await expect(registerPack(schema.db, { ...pack(), manifest: Buffer.concat([pack().manifest, Buffer.from('\n')]) })).rejects.toThrow();
    const extensions = [{ name: 'a', raw_sha256: OTHER, byte_length: 1 }];
    const manifest = packManifest.build({ ...manifestOf('1.0.0', 'x'), extensions }).bytes;
    await expect(registerPack(schema.db, { ...pack(), manifest })).rejects.toMatchObject({ code: 'HOUSE:packs:Extensions' });
  });
});

describe('read-exact', () => {
  it.each(KINDS)('found: con:DEFN-K con:DEFN-F the %s with a receipt of the same bytes every time', async (kind) => {
    const place = placeOf(await registerPack(schema.db, pack()));
    const proof = await readExact(schema.db, identityIn(place, kind), place.payloadDigest);
    await registerPack(schema.db, pack('1.1.0', 'y'));
    expect(await readExact(schema.db, identityIn(place, kind), place.payloadDigest)).toEqual(proof);
    expect(proof).toMatchObject({ kind: 'found', packGenerationStorageId: place.storageId, definitionEnvelopeVersion: '1' });
    const receipt = proof.kind === 'found' && definitionReceipt.parse(proof.receiptBytes);
    expect(receipt).toMatchObject({
      digest: proof.kind === 'found' && proof.receiptDigest,
      value: { kind, pack_payload_digest: place.payloadDigest },
    });
  });

  it.each<[string, Partial<BindingIdentity>]>([
    ['GENERATION_ABSENT', { ownerPack: 'dev.example.south' }],
    ['INSTALLATION_ABSENT', { organization: 'org-9' }],
    ['INSTALLATION_ABSENT', { packInstallation: 'other' }],
    ['DEFINITION_ABSENT', { kind: 'push-contract' }],
    ['DEFINITION_ABSENT', { businessKey: 'record/other' }],
    ['DEFINITION_ABSENT', { businessKey: 'record/inbound-route ' }],
    ['DEFINITION_ABSENT', { definitionVersion: '2' }],
  ])('absent: cat:INT-12 con:FACT-02 %s for %p, never a neighbour', async (code, change) => {
    const place = placeOf(await registerPack(schema.db, pack()));
    expect(await readExact(schema.db, { ...identityIn(place), ...change }, place.payloadDigest)).toEqual({ kind: 'absent', code });
  });

  it('absent: cat:INT-12 the id under which the organization has another pack, or another organization has this one', async () => {
    const place = placeOf(await registerPack(schema.db, pack()));
    const elsewhere = placeOf(await registerPack(schema.db, { ...pack(), organization: 'org-2' }));
    const others = ['dev.example.aaa', 'dev.example.zzz'];
    for (const owner of others)
      await schema.sql("INSERT INTO pck_installation VALUES ('org-1', ?, ?, NOW(6))", [owner, owner].map(Buffer.from));
    expect(await readExact(schema.db, identityIn(place), place.payloadDigest)).toMatchObject({ kind: 'found' });
    for (const packInstallation of [...others, elsewhere.packInstallationId]) {
      const identity = { ...identityIn(place), packInstallation };
      expect(await readExact(schema.db, identity, place.payloadDigest)).toEqual({ kind: 'absent', code: 'INSTALLATION_ABSENT' });
    }
  });

  it('absent: con:FACT-02 the right identity with another payload digest', async () => {
    const place = placeOf(await registerPack(schema.db, pack()));
    expect(await readExact(schema.db, identityIn(place), OTHER)).toEqual({ kind: 'absent', code: 'GENERATION_ABSENT' });
  });

  it('mismatch: stored bytes that are not of their digest', async () => {
    const place = placeOf(await registerPack(schema.db, pack()));
    await schema.sql("UPDATE pck_definition SET definition = '{}' WHERE kind = 'inbound-route'");
    expect(await readExact(schema.db, identityIn(place), place.payloadDigest)).toEqual({ kind: 'mismatch', code: 'DIGEST_MISMATCH' });
  });
});
