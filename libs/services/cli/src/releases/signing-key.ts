import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { KeyId, signedBytes } from '@connector/catalog/model/signing';
import { CliFailure, EXIT } from '../exit';
import { notThere, readGiven } from '../files';
import { membersOf } from '../members';

/** What signs for a publisher. The private half stays in its file and in this process. */
export interface SigningKey {
  readonly keyId: KeyId;
  /** 32 raw bytes. */
  readonly publicKey: Buffer;
  /** Ed25519 over `separator 00 statement`. */
  sign(separator: string, statement: Uint8Array): Buffer;
}

const KEY_FILE_BYTES_MAX = 4_096;
const OTHERS = 0o077;

/** A new key as PKCS #8 PEM, for its owner alone. A file that is there is never written over: it may be the only copy of another key. */
export async function makeKeyFile(file: string): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  await writeFile(file, pem, { mode: 0o600, flag: 'wx' }).catch((thrown: unknown) => {
    throw membersOf(thrown)['code'] === 'EEXIST'
      ? new CliFailure(EXIT.refused, [`${file} is there already, and it may be the only copy of a key.`, '  Do       name another file'])
      : notThere(file, thrown, 'written');
  });
  return keyOf(privateKey);
}

/** The key of such a file. Refused where others may read it, or where it is no Ed25519 key; nothing of its content is ever repeated. */
export async function readKeyFile(file: string): Promise<SigningKey> {
  const bytes = await readGiven(file, KEY_FILE_BYTES_MAX);
  if (((await stat(file)).mode & OTHERS) !== 0) {
    throw new CliFailure(EXIT.refused, [`${file} can be read by others, so the key is not yours alone.`, `  Do       chmod 600 ${file}`]);
  }
  const key = privateKeyIn(bytes);
  if (key?.asymmetricKeyType === 'ed25519') return keyOf(key);
  throw new CliFailure(EXIT.usage, [
    `${file} has no Ed25519 private key as PEM.`,
    `  Do       connector publishers keygen --out <file> makes one`,
  ]);
}

function privateKeyIn(bytes: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(bytes);
  } catch {
    // Its message may quote what was read.
    return undefined;
  }
}

function keyOf(privateKey: KeyObject): SigningKey {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url');
  return {
    keyId: KeyId.of(publicKey),
    publicKey,
    sign: (separator, statement) => sign(null, signedBytes(separator, statement), privateKey),
  };
}
