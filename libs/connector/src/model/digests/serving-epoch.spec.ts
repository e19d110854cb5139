import { Digest } from '@connector/kernel/digest';
import { DigestBuilder } from '@connector/kernel/digest-profile';
import { vectorEpoch } from '@connector/testing/vectors/serving-epoch';
import { connectorVectors, ownerVector, profiledVector } from '@connector/testing/vectors/load';
import { bindingRowDigest } from './binding';
import { servingEpochDigest, writeServingEpoch } from './serving-epoch';
import type {
  BindingPart,
  CatalogPart,
  ConfigurationPart,
  CredentialProof,
  DefinitionProof,
  ServingEpochParts,
} from './serving-epoch.parts';

const OTHER = Digest.sha256(Buffer.from('other'));
const OTHER_ID = Buffer.alloc(16, 7);
const OTHER_BYTES = Buffer.from([0xff, 0x00]);

/** The vectors' epoch with two values set apart that are equal there, so that exchanging neighbours is never without effect. */
function epoch(): ServingEpochParts {
  const parts = vectorEpoch();
  return { ...parts, proofs: parts.proofs.map((proof) => ({ ...proof, receiptVersion: '2' })) };
}

const inCatalog = (change: Partial<CatalogPart>) => (parts: ServingEpochParts) => ({ ...parts, catalog: { ...parts.catalog, ...change } });
const inConfiguration = (change: Partial<ConfigurationPart>) => (parts: ServingEpochParts) => ({
  ...parts,
  configuration: { ...parts.configuration, ...change },
});
const inBinding = (change: Partial<BindingPart>) => (parts: ServingEpochParts) => ({
  ...parts,
  bindings: parts.bindings.map((binding, at) => (at === 2 ? { ...binding, ...change } : binding)),
});
const inProof = (change: Partial<DefinitionProof>) => (parts: ServingEpochParts) => ({
  ...parts,
  proofs: parts.proofs.map((proof, at) => (at === 2 ? { ...proof, ...change } : proof)),
});
const inCredential = (change: Partial<CredentialProof>) => (parts: ServingEpochParts) => ({
  ...parts,
  credentials: parts.credentials.map((proof, at) => (at === 1 ? { ...proof, ...change } : proof)),
});

type Form = 'framed' | 'int' | 'lineage' | 'tuple';
type Change = (parts: ServingEpochParts) => ServingEpochParts;
type Element = readonly [row: string, element: string, form: Form, change: Change];

/** The requirement rows in their order, with a change of that element and of nothing else. */
const HEAD: readonly Element[] = [
  ['PRE-02', 'epoch ID', 'framed', (parts) => ({ ...parts, epochId: OTHER_ID })],
  ['PRE-03', 'serving scope digest', 'framed', (parts) => ({ ...parts, servingScope: OTHER })],
  ['PRE-04', 'organization', 'framed', inCatalog({ organization: 'x' })],
  ['PRE-05', 'application installation', 'framed', inCatalog({ installation: 'x' })],
  ['PRE-06', 'authorized workload', 'framed', inCatalog({ workload: 'x' })],
  ['PRE-07', 'lineage', 'lineage', inCatalog({ lineage: { ...epoch().catalog.lineage, activationEpoch: 4n } })],
  ['PRE-08', 'source snapshot digest', 'framed', inCatalog({ sourceSnapshotDigest: OTHER })],
  ['PRE-09', 'view digest', 'framed', inCatalog({ viewDigest: OTHER })],
  ['PRE-10', 'receipt protocol', 'framed', inCatalog({ receiptProtocol: 'x' })],
  ['PRE-11', 'lineage repeated', 'lineage', inCatalog({ receiptLineage: { ...epoch().catalog.lineage, catalogRevision: 43n } })],
  ['PRE-12', 'security epoch', 'framed', inCatalog({ securityEpoch: '8' })],
  ['PRE-13', 'capability version', 'framed', inCatalog({ capabilityVersion: '2' })],
  ['PRE-14', 'configuration generation protocol', 'framed', inConfiguration({ generationProtocol: 'x' })],
  ['PRE-15', 'configuration receipt protocol', 'framed', inConfiguration({ receiptProtocol: 'x' })],
  ['PRE-16', 'configuration generation ID', 'framed', inConfiguration({ generationId: OTHER_ID })],
  ['PRE-17', 'configuration generation digest', 'framed', inConfiguration({ generationDigest: OTHER })],
  ['PRE-18', 'configuration receipt bytes', 'framed', inConfiguration({ receipt: OTHER_BYTES })],
  ['PRE-19', 'configuration receipt digest', 'framed', inConfiguration({ receiptDigest: OTHER })],
];
const COUNT_OF_BINDINGS: Element = ['PRE-20', 'binding count', 'int', (parts) => ({ ...parts, bindings: parts.bindings.slice(0, 3) })];
const BINDING: readonly Element[] = [
  ['PRE-21', 'binding ordinal', 'int', inBinding({ ordinal: 9 })],
  ['PRE-22', 'derived row ID', 'framed', inBinding({ rowId: OTHER_ID })],
  ['PRE-23', 'identity digest', 'framed', inBinding({ identity: OTHER })],
  ['PRE-24', 'kind', 'framed', inBinding({ kind: 'field-mapping' })],
  ['PRE-25', 'owner pack', 'framed', inBinding({ ownerPack: 'x' })],
  ['PRE-26', 'pack installation', 'framed', inBinding({ packInstallation: 'x' })],
  ['PRE-27', 'pack payload digest', 'framed', inBinding({ packPayloadDigest: OTHER })],
  ['PRE-28', 'business key', 'framed', inBinding({ businessKey: 'x' })],
  ['PRE-29', 'definition version', 'framed', inBinding({ definitionVersion: '5' })],
  ['PRE-30', 'credential refs', 'framed', inBinding({ credentialRefs: [] })],
  ['PRE-31', 'Runtime tuple', 'tuple', inBinding({ runtimeCommand: null })],
  ['PRE-32', 'pack generation storage ID', 'framed', inProof({ packGenerationStorageId: 'x' })],
  ['PRE-33', 'envelope version', 'framed', inProof({ envelopeVersion: '7' })],
  ['PRE-34', 'receipt version', 'framed', inProof({ receiptVersion: '7' })],
  ['PRE-35', 'definition digest', 'framed', inProof({ definitionDigest: OTHER })],
  ['PRE-36', 'definition receipt bytes', 'framed', inProof({ receipt: OTHER_BYTES })],
  ['PRE-37', 'definition receipt digest', 'framed', inProof({ receiptDigest: OTHER })],
];
const COUNT_OF_CREDENTIALS: Element = [
  'PRE-39',
  'credential count',
  'int',
  (parts) => ({ ...parts, credentials: parts.credentials.slice(0, 1) }),
];
const CREDENTIAL: readonly Element[] = [
  ['PRE-41', 'credential ordinal', 'int', inCredential({ ordinal: 9 })],
  ['PRE-42', 'credential generation ID', 'framed', inCredential({ generationId: OTHER_ID })],
  ['PRE-43', 'credential receipt protocol', 'framed', inCredential({ receiptProtocol: 'x' })],
  ['PRE-44', 'transport digest', 'framed', inCredential({ transportDigest: OTHER })],
  ['PRE-45', 'credential receipt bytes', 'framed', inCredential({ receipt: OTHER_BYTES })],
  ['PRE-46', 'credential receipt digest', 'framed', inCredential({ receiptDigest: OTHER })],
];

interface Frame {
  readonly row: string;
  readonly place: string;
  readonly bytes: Buffer;
}

/** A reader of the preimage that shares nothing with the writer but digests.md. */
function frames(preimage: Buffer): readonly Frame[] {
  const found: Frame[] = [];
  let at = 0;
  const framed = (from: number): number => from + 8 + Number(preimage.readBigUInt64BE(from));
  const end: Readonly<Record<Form, (from: number) => number>> = {
    framed,
    int: (from) => from + 8,
    lineage: (from) => framed(from) + 16,
    tuple: (from) => (preimage[from] === 0 ? from + 1 : framed(framed(from + 1))),
  };
  const take = (row: string, form: Form, place = ''): Buffer => {
    const bytes = preimage.subarray(at, end[form](at));
    found.push({ row, place, bytes });
    at += bytes.length;
    return bytes;
  };
  const each = (elements: readonly Element[], count: bigint): void => {
    for (let item = 0; item < count; item += 1) for (const [row, , form] of elements) take(row, form, `${item}`);
  };
  take('PRE-01', 'framed');
  take('purpose', 'framed');
  for (const [row, , form] of HEAD) take(row, form);
  each(BINDING, take('PRE-20', 'int').readBigUInt64BE());
  each(CREDENTIAL, take('PRE-39', 'int').readBigUInt64BE());
  expect(at).toBe(preimage.length);
  return found;
}

const preimageOf = (parts: ServingEpochParts): Buffer => writeServingEpoch(parts).build().preimage;
const hexOf = (frame: Frame | undefined): string | undefined => frame?.bytes.toString('hex');

function changedRows(before: readonly Frame[], after: readonly Frame[]): readonly string[] {
  expect(after.length).toBe(before.length);
  return before.filter((frame, index) => hexOf(frame) !== hexOf(after[index])).map(({ row }) => row);
}

/** The digest of the same frames with the first one of `row` behind the one that follows it. */
function digestWithExchange(all: readonly Frame[], row: string): Digest {
  const at = all.findIndex((frame) => frame.row === row);
  const moved = [...all.slice(0, at), ...all.slice(at, at + 2).reverse(), ...all.slice(at + 2)];
  return Digest.sha256(Buffer.concat(moved.map(({ bytes }) => bytes)));
}

describe('serving epoch preimage', () => {
  const base = preimageOf(epoch());
  const golden = Digest.sha256(base);
  const before = frames(base);
  const single = [...HEAD, ...BINDING, ...CREDENTIAL];

  it('the order of the requirement rows, proofs behind their binding (con:PRE-32)', () => {
    const bindings = Array.from({ length: 4 }, () => BINDING.map(([row]) => row)).flat();
    const credentials = Array.from({ length: 2 }, () => CREDENTIAL.map(([row]) => row)).flat();
    const expected = ['PRE-01', 'purpose', ...HEAD.map(([row]) => row), 'PRE-20', ...bindings, 'PRE-39', ...credentials];
    expect(before.map(({ row }) => row)).toEqual(expected);
    expect(Digest.sha256(preimageOf(vectorEpoch()))).toBe(profiledVector('serving epoch').digest);
  });

  it.each(single)('another digest when (con:%s) %s is another, and no other frame moves', (row, _element, _form, change) => {
    const after = preimageOf(change(epoch()));
    expect(changedRows(before, frames(after))).toEqual([row]);
    expect(Digest.sha256(after)).not.toBe(golden);
  });

  it.each([...single, COUNT_OF_BINDINGS, COUNT_OF_CREDENTIALS])(
    'another digest when (con:%s) %s changes places with its neighbour',
    (row) => {
      expect(digestWithExchange(before, row)).not.toBe(golden);
    },
  );

  it.each([COUNT_OF_BINDINGS, COUNT_OF_CREDENTIALS])('another digest when (con:%s) %s is another', (_row, _element, _form, change) => {
    expect(writeServingEpoch(change(epoch())).build().digest).not.toBe(golden);
  });

  it('the profile ID in the first frame; another one there is another digest, and none but V2 authors (con:PRE-01, con:DIG-03)', () => {
    expect(before[0]?.bytes.subarray(8).toString('utf8')).toBe('nexuscrm.connector-digest-profile.v2');
    const v1 = Buffer.concat([base.subarray(0, 8), Buffer.from('nexuscrm.connector-digest-profile.v1'), base.subarray(44)]);
    expect(v1.length).toBe(base.length);
    expect(Digest.sha256(v1)).not.toBe(golden);
    expect(() => new DigestBuilder('nexuscrm.connector-digest-profile.v1' as never, 'serving-epoch')).toThrow('refused');
    expect(digestWithExchange(before, 'PRE-01')).not.toBe(golden);
  });
});

/** A change that keeps what is derived in step, so that only the named rule is broken. */
function bindingsOf(parts: ServingEpochParts, order: readonly number[]): readonly BindingPart[] {
  return order.map((from, ordinal) => {
    const binding = parts.bindings[from] as BindingPart;
    const row = bindingRowDigest(parts.epochId, ordinal, binding.identity);
    return { ...binding, ordinal, rowId: Digest.bytes(row.digest).subarray(0, 16) };
  });
}
function withProofs(order: readonly number[]): Change {
  return (parts) => ({ ...parts, proofs: order.map((at) => parts.proofs[at] as DefinitionProof) });
}
function withCredentials(order: readonly number[]): Change {
  return (parts) => ({ ...parts, credentials: order.map((at, ordinal) => ({ ...(parts.credentials[at] as CredentialProof), ordinal })) });
}
const foreign: CredentialProof = { ...(epoch().credentials[1] as CredentialProof), ordinal: 2, generationId: Buffer.alloc(16, 0xff) };

describe('serving epoch parts', () => {
  it.each<[string, string, Change]>([
    ['lineage-differs', 'PRE-11', inCatalog({ receiptLineage: { ...epoch().catalog.lineage, catalogRevision: 43n } })],
    ['lineage-differs', 'PRE-11', inCatalog({ receiptLineage: { ...epoch().catalog.lineage, activationEpoch: 4n } })],
    ['lineage-differs', 'PRE-11', inCatalog({ receiptLineage: { ...epoch().catalog.lineage, lineageId: 'x' } })],
    ['binding-ordinal', 'PRE-21', inBinding({ ordinal: 3 })],
    ['binding-ordinal', 'PRE-21', (parts) => ({ ...parts, bindings: [...parts.bindings].reverse() })],
    ['binding-row-id', 'PRE-22', inBinding({ rowId: OTHER_ID })],
    ['binding-identity', 'PRE-23', inBinding({ identity: OTHER })],
    ['binding-identity', 'PRE-04', inCatalog({ organization: 'x' })],
    ['binding-repeated', 'PRE-38', (parts) => ({ ...parts, bindings: bindingsOf(parts, [0, 0, 2, 3]) })],
    ['credential-refs-order', 'PRE-30', inBinding({ credentialRefs: ['b', 'a'] })],
    ['credential-refs-order', 'PRE-30', inBinding({ credentialRefs: ['a', 'a'] })],
    ['credential-order', 'PRE-40', withCredentials([1, 0])],
    ['credential-ordinal', 'PRE-41', inCredential({ ordinal: 2 })],
    ['credential-repeated', 'PRE-47', withCredentials([0, 1, 1])],
    ['credential-missing', 'PRE-47', withCredentials([0])],
    ['credential-missing', 'PRE-39', withCredentials([])],
    ['credential-extra', 'PRE-47', (parts) => ({ ...parts, credentials: [...parts.credentials, foreign] })],
  ])('refused: %s (con:%s)', (reason, _row, change) => {
    expect(servingEpochDigest(change(epoch()))).toMatchObject({ kind: 'refused', reason });
  });

  it.each<[string, Change]>([
    ['proof-missing', withProofs([0, 1, 2])],
    ['proof-extra', withProofs([0, 1, 2, 3, 3])],
    ['proof-differs', withProofs([0, 1, 3, 2])],
    ['proof-differs', inProof({ packPayloadDigest: OTHER })],
  ])('refused: %s; every proof is of one row, and every row has one (con:PRE-38, cat:INT-14)', (reason, change) => {
    expect(servingEpochDigest(change(epoch()))).toMatchObject({ kind: 'refused', reason });
  });

  it('digested: two references of the configuration may name one generation (con:PRE-47)', () => {
    const parts = vectorEpoch();
    const { credentialGenerations } = parts.configuration;
    const twice = inConfiguration({ credentialGenerations: [...credentialGenerations, ...credentialGenerations] })(parts);
    expect(servingEpochDigest(twice)).toMatchObject({ kind: 'digested', digest: profiledVector('serving epoch').digest });
  });

  it('digested: bindings in another order are another epoch (con:PRE-21)', () => {
    const parts = vectorEpoch();
    const order = [1, 0, 2, 3];
    const made = servingEpochDigest(withProofs(order)({ ...parts, bindings: bindingsOf(parts, order) }));
    expect(made.kind).toBe('digested');
    expect(made).not.toMatchObject({ digest: profiledVector('serving epoch').digest });
  });

  it('the same epoch after the source buffers are changed (con:DIG-15)', () => {
    const parts = vectorEpoch();
    const builder = writeServingEpoch(parts);
    for (const bytes of [parts.epochId, parts.configuration.receipt, ...parts.proofs.map(({ receipt }) => receipt)]) bytes.fill(0);
    expect(builder.build().digest).toBe(profiledVector('serving epoch').digest);
  });

  it('owner bytes of any encoding pass through unchanged, with the digest that the owner gave (con:DIG-11, con:DIG-12)', () => {
    const odd = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x20, 0xff, 0x0a]);
    const preimage = preimageOf(inProof({ receipt: odd, receiptDigest: OTHER })(epoch()));
    const found = frames(preimage).filter(({ place }) => place === '2');
    expect(found.find(({ row }) => row === 'PRE-36')?.bytes.subarray(8)).toEqual(odd);
    expect(found.find(({ row }) => row === 'PRE-37')?.bytes.subarray(8)).toEqual(Digest.bytes(OTHER));
    expect(Digest.sha256(odd)).not.toBe(OTHER);
  });

  it('no definition, configuration or transport document is inside, only digests of them (con:DIG-14)', () => {
    const preimage = preimageOf(vectorEpoch());
    const kept = connectorVectors.owner.filter(({ jcs_utf8 }) => preimage.includes(jcs_utf8)).map(({ name }) => name);
    expect(kept.every((name) => name.includes('receipt'))).toBe(true);
    expect(preimage.includes(Digest.bytes(ownerVector('service configuration').digest))).toBe(true);
  });
});
