import { createPublicKey, verify } from 'node:crypto';
import { InputFault } from '@connector/kernel/faults';
import { signer } from '@connector/testing/fixtures/app-release';
import { requireSoundKey, signatureHolds, signedBytes } from './signing';

const SEPARATOR = 'nexuscrm.app-transfer.v1';
const STATEMENT = Buffer.from('{}');
const zeros = '00'.repeat(30);
const ones = 'ff'.repeat(30);
const EIGHTH = '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc';
const OTHER_EIGHTH = 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03';

/** The eight points of the torsion subgroup, and every other spelling of them. */
const SMALL_ORDER: readonly (readonly [string, string])[] = [
  ['order 1', `01${zeros}00`],
  ['order 2', `ec${ones}7f`],
  ['order 4', `00${zeros}00`],
  ['order 4, the other sign', `00${zeros}80`],
  ['order 8', `${EIGHTH}05`],
  ['order 8, the other sign', `${EIGHTH}85`],
  ['order 8, the other y', `${OTHER_EIGHTH}7a`],
  ['order 8, the other y and sign', `${OTHER_EIGHTH}fa`],
  ['order 1 with a sign that it cannot have', `01${zeros}80`],
  ['order 2 with a sign that it cannot have', `ec${ones}ff`],
  ['order 1 as p + 1', `ee${ones}7f`],
  ['order 1 as p + 1, signed', `ee${ones}ff`],
  ['order 4 as p', `ed${ones}7f`],
  ['order 4 as p, signed', `ed${ones}ff`],
];
const OTHER_SPELLINGS: readonly (readonly [string, string])[] = [
  ['p + 2', `ef${ones}7f`],
  ['2^255 - 1', `ff${ones}7f`],
  ['2^255 - 1, signed', `ff${ones}ff`],
];
/** For these y the curve has no x. */
const NO_POINT = ['02', '07', '08'].map((low) => [`y = ${low}`, `${low}${zeros}00`] as const);

describe('keys of publishers', () => {
  it('forged: what this refuses is real; under the key of order 1 Node holds one signature for every statement', () => {
    const bytes = Buffer.from(`01${zeros}00`, 'hex');
    const forged = Buffer.concat([bytes, Buffer.alloc(32)]);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' });
    for (const statement of [STATEMENT, Buffer.from('anything')]) {
      expect(verify(null, signedBytes(SEPARATOR, statement), key, forged)).toBe(true);
      expect(signatureHolds(bytes, SEPARATOR, statement, forged)).toBe(false);
    }
  });

  it.each([...SMALL_ORDER, ...OTHER_SPELLINGS, ...NO_POINT])('refused: a key that is no one holder’s, %s (cat:PUB-03)', (_name, hex) => {
    const bytes = Buffer.from(hex, 'hex');
    expect(bytes).toHaveLength(32);
    expect(() => requireSoundKey(bytes)).toThrow(expect.objectContaining({ code: 'CATALOG:KEY_NOT_CANONICAL' }));
  });

  it('accepted: keys that were made, whose signatures hold', () => {
    for (let made = 0; made < 20; made += 1) {
      const { key, sign } = signer('io.nexuscrm');
      expect(() => requireSoundKey(key.publicKey)).not.toThrow();
      expect(signatureHolds(key.publicKey, SEPARATOR, STATEMENT, sign(SEPARATOR, STATEMENT))).toBe(true);
    }
  });

  it('refused: a key of another length', () => {
    expect(() => requireSoundKey(Buffer.alloc(31, 7))).toThrow(InputFault);
  });
});
