/** One way in which a secret can lie somewhere. */
export interface Needle {
  readonly form: string;
  readonly bytes: Buffer;
}

const SECRET_BYTES_MIN = 16;
const ENDS_BYTES = 8;
const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * Every form of a canary of at least 16 random bytes that the scanner looks for: raw, base64 and base64url in the three alignments, hex, URL,
 * JSON, UTF-16, bytes taken for characters, a list of numbers, and the first and last 8 bytes.
 */
export function canaryNeedles(secret: Buffer): Needle[] {
  if (secret.length < SECRET_BYTES_MIN) throw new RangeError(`a canary has at least ${SECRET_BYTES_MIN} bytes`);
  const ends = [...byteForms('first 8, ', secret.subarray(0, ENDS_BYTES)), ...byteForms('last 8, ', secret.subarray(-ENDS_BYTES))];
  return distinct([...byteForms('', secret), ...textForms(secret), ...ends]);
}

/** The canary as a piece of bytes. */
function byteForms(prefix: string, bytes: Buffer): readonly Needle[] {
  const hex = bytes.toString('hex');
  const forms: readonly (readonly [string, Buffer | string])[] = [
    ['raw', bytes],
    ['hex', hex],
    ['HEX', hex.toUpperCase()],
    ['list of numbers', [...bytes].join(',')],
    ...[0, 1, 2].flatMap((before) => base64Forms(bytes, before)),
  ];
  return forms.map(([form, content]) => ({ form: `${prefix}${form}`, bytes: Buffer.from(content) }));
}

/** The characters that depend on the canary alone when `before` bytes (modulo 3) stand before it in what was encoded. */
function base64Forms(bytes: Buffer, before: number): readonly (readonly [string, string])[] {
  const first = Math.ceil((before * 8) / 6);
  const last = Math.floor(((before + bytes.length) * 8) / 6);
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .slice(first, last);
  return [
    [`base64 +${before}`, text],
    [`base64url +${before}`, text.replaceAll('+', '-').replaceAll('/', '_')],
  ];
}

/** The canary as somebody who took its bytes for text would write it. */
function textForms(secret: Buffer): readonly Needle[] {
  const latin1 = secret.toString('latin1');
  const percent = secret.toString('hex').replaceAll(/../g, '%$&');
  const forms: readonly (readonly [string, Buffer | string])[] = [
    ['url, every byte', percent],
    ['URL, every byte', percent.toUpperCase()],
    ['url', urlForm(secret, (hex) => hex)],
    ['URL', urlForm(secret, (hex) => hex.toUpperCase())],
    ['form url', urlForm(secret, (hex) => hex.toUpperCase()).replaceAll('%20', '+')],
    ['json', jsonForm(latin1)],
    ['JSON, ASCII only', [...latin1].map(asciiJson).join('')],
    ['bytes as characters', Buffer.from(latin1, 'utf8')],
    ['utf-8 text', Buffer.from(secret.toString('utf8'), 'utf8')],
    ['json of utf-8 text', jsonForm(secret.toString('utf8'))],
    ['utf-16le', Buffer.from(latin1, 'utf16le')],
    ['utf-16be', Buffer.from(latin1, 'utf16le').swap16()],
  ];
  return forms.map(([form, content]) => ({ form, bytes: Buffer.from(content) }));
}

function urlForm(secret: Buffer, write: (hex: string) => string): string {
  return [...secret]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[\w.~-]/.test(char) ? char : `%${write(byte.toString(16).padStart(2, '0'))}`;
    })
    .join('');
}

const jsonForm = (text: string): string => JSON.stringify(text).slice(1, -1);
const asciiJson = (char: string): string =>
  PRINTABLE.test(char) ? jsonForm(char) : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** For a canary of plain letters many forms are the same bytes; the first name stays. */
function distinct(needles: readonly Needle[]): Needle[] {
  const seen = new Map<string, Needle>();
  for (const needle of needles) {
    const key = needle.bytes.toString('latin1');
    if (!seen.has(key)) seen.set(key, needle);
  }
  return [...seen.values()];
}
