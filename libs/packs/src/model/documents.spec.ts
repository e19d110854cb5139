import { InputFault } from '@connector/kernel/faults';
import { BINDING_KINDS, type BindingKind } from '@connector/kernel/document-binding';
import { connectorVectors, ownerVector } from '@connector/testing/vectors/load';
import {
  bindingDefinitionDigest,
  buildBindingDefinition,
  type DefinitionReceipt,
  definitionReceipt,
  type PackManifest,
  packManifest,
} from './documents';

const PAYLOAD = connectorVectors.owner.find(({ separator }) => separator === packManifest.separator)?.name ?? '';

describe('pack documents', () => {
  const definitions = connectorVectors.owner.filter(({ separator }) => separator.endsWith('binding-definition.v1'));
  it.each(definitions.map((vector) => [vector.name, vector] as const))(
    'the bytes and digest of the vector: %s (con:DEFN-F)',
    (_name, vector) => {
      const kind = vector.kind as BindingKind;
      const made = buildBindingDefinition(kind, vector.document);
      expect(made.bytes.toString('utf8')).toBe(vector.jcs_utf8);
      expect(made.digest).toBe(vector.digest);
      expect(bindingDefinitionDigest(kind, made.bytes)).toBe(vector.digest);
    },
  );

  it('a vector for all four kinds, and another digest of the same bytes under another kind (con:DEFN-F)', () => {
    expect(definitions.map(({ kind }) => kind).sort()).toEqual([...BINDING_KINDS]);
    const digests = BINDING_KINDS.map((kind) => bindingDefinitionDigest(kind, Buffer.from('{}')));
    expect(new Set(digests).size).toBe(4);
  });

  const receipts = connectorVectors.owner.filter(({ separator }) => separator === definitionReceipt.separator);
  it.each(receipts.map((vector) => [vector.name, vector] as const))(
    'the bytes and digest of the vector: %s (con:DEFN-F)',
    (_name, vector) => {
      const made = definitionReceipt.build(vector.document as DefinitionReceipt);
      expect(made).toEqual({ bytes: Buffer.from(vector.jcs_utf8), digest: vector.digest });
      expect(definitionReceipt.parse(made.bytes).value).toEqual(vector.document);
    },
  );

  it('the bytes and digest of the vector: pack payload, whatever the order of its definitions', () => {
    const vector = ownerVector(PAYLOAD);
    const manifest = vector.document as PackManifest;
    const shuffled = { ...manifest, definitions: [...manifest.definitions].reverse() };
    for (const value of [manifest, shuffled]) {
      expect(packManifest.build(value)).toEqual({ bytes: Buffer.from(vector.jcs_utf8), digest: vector.digest });
    }
    expect(packManifest.parse(Buffer.from(vector.jcs_utf8)).value).toEqual(manifest);
  });

  it('refused: one definition or extension twice, a fifth kind, another protocol', () => {
    const manifest = ownerVector(PAYLOAD).document as PackManifest;
    const extension = { name: 'x', raw_sha256: ownerVector(PAYLOAD).digest, byte_length: 1 };
    const [first] = manifest.definitions;
    if (first === undefined) throw new Error('the vector has definitions');
    expect(() => packManifest.build({ ...manifest, definitions: [first, first] })).toThrow(InputFault);
    expect(() => packManifest.build({ ...manifest, definitions: [{ ...first, kind: 'webhook' as BindingKind }] })).toThrow(InputFault);
    expect(() => packManifest.build({ ...manifest, extensions: [extension, extension] })).toThrow(InputFault);
    const receipt = receipts[0]?.document as DefinitionReceipt;
    expect(() => definitionReceipt.build({ ...receipt, receipt_protocol: 'other' } as never)).toThrow(InputFault);
  });
});
