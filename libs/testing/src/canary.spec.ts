import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scanBytes, scanFile, scanRow } from './canary';
import { canaryNeedles } from './canary-needles';

/** Bytes that look random and are the same in every run. */
const noise = (seed: string, length: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 32) }, (_, each) => createHash('sha256').update(`${seed} ${each}`).digest()),
  ).subarray(0, length);

const BINARY = noise('canary', 32);
const TEXT = Buffer.from('p"l/a+n t\\e&d=%Kärnten-0123456789', 'utf8');

/** Written by what really writes such things, not by the code under test. */
const PLANTED: readonly (readonly [string, (secret: Buffer) => Buffer | string])[] = [
  ['raw', (secret) => secret],
  ...[0, 1, 2, 3, 4].map((before): readonly [string, (secret: Buffer) => string] => [
    `base64 behind ${before} bytes and before others`,
    (secret) => Buffer.concat([noise('before', before), secret, noise('after', 7)]).toString('base64'),
  ]),
  ...[0, 1, 2].map((before): readonly [string, (secret: Buffer) => string] => [
    `base64url behind ${before} bytes`,
    (secret) => Buffer.concat([noise('before', before), secret, noise('after', 7)]).toString('base64url'),
  ]),
  ['hex', (secret) => secret.toString('hex')],
  ['hex in capitals', (secret) => secret.toString('hex').toUpperCase()],
  ['every byte percent-encoded', (secret) => [...secret].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')],
  ['a JSON buffer', (secret) => JSON.stringify({ secret })],
  ['a JSON string of its bytes', (secret) => JSON.stringify({ secret: secret.toString('latin1') })],
  ['a JSON string of its text', (secret) => JSON.stringify({ secret: secret.toString('utf8') })],
  ['its bytes taken for characters', (secret) => Buffer.from(secret.toString('latin1'), 'utf8')],
  ['UTF-16, little end first', (secret) => Buffer.from(secret.toString('latin1'), 'utf16le')],
  ['UTF-16, big end first', (secret) => Buffer.from(secret.toString('latin1'), 'utf16le').swap16()],
  ['its first 8 bytes', (secret) => secret.subarray(0, 8)],
  ['its last 8 bytes', (secret) => secret.subarray(-8)],
  ['the hex of its first 8 bytes', (secret) => secret.subarray(0, 8).toString('hex')],
  ['the base64 of its last 8 bytes', (secret) => secret.subarray(-8).toString('base64')],
];
const URLS: readonly (readonly [string, string])[] = [
  ['a component of a URL', `https://x/?k=${encodeURIComponent(TEXT.toString('utf8'))}`],
  ['a form', new URLSearchParams({ k: TEXT.toString('utf8') }).toString()],
];
const amid = (content: Buffer | string): Buffer => Buffer.concat([noise('left', 1_003), Buffer.from(content), noise('right', 501)]);

describe('canary scanner', () => {
  it.each(PLANTED)('found: con:INV-18 a canary planted as %s', (_, plant) => {
    for (const secret of [BINARY, TEXT]) expect(scanBytes(amid(plant(secret)), canaryNeedles(secret))).not.toEqual([]);
  });

  it.each(URLS)('found: con:INV-18 a canary planted as %s', (_, text) => {
    expect(scanBytes(amid(text), canaryNeedles(TEXT))).not.toEqual([]);
  });

  it('clean: noise, digests of the canary and another canary hold none', () => {
    const clean = [noise('other', 2_000_000), createHash('sha256').update(BINARY).digest(), Buffer.from(noise('x', 32).toString('base64'))];
    for (const secret of [BINARY, TEXT]) expect(scanBytes(Buffer.concat(clean), canaryNeedles(secret))).toEqual([]);
  });

  it('placed: a hit names its form and offset, and not the secret', () => {
    const [hit] = scanBytes(amid(BINARY), canaryNeedles(BINARY));
    expect(hit).toEqual({ form: 'raw', offset: 1_003 });
  });

  it('refused: a canary so short that chance would find it', () => {
    expect(() => canaryNeedles(Buffer.alloc(15))).toThrow(RangeError);
  });

  it('found: in a file at every place of a seam, each once', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'canary-'));
    const needles = [
      { form: 'raw', bytes: BINARY },
      { form: 'hex', bytes: Buffer.from(BINARY.toString('hex')) },
    ];
    for (let before = 0; before <= 128; before++) {
      const file = join(dir, 'f');
      await writeFile(file, Buffer.concat([noise('left', before), BINARY, noise('right', 200)]));
      expect(await scanFile(file, needles, 64)).toEqual([{ form: 'raw', offset: before }]);
    }
    await writeFile(join(dir, 'clean'), noise('other', 3_000_000));
    expect(await scanFile(join(dir, 'clean'), canaryNeedles(BINARY))).toEqual([]);
    await rm(dir, { recursive: true });
  });

  it('found: in a row, whatever type the driver gave the column', () => {
    const needles = canaryNeedles(BINARY);
    const row = {
      a: BINARY,
      b: BINARY.toString('hex'),
      c: 7n,
      d: null,
      e: new Date(0),
      f: { g: [BINARY.toString('base64')] },
      h: undefined,
    };
    expect([...new Set(scanRow(row, needles).map(({ column }) => column))]).toEqual(['a', 'b', 'f']);
    expect(scanRow({ a: noise('x', 32), c: 7n, d: null }, needles)).toEqual([]);
  });
});
