import { ArrayMaxSize, IsInt, Matches } from 'class-validator';
import { InputFault } from '@connector/kernel/faults';
import { asInt, asList, DatabaseServiceConfig, Env, forRole, loadConfig, ServiceConfig } from './config';
import { nearest } from './config-keys';

class EgressConfig extends DatabaseServiceConfig {
  @Env('CALL_SLOTS', asInt) @IsInt() callSlots: number = 16;
  @Env('POLL_MS', asList) @ArrayMaxSize(3) @Matches(/^\d+$/, { each: true }) polls: readonly string[] = ['1'];
}
const GOOD = {
  CONNECTOR_SECRETS_DIR: '/run/secrets',
  CONNECTOR_DATABASE_PORT: '4000',
  CONNECTOR_DATABASE_NAME: 'con',
  CONNECTOR_JOURNAL_NAME: 'jrn',
  CONNECTOR_DATABASE_PASSWORD_FILE: '/run/db/{role}',
  PATH: '/bin',
};
const faultsOf = (env: NodeJS.ProcessEnv): string => {
  try {
    loadConfig(EgressConfig, env);
    return '';
  } catch (fault) {
    expect(fault).toBeInstanceOf(InputFault);
    return fault instanceof InputFault ? fault.message : '';
  }
};

describe('config', () => {
  it('frozen: typed values of the class and of its bases, with loopback and info as defaults', () => {
    const config = loadConfig(EgressConfig, { ...GOOD, CONNECTOR_CALL_SLOTS: '4', CONNECTOR_POLL_MS: '1, 2', CONNECTOR_HOST: '' });
    expect(config).toMatchObject({
      callSlots: 4,
      polls: ['1', '2'],
      databasePort: 4000,
      host: '127.0.0.1',
      logLevel: 'info',
      wake: 'silent',
    });
    expect(Object.isFrozen(config)).toBe(true);
    expect(forRole(config.databasePasswordFile, 'verifier')).toBe('/run/db/verifier');
  });

  it('refused: all faults are listed together, each by the key that a person can set', () => {
    const faults = faultsOf({
      ...GOOD,
      CONNECTOR_DATABASE_PORT: '4e3',
      CONNECTOR_HOST: 'example',
      CONNECTOR_JOURNAL_NAME: '',
      CONNECTOR_DRAIN_MS: '-1',
    });
    for (const key of ['DATABASE_PORT', 'HOST', 'JOURNAL_NAME', 'DRAIN_MS'])
      expect(faults).toMatch(new RegExp(`^CONNECTOR_${key}: must`, 'm'));
    expect(faults).not.toContain('SECRETS_DIR');
  });

  it('refused: a key that nobody reads is named with its nearest match, and its value is not shown', () => {
    const faults = faultsOf({ ...GOOD, CONNECTOR_DATABASE_PASSWORD: 'planted-canary', CONNECTOR_LOGLEVEL: 'debug' });
    expect(faults).toContain('CONNECTOR_LOGLEVEL: no such key; did you mean CONNECTOR_LOG_LEVEL?');
    expect(faults).toContain('CONNECTOR_DATABASE_PASSWORD: no such key');
    expect(faults).not.toContain('planted-canary');
  });

  it('accepted: the key of another service is no fault', () => {
    expect(() => loadConfig(ServiceConfig, { CONNECTOR_SECRETS_DIR: '/s', CONNECTOR_CALL_SLOTS: 'x' })).not.toThrow();
    expect(nearest('PROT')).toBe('PORT');
  });

  it.each([
    ['KAFKA_BROKERS', {}],
    ['KAFKA_BROKERS', { CONNECTOR_KAFKA_BROKERS: 'one:9092, two' }],
    ['KAFKA_BROKERS', { CONNECTOR_KAFKA_BROKERS: 'http://one:9092' }],
    ['KAFKA_TOPIC', { CONNECTOR_KAFKA_BROKERS: 'one:9092', CONNECTOR_KAFKA_TOPIC: 'a topic' }],
    ['KAFKA_USER', { CONNECTOR_KAFKA_BROKERS: 'one:9092', CONNECTOR_KAFKA_SASL: 'plain', CONNECTOR_KAFKA_PASSWORD_FILE: '/p' }],
    ['KAFKA_PASSWORD_FILE', { CONNECTOR_KAFKA_BROKERS: 'one:9092', CONNECTOR_KAFKA_SASL: 'plain', CONNECTOR_KAFKA_USER: 'u' }],
    [
      'KAFKA_SASL',
      {
        CONNECTOR_KAFKA_BROKERS: 'one:9092',
        CONNECTOR_KAFKA_SASL: 'guess',
        CONNECTOR_KAFKA_USER: 'u',
        CONNECTOR_KAFKA_PASSWORD_FILE: '/p',
      },
    ],
  ])('refused: wakes by kafka with nothing or another form in %s (%j)', (key, given) => {
    expect(faultsOf({ ...GOOD, CONNECTOR_WAKE: 'kafka', ...given })).toMatch(new RegExp(`^CONNECTOR_${key}: [^\n]+$`));
  });

  it('accepted: brokers as a list; without wakes by kafka none are needed', () => {
    const config = loadConfig(ServiceConfig, { ...GOOD, CONNECTOR_WAKE: 'kafka', CONNECTOR_KAFKA_BROKERS: 'one:9092, [::1]:9093' });
    expect(config).toMatchObject({ kafkaBrokers: ['one:9092', '[::1]:9093'], kafkaTopic: 'connector.wake', kafkaTls: 'off' });
    expect(faultsOf({ ...GOOD, CONNECTOR_WAKE: 'local' })).toBe('');
  });
});
