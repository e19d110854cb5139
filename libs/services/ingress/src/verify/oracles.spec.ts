import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { createHmac } from 'node:crypto';
import { parseSecret } from './parse-secret';
import { NOW, S1, S1_TEXT } from './signature-vectors.fixture';
import { verifyDelivery, type VerifyDelivery } from './verify-delivery';

/** By file: the package is published for `import` only, and jest asks for `require`. */
const octokit = jest.requireActual<typeof import('@octokit/webhooks-methods', { with: { 'resolution-mode': 'import' } })>(
  '../../../../../node_modules/@octokit/webhooks-methods/dist-node/index.js',
);
const seed = 20261130;
const runs = { seed, numRuns: 150 };
const RUNS_LONG = { seed, numRuns: 3 };
const MIB = 1_048_576;

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
/** Empty, text, control characters, and bytes that are no UTF-8. */
const anyBody = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  bytes(400),
  fc.string({ unit: 'binary', maxLength: 200 }).map((text) => Buffer.from(text)),
);
const textBody = fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme', maxLength: 200 }), fc.json());
const longBody = bytes(64).map((some) => Buffer.alloc(MIB, some.length > 0 ? some : Buffer.from([0xff])));
const id = fc.stringMatching(/^[!-~]{1,60}$/).filter((text) => !text.includes('.'));
const secretText = bytes(40).map((some) => `whsec_${Buffer.concat([some, Buffer.alloc(24, 7)]).toString('base64')}`);
const plainSecret = fc.stringMatching(/^[!-~]{1,60}$/);

const isText = (body: Buffer): boolean => Buffer.from(body.toString('utf8'), 'utf8').equals(body);
function bytesOf(scheme: 'standard-webhooks' | 'github-sha256', text: string): Buffer {
  const parsed = parseSecret(scheme, text);
  if (parsed.kind !== 'secret') throw new Error(parsed.help);
  return parsed.secret;
}
/** One bit of a body, of its signature or of its id. */
const flipAt = (text: string, at: number): string => {
  const place = at % text.length;
  return `${text.slice(0, place)}${text[place] === 'A' ? 'B' : 'A'}${text.slice(place + 1)}`;
};

describe('standardwebhooks as oracle, both ways', () => {
  beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(NOW * 1_000));
  afterEach(() => jest.restoreAllMocks());

  const headersOf = (key: string, signature: string, at = NOW): string[] => [
    ...['webhook-id', key, 'webhook-timestamp', String(at)],
    ...['webhook-signature', signature],
  ];
  function ours(headers: readonly string[], body: Buffer, secret: Buffer): VerifyDelivery {
    const keys = [{ version: 1, secret }];
    return verifyDelivery('standard-webhooks', { rawHeaders: headers, body, keys, now: NOW, toleranceSeconds: 300 });
  }
  function theirs(headers: readonly string[], body: Buffer, secret: string): boolean {
    const named = Object.fromEntries([0, 2, 4].map((at) => [headers[at] ?? '', headers[at + 1] ?? '']));
    try {
      new Webhook(secret).verify(body, named, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  }
  const sign = (secret: Buffer, key: string, body: Buffer, at = NOW): string =>
    `v1,${createHmac('sha256', secret).update(`${key}.${at}.`).update(body).digest('base64')}`;

  it('verified: whatever text they sign, under any secret, id and time within the tolerance', () => {
    fc.assert(
      fc.property(textBody, id, secretText, fc.integer({ min: NOW - 300, max: NOW + 300 }), (body, key, secret, at) => {
        const signature = new Webhook(secret).sign(key, new Date(at * 1_000), body);
        const found = ours(headersOf(key, signature, at), Buffer.from(body), bytesOf('standard-webhooks', secret));
        expect(found).toEqual({ kind: 'verified', keyVersion: 1, transportKey: key });
      }),
      runs,
    );
  });

  it('verified: of bytes that are no text, the signature over the bytes and not over their replacement', () => {
    fc.assert(
      fc.property(anyBody, id, (body, key) => {
        expect(ours(headersOf(key, sign(S1, key, body)), body, S1).kind).toBe('verified');
        // The oracle signs what decoding leaves: equal for text, and for nothing else.
        const theirSignature = new Webhook(S1_TEXT).sign(key, new Date(NOW * 1_000), body.toString('utf8'));
        expect(ours(headersOf(key, theirSignature), body, S1).kind === 'verified').toBe(isText(body));
      }),
      runs,
    );
  });

  it('accepted by them: whatever we sign over a text, and refused by both after one change', () => {
    fc.assert(
      fc.property(textBody, id, fc.nat(), (text, key, at) => {
        const body = Buffer.from(text);
        const signature = sign(S1, key, body);
        expect(theirs(headersOf(key, signature), body, S1_TEXT)).toBe(true);
        const changed: [string[], Buffer][] = [
          [headersOf(key, `v1,${flipAt(signature.slice(3, 45), at)}${signature.slice(45)}`), body],
          [headersOf(flipAt(key, at), signature), body],
          [headersOf(key, signature, NOW + 1), body],
          [headersOf(key, signature), Buffer.concat([body, Buffer.from('\n')])],
        ];
        for (const [headers, given] of changed) {
          expect([ours(headers, given, S1).kind, theirs(headers, given, S1_TEXT)]).toEqual(['refused', false]);
        }
      }),
      runs,
    );
  });

  it('both: a list of signatures with one that fits, and a time outside the tolerance', () => {
    fc.assert(
      fc.property(id, fc.array(fc.constantFrom('v1,AAAA', 'v2,xyz', 'v1', ''), { maxLength: 6 }), fc.nat(6), (key, others, place) => {
        const body = Buffer.from('{}');
        const list = [...others.slice(0, place), sign(S1, key, body), ...others.slice(place)].join(' ');
        expect([ours(headersOf(key, list), body, S1).kind, theirs(headersOf(key, list), body, S1_TEXT)]).toEqual(['verified', true]);
        for (const at of [NOW - 301, NOW + 301]) {
          const headers = headersOf(key, sign(S1, key, body, at), at);
          expect([ours(headers, body, S1).kind, theirs(headers, body, S1_TEXT)]).toEqual(['refused', false]);
        }
      }),
      runs,
    );
  });

  it('both: one MiB', () => {
    fc.assert(
      fc.property(longBody, id, (body, key) => {
        expect(ours(headersOf(key, sign(S1, key, body)), body, S1).kind).toBe('verified');
        const ascii = Buffer.from(body.map((byte) => byte & 0x7f));
        const signature = new Webhook(S1_TEXT).sign(key, new Date(NOW * 1_000), ascii);
        expect(ours(headersOf(key, signature), ascii, S1).kind).toBe('verified');
        expect(theirs(headersOf(key, sign(S1, key, ascii)), ascii, S1_TEXT)).toBe(true);
      }),
      RUNS_LONG,
    );
  });
});

describe('@octokit/webhooks-methods as oracle, both ways', () => {
  const ours = (signature: string, body: Buffer, secret: string): boolean =>
    verifyDelivery('github-sha256', {
      rawHeaders: ['X-GitHub-Delivery', 'd1', 'X-Hub-Signature-256', signature],
      body,
      keys: [{ version: 1, secret: bytesOf('github-sha256', secret) }],
      now: NOW,
      toleranceSeconds: 300,
    }).kind === 'verified';
  const sign = (secret: string, body: Buffer): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

  it('verified: whatever text they sign, under any secret', async () => {
    await fc.assert(
      fc.asyncProperty(
        textBody.filter((text) => text !== ''),
        plainSecret,
        async (text, secret) => {
          expect(ours(await octokit.sign(secret, text), Buffer.from(text), secret)).toBe(true);
        },
      ),
      runs,
    );
  });

  it('accepted by them: whatever we sign over a text, and refused by both after one change', async () => {
    await fc.assert(
      fc.asyncProperty(
        textBody.filter((text) => text !== ''),
        plainSecret,
        fc.nat(),
        async (text, secret, at) => {
          const body = Buffer.from(text);
          const signature = sign(secret, body);
          expect(await octokit.verify(secret, text, signature)).toBe(true);
          const altered = `sha256=${flipAt(signature.slice(7).toUpperCase(), at).toLowerCase()}`;
          expect([ours(altered, body, secret), await octokit.verify(secret, text, altered)]).toEqual([false, false]);
          expect([ours(signature, Buffer.from(`${text} `), secret), await octokit.verify(secret, `${text} `, signature)]).toEqual([
            false,
            false,
          ]);
        },
      ),
      runs,
    );
  });

  it('verified: empty bodies, one MiB and bytes that are no text, which the oracle does not sign', () => {
    fc.assert(
      fc.property(anyBody, plainSecret, (body, secret) => expect(ours(sign(secret, body), body, secret)).toBe(true)),
      runs,
    );
    fc.assert(
      fc.property(longBody, plainSecret, (body, secret) => expect(ours(sign(secret, body), body, secret)).toBe(true)),
      RUNS_LONG,
    );
  });
});
