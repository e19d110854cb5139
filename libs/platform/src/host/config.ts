import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsIP,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateIf,
  validateSync,
} from 'class-validator';
import { InputFault } from '@connector/kernel/faults';
import type { DbRole } from '@connector/kernel/roles';
import { LOG_LEVELS, type LogLevel } from '../telemetry/log';
import { SASL_MECHANISMS, type SaslMechanism } from '../kafka/place';
import { CONFIG_PREFIX, type ConfigKey, unknownKeys } from './config-keys';

export const WAKE_KINDS = ['kafka', 'local', 'silent'] as const;
export type WakeConfig = (typeof WAKE_KINDS)[number];

type Parse = (text: string) => unknown;
const bindings = new WeakMap<object, Map<string, { readonly key: ConfigKey; readonly parse: Parse }>>();

export const asText: Parse = (text) => text;
/** A whole decimal number; anything else stays text and fails its `@IsInt`. */
export const asInt: Parse = (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text);
export const asList: Parse = (text) => text.split(',').map((item) => item.trim());

/** Binds a property of a configuration class to `CONNECTOR_<key>`. */
export function Env(key: ConfigKey, parse: Parse = asText): PropertyDecorator {
  return (target, property) => {
    const bound = bindings.get(target) ?? new Map();
    bindings.set(target, bound.set(String(property), { key, parse }));
  };
}

const usesSasl = (config: WakeSettings): boolean => config.kafkaSasl !== undefined;

/** Which adapter carries wakes, and how brokers are reached. */
export class WakeSettings {
  @Env('WAKE') @IsIn(WAKE_KINDS) wake: WakeConfig = 'silent';
  /** `host:port`, separated by commas; needed for wakes by kafka. */
  @Env('KAFKA_BROKERS', asList)
  @ValidateIf((config: WakeSettings) => config.wake === 'kafka')
  @Matches(/^[a-zA-Z0-9.[\]:-]{1,255}:\d{1,5}$/, { each: true, message: 'must be host:port, separated by commas' })
  @ArrayMaxSize(32)
  @IsArray()
  kafkaBrokers?: readonly string[] | undefined;
  /** One a system; consumer groups are named after it. */
  @Env('KAFKA_TOPIC') @Matches(/^[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,99}$/) kafkaTopic: string = 'connector.wake';
  @Env('KAFKA_TLS') @IsIn(['on', 'off']) kafkaTls: 'on' | 'off' = 'off';
  /** Certificates of an authority of one's own, PEM. */
  @Env('KAFKA_CA_FILE') @IsOptional() @Matches(/^\//, { message: 'must be an absolute path' }) kafkaCaFile?: string | undefined;
  @Env('KAFKA_SASL') @IsOptional() @IsIn(SASL_MECHANISMS) kafkaSasl?: SaslMechanism | undefined;
  @Env('KAFKA_USER') @ValidateIf(usesSasl) @Length(1, 255) kafkaUser?: string | undefined;
  /** Mode 0600, as every secret of a file. */
  @Env('KAFKA_PASSWORD_FILE') @ValidateIf(usesSasl) @Matches(/^\//, { message: 'must be an absolute path' }) kafkaPasswordFile?:
    string | undefined;
}

/**
 * What every service is told. A service declares a class that extends this one; every field needs `@Env` and a rule. One fault a key is shown,
 * that of the rule nearest to the field: put the type there.
 */
export class ServiceConfig extends WakeSettings {
  /** Absent: the service's own port. 0: any free port. */
  @Env('PORT', asInt) @IsOptional() @Max(65_535) @Min(0) @IsInt() port?: number;
  /** Loopback unless told otherwise. */
  @Env('HOST') @IsIP() host: string = '127.0.0.1';
  @Env('LOG_LEVEL') @IsIn(LOG_LEVELS) logLevel: LogLevel = 'info';
  @Env('SECRETS_DIR') @Matches(/^\//, { message: 'must be an absolute path' }) secretsDir!: string;
  /** Exact version of the service-to-service tokens. */
  @Env('TOKENS_VERSION') @Matches(/^[a-z0-9._-]{1,100}$/) tokensVersion: string = '1';
  /** The one life of this process that termination and isolation receipts name; minted by the supervisor. */
  @Env('GENERATION') @Matches(/^[a-z0-9_-]{1,64}$/) generation: string = 'unsupervised';
  /** Id of the supervisor that started the process; absent when it was started alone. */
  @Env('SUPERVISOR') @IsOptional() @Matches(/^[a-z0-9_-]{1,64}$/) supervisor?: string;
  /** Bound of a graceful stop, ms. */
  @Env('DRAIN_MS', asInt) @Max(600_000) @Min(0) @IsInt() drainMs: number = 10_000;
}

/** A service with a database. In user and password file `{role}` stands for the database role, since some processes have two. */
export class DatabaseServiceConfig extends ServiceConfig {
  @Env('DATABASE_HOST') @IsString() @MinLength(1) databaseHost: string = '127.0.0.1';
  @Env('DATABASE_PORT', asInt) @Max(65_535) @Min(1) @IsInt() databasePort!: number;
  @Env('DATABASE_NAME') @Matches(/^[a-z0-9_]{1,64}$/) databaseName!: string;
  @Env('DATABASE_USER') @Matches(/^[a-z0-9_{}]{1,80}$/) databaseUser: string = 'con_{role}';
  @Env('DATABASE_PASSWORD_FILE') @Matches(/^\//, { message: 'must be an absolute path' }) databasePasswordFile!: string;
  @Env('DATABASE_POOL', asInt) @Max(64) @Min(1) @IsInt() databasePool: number = 8;
  @Env('JOURNAL_NAME') @Matches(/^[a-z0-9_]{1,64}$/) journalName!: string;
  /** Where the journal stands when it is not beside the main database. */
  @Env('JOURNAL_HOST') @IsOptional() @IsString() @MinLength(1) journalHost?: string;
  @Env('JOURNAL_PORT', asInt)
  @ValidateIf((config: DatabaseServiceConfig) => config.journalPort !== undefined)
  @Max(65_535)
  @Min(1)
  @IsInt()
  journalPort?: number;
}

/** `text` with `{role}` filled in. */
export const forRole = (text: string, role: DbRole): string => text.replaceAll('{role}', role);

/** Reads the environment once. All faults come together; the answer is frozen. Throws InputFault `HOUSE:config:Invalid`. */
export function loadConfig<C extends WakeSettings>(Config: new () => C, env: NodeJS.ProcessEnv): Readonly<C> {
  const config = new Config();
  const keys = new Map<string, ConfigKey>();
  for (const [property, { key, parse }] of boundTo(config)) {
    keys.set(property, key);
    const text = env[CONFIG_PREFIX + key];
    if (text !== undefined && text !== '') Reflect.set(config, property, parse(text));
  }
  const wrong = validateSync(config, { stopAtFirstError: true, validationError: { target: false, value: false } }).flatMap(
    ({ property, constraints }) =>
      Object.values(constraints ?? {}).map(
        (rule) => `${CONFIG_PREFIX}${keys.get(property) ?? property}: ${rule.replace(`${property} `, '')}`,
      ),
  );
  const faults = [...wrong, ...unknownKeys(env)];
  if (faults.length > 0) throw new InputFault('HOUSE:config:Invalid', faults.join('\n'));
  return Object.freeze(config);
}

function boundTo(config: object): ReadonlyMap<string, { readonly key: ConfigKey; readonly parse: Parse }> {
  const prototype: unknown = Object.getPrototypeOf(config);
  if (typeof prototype !== 'object' || prototype === null) return new Map();
  return new Map([...boundTo(prototype), ...(bindings.get(prototype) ?? [])]);
}
