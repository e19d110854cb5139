import { Digest } from '@connector/kernel/digest';
import { InputFault } from '@connector/kernel/faults';
import { appCases, appVectors } from '@connector/testing/vectors/load';
import {
  Alias,
  AppId,
  CapabilityId,
  ComponentKind,
  HandlerRef,
  type Identifier,
  LocalComponentKey,
  NamespaceId,
  ProtocolId,
  PublisherId,
  WorkloadId,
} from './identifier';

const NAMED: Readonly<Record<string, Identifier<string>>> = {
  PublisherId,
  AppId,
  CapabilityId,
  HandlerRef,
  NamespaceId,
  ComponentKind,
  ProtocolId,
  WorkloadId,
};
const S63 = 'a'.repeat(63);
const refuses = (one: Identifier<string>, text: string): void => {
  expect({ text, is: one.is(text) }).toEqual({ text, is: false });
  expect(() => one.parse(text)).toThrow(InputFault);
};
const accepts = (one: Identifier<string>, text: string): void => expect(one.parse(text)).toBe(text);

describe('identifiers', () => {
  it('accepted: segments of 1 to 63 bytes, and every name of the contract (cat:ID-01, cat:ID-02, cat:ID-03)', () => {
    for (const text of [...appCases.named_id_accept, `a.${S63}`, `${S63}.${S63}`]) accepts(PublisherId, text);
    expect(`${S63}.${'b'.repeat(62)}.c`).toHaveLength(128);
    accepts(PublisherId, `${S63}.${'b'.repeat(62)}.c`);
  });

  it('refused: every name that the contract refuses, and never a repaired one (cat:ID-01, cat:ID-02, cat:ID-03, cat:ID-05)', () => {
    const more = [
      `a.${S63}b`,
      `${S63}.${'b'.repeat(62)}.cc`,
      'io',
      'a-',
      '\tа.b',
      'a.b\u00a0',
      'a\uff0eb',
      'i\u043e.nexuscrm',
      'A.B',
      'a.b\n',
      'a.b\0',
    ];
    for (const text of [...appCases.named_id_reject, ...more]) refuses(PublisherId, text);
  });

  it.each(Object.entries(NAMED))('refused: one table for every kind of name, %s too (cat:ID-04, cat:A-05, cat:A-06)', (_name, one) => {
    for (const text of appCases.named_id_reject) refuses(one, text);
    for (const text of appCases.named_id_reject) refuses(one, `${text}.x.v1 `);
  });

  it('refused: an AppID of two segments, which is a PublisherID (cat:ID-07)', () => {
    refuses(AppId, 'io.nexuscrm');
    accepts(PublisherId, 'io.nexuscrm');
    accepts(AppId, 'io.nexuscrm.sfcrm');
  });

  it.each(Object.entries({ CapabilityId, HandlerRef, ComponentKind }))(
    'refused: %s without a major version at its end (cat:ID-08)',
    (_name, one) => {
      for (const end of ['v0', 'v01', 'v', 'V1', 'x', 'v1x', 'v-1', 'v1.']) refuses(one, `a.b.${end}`);
      for (const end of ['v1', 'v10', 'v4294967296']) accepts(one, `a.b.${end}`);
      refuses(one, 'v1');
    },
  );

  it('refused: a protocol whose name ends like a version, because its major is a member of its own (cat:A-07)', () => {
    for (const text of ['a.v1', 'a.b.v10', 'a.v0']) refuses(ProtocolId, text);
    for (const text of ['nexuscrm.host-sdk', 'a.v1.b', 'a.vx']) accepts(ProtocolId, text);
  });

  it('accepted: an alias is one segment (cat:A-08)', () => {
    for (const text of ['base', 'a', S63, 'a-b']) accepts(Alias, text);
    for (const text of ['a.b', '', `${S63}a`, 'a-', 'Base', '1a', 'a\n']) refuses(Alias, text);
  });

  it('refused: a key that is not its prefix and 64 lower-case hex digits (cat:ID-15, cat:ID-16)', () => {
    const hex = 'ab'.repeat(32);
    accepts(LocalComponentKey, `key256:${hex}`);
    expect(Digest.parse(`sha256:${hex}`)).toBe(`sha256:${hex}`);
    const bad = (prefix: string) => [hex.toUpperCase(), hex.slice(1), `${hex}a`, `${hex}\n`].map((digits) => prefix + digits);
    for (const text of [...bad('key256:'), `sha256:${hex}`, hex]) refuses(LocalComponentKey, text);
    for (const text of [...bad('sha256:'), `key256:${hex}`, hex]) expect(() => Digest.parse(text)).toThrow(InputFault);
  });

  it('refused: a PublisherID that is an address or the fingerprint of a key (cat:PUB-02)', () => {
    for (const text of ['https://io.nexuscrm', 'io.nexuscrm/path', `ed25519:${'a'.repeat(64)}`, `sha256:${'a'.repeat(64)}`, 'SHA256.abc'])
      refuses(PublisherId, text);
  });

  it('refused: a capability that is a route, a method or a sentence (cat:MAN-16)', () => {
    for (const text of [
      '/services/data',
      'GET.records.v1',
      'records.evaluateAccess.v1',
      'records.evaluate access.v1',
      'records.evaluate().v1',
    ])
      refuses(CapabilityId, text);
  });

  it('the same only when the bytes are the same: lookalikes are not names at all (cat:ID-05)', () => {
    for (const text of ['x.y ', 'X.y', 'x.\u0443']) refuses(NamespaceId, text);
  });

  it('accepted: the names of the first App, byte for byte (cat:GEN-04)', () => {
    const { app_manifest: manifest } = appVectors.release_1_0_0;
    const handler = 'io.nexuscrm.sfcrm.handler.ui.record-access.v1';
    expect([manifest['publisher_id'], manifest['app_id']]).toEqual([PublisherId.parse('io.nexuscrm'), AppId.parse('io.nexuscrm.sfcrm')]);
    expect(manifest['provided_capabilities']).toContainEqual({
      capability_id: CapabilityId.parse('io.nexuscrm.sfcrm.ui.record-access.v1'),
      kind: 'service-handler',
      handler_ref: HandlerRef.parse(handler),
      required_runtime_capabilities: [CapabilityId.parse('runtime.records.evaluate-access.v1')],
    });
  });
});
