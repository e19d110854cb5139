import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { resolveBroker } from '@connector/platform/broker/resolve';
import { writePrivately } from '@connector/platform/engine/files';
import { loadConfig, WakeSettings } from '@connector/platform/host/config';
import { kafkaPlace } from '@connector/platform/host/kafka-place';
import { type KafkaWake, openKafkaWake } from '@connector/platform/kafka/kafka-wake';
import { canaryNeedles } from '@connector/testing/canary-needles';
import { openSecuredBroker, type SecuredBroker } from '@connector/testing/secured-broker';
import { until, when } from '@connector/testing/system/until';
import { BROKER_WITHIN_MS } from '@connector/testing/test-broker';

const WITHIN_MS = 20_000;
const HINT = { stage: 'claim', account: 'larkspur/acme' };
type Settings = Readonly<Record<string, string>>;

describe('a broker behind TLS and a password [needs kafka]', () => {
  let broker: SecuredBroker;
  let right: Settings;
  let wrongPassword: Settings;
  /** All that was said or thrown, as deep as it goes. */
  const said: string[] = [];
  const secrets: Buffer[] = [];

  const passwordFile = async (name: string, password: string): Promise<string> => {
    const file = join(broker.folder, name);
    await writePrivately(file, `${password}\n`);
    secrets.push(Buffer.from(password));
    return file;
  };
  const keep = (what: unknown): number => said.push(inspect(what, { depth: 20, showHidden: true }));
  /** What a person reads. A place that was taken holds the password, and goes to the client alone. */
  const resolved = async (settings: Settings): Promise<string> => {
    const asked = resolveBroker({ dataDir: '/nowhere', env: { ...settings }, onProgress: keep });
    return asked.then(
      (taken) => (keep(taken.settings), 'taken'),
      (thrown: unknown) => (keep(thrown), thrown instanceof Error ? thrown.message : 'no error'),
    );
  };
  const open = async (settings: Settings, service: string): Promise<{ readonly wake: KafkaWake; readonly lines: readonly string[] }> => {
    const place = await kafkaPlace(loadConfig(WakeSettings, { ...settings }));
    const lines: string[] = [];
    const counter = { wake: () => undefined, fault: (thrown: unknown) => void keep(thrown) };
    const wake = openKafkaWake(place, { service, counter, warn: (line) => (keep(line), void lines.push(line.detail)) });
    wake.subscribe([HINT.stage], () => undefined);
    return { wake, lines };
  };

  beforeAll(async () => {
    broker = await openSecuredBroker();
    right = {
      CONNECTOR_WAKE: 'kafka',
      CONNECTOR_KAFKA_BROKERS: broker.secured,
      CONNECTOR_KAFKA_TLS: 'on',
      CONNECTOR_KAFKA_CA_FILE: broker.keys.caFile,
      CONNECTOR_KAFKA_SASL: 'scram-sha-512',
      CONNECTOR_KAFKA_USER: broker.user,
      CONNECTOR_KAFKA_PASSWORD_FILE: await passwordFile('right', broker.password),
    };
    wrongPassword = { ...right, CONNECTOR_KAFKA_PASSWORD_FILE: await passwordFile('wrong', randomBytes(18).toString('hex')) };
  }, BROKER_WITHIN_MS);
  afterAll(() => broker?.stop(), 60_000);

  it.each(['scram-sha-512', 'plain'])(
    'heard: a hint crosses it by %s, under the authority of the file, with the password of its file (engines 2)',
    async (mechanism) => {
      const settings = { ...right, CONNECTOR_KAFKA_SASL: mechanism };
      const { settings: told } = await resolveBroker({ dataDir: '/nowhere', env: { ...settings } });
      expect(told).toMatchObject({ KAFKA_TLS: 'on', KAFKA_SASL: mechanism, KAFKA_PASSWORD_FILE: right['CONNECTOR_KAFKA_PASSWORD_FILE'] });
      keep(told);
      const heard: unknown[] = [];
      const receiver = await open(settings, `receiver-${mechanism}`);
      const sender = await open(settings, `sender-${mechanism}`);
      receiver.wake.subscribe([HINT.stage], (hint) => heard.push(hint));
      await until('it is heard', WITHIN_MS, () => {
        sender.wake.emit(HINT);
        return when(heard.length > 0);
      });
      await Promise.all([receiver.wake.close(), sender.wake.close()]);
      expect(heard[0]).toEqual(HINT);
    },
    60_000,
  );

  it('taken: TLS without a password, where the broker asks for none (engines 2)', async () => {
    const { CONNECTOR_KAFKA_BROKERS: _, CONNECTOR_KAFKA_SASL: __, ...rest } = right;
    expect(await resolved({ ...rest, CONNECTOR_KAFKA_BROKERS: broker.tls })).toBe('taken');
  });

  const refusals: readonly (readonly [string, () => Settings, RegExp])[] = [
    [
      'a wrong password by scram',
      () => wrongPassword,
      /refuses user connector with this password by scram-sha-512; look at .*CONNECTOR_KAFKA_PASSWORD_FILE/,
    ],
    [
      'a wrong password by plain',
      () => ({ ...wrongPassword, CONNECTOR_KAFKA_SASL: 'plain' }),
      /refuses user connector .* by plain; look at/,
    ],
    ['an unknown user', () => ({ ...right, CONNECTOR_KAFKA_USER: 'nobody' }), /refuses user nobody .*look at CONNECTOR_KAFKA_USER/],
    [
      'a mechanism that it has not',
      () => ({ ...right, CONNECTOR_KAFKA_SASL: 'scram-sha-256' }),
      /does not know passwords by scram-sha-256; .*CONNECTOR_KAFKA_SASL/,
    ],
    [
      'no authority named',
      () => ({ ...right, CONNECTOR_KAFKA_CA_FILE: '' }),
      /signed by an authority that this machine does not know; .*CONNECTOR_KAFKA_CA_FILE/,
    ],
    [
      'another authority',
      () => ({ ...right, CONNECTOR_KAFKA_CA_FILE: broker.keys.strangerFile }),
      /signed by an authority that is not in the file of CONNECTOR_KAFKA_CA_FILE; put/,
    ],
    [
      'a name that its certificate has not',
      () => ({ ...right, CONNECTOR_KAFKA_BROKERS: broker.secured.replace('127.0.0.1', 'localhost') }),
      /certificate is for another name .*localhost.*CONNECTOR_KAFKA_BROKERS/,
    ],
    [
      'no TLS where it is expected',
      () => ({ ...right, CONNECTOR_KAFKA_TLS: 'off', CONNECTOR_KAFKA_CA_FILE: '' }),
      /expects what is not set: TLS \(CONNECTOR_KAFKA_TLS=on\)$/,
    ],
    [
      'TLS where there is none',
      () => ({ ...right, CONNECTOR_KAFKA_BROKERS: broker.plain }),
      /does not answer in TLS, and CONNECTOR_KAFKA_TLS=on expects it; /,
    ],
    [
      'no password where one is asked for',
      () => ({ ...right, CONNECTOR_KAFKA_SASL: '' }),
      /expects what is not set: a password \(CONNECTOR_KAFKA_SASL\)$/,
    ],
    [
      'a password where none is asked for',
      () => ({ ...right, CONNECTOR_KAFKA_BROKERS: broker.tls }),
      /asks for no password there, and CONNECTOR_KAFKA_SASL=scram-sha-512 sends one; /,
    ],
  ];
  it.each(refusals)(
    'BrokerRefused: %s: what was expected, what was found, what to do (engines 2)',
    async (_, settings, words) => {
      const answer = await resolved(settings());
      expect(answer).toMatch(/^the brokers of CONNECTOR_KAFKA_BROKERS \((127\.0\.0\.1|localhost):\d+\) cannot be used: /);
      expect(answer).toMatch(words);
    },
    WITHIN_MS,
  );

  it('crashed: a service with a wrong password is told so, with what to do, and is unready (decisions 2)', async () => {
    const { wake, lines } = await open(wrongPassword, 'wrong');
    await until('it crashed and said why', WITHIN_MS, () =>
      when(wake.state === 'crashed' && lines.some((line) => /look at CONNECTOR_KAFKA_USER/.test(line))),
    );
    await wake.close();
  });

  it('away: a service that has no authority or no password polls on, and one line says what is not set (decisions 2)', async () => {
    for (const [settings, words] of [
      [{ ...right, CONNECTOR_KAFKA_CA_FILE: '' }, /that authority's certificate/],
      [{ ...right, CONNECTOR_KAFKA_SASL: '' }, /a password \(CONNECTOR_KAFKA_SASL\)/],
    ] as const) {
      const { wake, lines } = await open(settings, 'away');
      await until('it said why', WITHIN_MS, () => when(wake.state === 'away' && lines.some((line) => words.test(line))));
      await wake.close();
      expect(lines.filter((line) => words.test(line))).toHaveLength(1);
    }
  }, 60_000);

  it('canary: no message, line or fault of all this holds a password in any form (engines 2)', () => {
    const text = Buffer.from(said.join('\n'));
    expect(said.length).toBeGreaterThan(refusals.length);
    const found = secrets.flatMap((secret) => canaryNeedles(secret).filter(({ bytes }) => text.includes(bytes)));
    expect(found.map(({ form }) => form)).toEqual([]);
  });
});
