import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from '@connector/platform/engine/run';

const STEP_WITHIN_MS = 60_000;

/** An authority and a server's key that it signed, for 127.0.0.1. Made by the keytool that comes with every Java; nobody else trusts it. */
export interface BrokerKeys {
  /** PKCS #12. */
  readonly store: string;
  readonly storePassword: string;
  /** PEM. */
  readonly caFile: string;
  /** PEM, of an authority that signed nothing. */
  readonly strangerFile: string;
}

export async function makeBrokerKeys(java: string, folder: string): Promise<BrokerKeys> {
  const keytool = join(dirname(await realpath(java)), 'keytool');
  const storePassword = randomBytes(18).toString('hex');
  const fileOf = (name: string): string => join(folder, name);
  const tool = (command: string, store: string, ...args: readonly string[]): Promise<void> => {
    const shared = ['-keystore', fileOf(store), '-storetype', 'PKCS12', '-storepass:env', 'STORE_PASSWORD', '-noprompt'];
    const env = { ...process.env, STORE_PASSWORD: storePassword };
    return run(keytool, [command, ...shared, ...args], { withinMs: STEP_WITHIN_MS, env });
  };
  const key = ['-keyalg', 'EC', '-groupname', 'secp256r1', '-validity', '2'];
  const pem = (alias: string, file: string): readonly string[] => ['-alias', alias, '-rfc', '-file', fileOf(file)];
  await Promise.all([
    tool('-genkeypair', 'ca.p12', ...key, '-alias', 'ca', '-dname', 'CN=test authority', '-ext', 'bc:critical=ca:true'),
    tool('-genkeypair', 'stranger.p12', ...key, '-alias', 'ca', '-dname', 'CN=stranger', '-ext', 'bc:critical=ca:true'),
    tool('-genkeypair', 'server.p12', ...key, '-alias', 'server', '-dname', 'CN=127.0.0.1'),
  ]);
  await Promise.all([
    tool('-exportcert', 'ca.p12', ...pem('ca', 'ca.pem')),
    tool('-exportcert', 'stranger.p12', ...pem('ca', 'stranger.pem')),
    tool('-certreq', 'server.p12', '-alias', 'server', '-file', fileOf('server.csr')),
  ]);
  const signed = ['-alias', 'ca', '-rfc', '-validity', '2', '-ext', 'san=ip:127.0.0.1'];
  await tool('-gencert', 'ca.p12', ...signed, '-infile', fileOf('server.csr'), '-outfile', fileOf('server.pem'));
  await tool('-importcert', 'server.p12', '-alias', 'ca', '-file', fileOf('ca.pem'));
  await tool('-importcert', 'server.p12', '-alias', 'server', '-file', fileOf('server.pem'));
  return { store: fileOf('server.p12'), storePassword, caFile: fileOf('ca.pem'), strangerFile: fileOf('stranger.pem') };
}
