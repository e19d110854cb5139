import { parseSecret } from './parse-secret';
import { S1, S1_TEXT } from './signature-vectors.fixture';

const whsec = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('parseSecret', () => {
  it('secret: the bytes behind whsec_', () => {
    expect(parseSecret('standard-webhooks', S1_TEXT)).toEqual({ kind: 'secret', secret: S1 });
  });

  it.each([24, 25, 26, 63, 64])('secret: %d bytes behind whsec_', (bytes) => {
    expect(parseSecret('standard-webhooks', whsec(bytes)).kind).toBe('secret');
  });

  it.each([
    ...[
      '',
      'whsec_',
      S1_TEXT.slice(6),
      `${S1_TEXT}\n`,
      ` ${S1_TEXT}`,
      S1_TEXT.slice(0, -1),
      `${S1_TEXT}=`,
      S1_TEXT.replace('whsec_', 'WHSEC_'),
    ],
    ...[
      S1_TEXT.replace('whsec_', 'whpk_'),
      whsec(23),
      whsec(65),
      `whsec_${Buffer.alloc(32, 0xff).toString('base64url')}`,
      `${S1_TEXT.slice(0, -2)}9=`,
    ],
  ])('malformed: %j is no Standard Webhooks secret', (text) => {
    expect(parseSecret('standard-webhooks', text).kind).toBe('malformed');
  });

  it('secret: a GitHub secret is its own UTF-8 bytes', () => {
    expect(parseSecret('github-sha256', 'github-secret')).toEqual({ kind: 'secret', secret: Buffer.from('github-secret') });
    expect(parseSecret('github-sha256', 'caf\u00e9 au lait')).toEqual({
      kind: 'secret',
      secret: Buffer.from('636166c3a9206175206c616974', 'hex'),
    });
  });

  it.each(['', 'github-secret\n', ' github-secret', '\t'])('malformed: %j would verify nothing', (text) => {
    expect(parseSecret('github-sha256', text).kind).toBe('malformed');
  });

  it('malformed: the help never repeats the text', () => {
    for (const text of ['whsec_shortsecret', 'hunter2hunter2']) {
      expect(JSON.stringify(parseSecret('standard-webhooks', text))).not.toContain(text.slice(-8));
    }
    expect(JSON.stringify(parseSecret('github-sha256', 'hunter2hunter2 '))).not.toContain('hunter2');
  });
});
