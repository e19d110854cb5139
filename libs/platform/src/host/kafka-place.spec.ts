import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { loadConfig, WakeSettings } from './config';
import { kafkaPlace } from './kafka-place';

/** Of whom does not matter: it is never used. */
const [CA = ''] = rootCertificates;

describe('how brokers are reached', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kafka-'));
    file = join(folder, 'password');
    await writeFile(file, 'planted-canary\n', { mode: 0o600 });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const placeOf = (more: NodeJS.ProcessEnv) =>
    kafkaPlace(loadConfig(WakeSettings, { CONNECTOR_WAKE: 'kafka', CONNECTOR_KAFKA_BROKERS: 'one:9092', ...more }));
  const sasl = (mechanism: string): NodeJS.ProcessEnv => ({
    CONNECTOR_KAFKA_SASL: mechanism,
    CONNECTOR_KAFKA_USER: 'u',
    CONNECTOR_KAFKA_PASSWORD_FILE: file,
  });

  it('plain: neither TLS nor a password where none was asked for', async () => {
    expect(await placeOf({})).toEqual({ brokers: ['one:9092'], topic: 'connector.wake' });
  });

  it('read: the password of its file, the authority of its own', async () => {
    await writeFile(join(folder, 'ca.pem'), CA);
    const tls = { CONNECTOR_KAFKA_TLS: 'on', CONNECTOR_KAFKA_CA_FILE: join(folder, 'ca.pem') };
    expect(await placeOf({ ...sasl('plain'), ...tls })).toMatchObject({
      tls: { ca: CA },
      sasl: { mechanism: 'plain', username: 'u', password: 'planted-canary' },
    });
  });

  it('PasswordReadable: a mechanism that sends the password itself is refused without TLS, one that does not is not', async () => {
    await expect(placeOf(sasl('plain'))).rejects.toMatchObject({ code: 'HOUSE:wake:PasswordReadable' });
    await expect(placeOf(sasl('scram-sha-512'))).resolves.toMatchObject({ sasl: { mechanism: 'scram-sha-512' } });
  });

  it('CaWithoutTls: an authority with TLS off is refused, for the hints would travel readable', async () => {
    await writeFile(join(folder, 'ca.pem'), CA);
    await expect(placeOf({ CONNECTOR_KAFKA_CA_FILE: join(folder, 'ca.pem') })).rejects.toMatchObject({ code: 'HOUSE:wake:CaWithoutTls' });
  });

  it('CaUnreadable: a file that is not there or holds no certificate is refused by its name, and nothing of it is shown', async () => {
    const tls = (named: string): NodeJS.ProcessEnv => ({ CONNECTOR_KAFKA_TLS: 'on', CONNECTOR_KAFKA_CA_FILE: named });
    await expect(placeOf(tls(join(folder, 'absent')))).rejects.toThrow(/CONNECTOR_KAFKA_CA_FILE must .*absent cannot be read \(ENOENT\)/);
    const refused: unknown = await placeOf(tls(file)).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: 'HOUSE:wake:CaUnreadable' });
    expect(String(refused)).not.toContain('planted-canary');
  });

  it('Exposed: a password that others can read is refused and not shown', async () => {
    await chmod(file, 0o644);
    const refused: unknown = await placeOf(sasl('scram-sha-256')).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: 'HOUSE:secrets:Exposed' });
    expect(String(refused)).not.toContain('planted-canary');
  });
});
