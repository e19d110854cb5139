import { InputFault } from '@connector/kernel/faults';

/** The server of this test run; each test file makes its own schemas on it. */
export interface TestDatabase {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly kind: 'mariadb' | 'tidb' | 'mysql';
  readonly version: string;
  /** False where the given user may not create users; a test that needs them says `[needs grants]` in its title. */
  readonly grantsEnforced: boolean;
}

/** Call it inside a hook or a test, never while a file loads: without an engine the file is skipped, and loading comes first. */
export function testDatabase(): TestDatabase {
  const text = process.env['CONNECTOR_TEST_DATABASE'];
  if (text === undefined || text === '')
    throw unusable('is not set: run the tests by npm test, or by jest with the settings of jest.config.js');
  const value: unknown = JSON.parse(text);
  if (!isTestDatabase(value)) throw unusable('must be JSON of host, port, user, password, kind and version');
  return { ...value, grantsEnforced: value.grantsEnforced ?? true };
}

type Given = Omit<TestDatabase, 'grantsEnforced'> & { readonly grantsEnforced?: boolean };

const KINDS: readonly unknown[] = ['mariadb', 'tidb', 'mysql'];

function isTestDatabase(value: unknown): value is Given {
  if (typeof value !== 'object' || value === null) return false;
  const given = new Map<string, unknown>(Object.entries(value));
  const texts = ['host', 'user', 'password', 'version'].every((name) => typeof given.get(name) === 'string');
  return texts && typeof given.get('port') === 'number' && KINDS.includes(given.get('kind'));
}

/** Its text holds a password: only its name is said. */
function unusable(why: string): InputFault {
  return new InputFault('HOUSE:testing:NoTestDatabase', `CONNECTOR_TEST_DATABASE ${why}`);
}
