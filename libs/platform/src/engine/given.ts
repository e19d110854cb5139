import { defaultDatabases, type Engine, type EngineOptions, journalBeside, type Login, refusal } from './engine';
import { probe } from './probe';

const HOW = 'CONNECTOR_DATABASE_URL=mysql://user:password@host:3306/database';

interface Given {
  readonly login: Login;
  readonly database: string | undefined;
}

/** A database that the user named. It is looked at, refused or taken as it is; nothing is set on it and nothing of it is stopped. */
export async function givenEngine(options: EngineOptions): Promise<Engine> {
  const main = parseUrl(options.url ?? options.env['CONNECTOR_DATABASE_URL'], 'CONNECTOR_DATABASE_URL');
  const mainDatabase = main.database ?? defaultDatabases.main;
  const journalDatabase = journalOf(options, main) ?? `${mainDatabase}_journal`;
  if (journalDatabase === mainDatabase)
    throw refusal('JournalIsMain', 'CONNECTOR_JOURNAL_URL names the main schema; give the journal a schema of its own');
  options.onProgress?.(`asking the database at ${main.login.host}:${main.login.port}`);
  const probed = await probe(main.login);
  return {
    ...main.login,
    ...probed,
    source: 'CONNECTOR_DATABASE_URL',
    mainDatabase,
    journalDatabase,
    warnings: [...probed.warnings, journalBeside],
    stop: () => Promise.resolve(),
  };
}

/** Only a second schema on the same server, so far; another server is refused rather than silently left out. */
function journalOf(options: EngineOptions, main: Given): string | undefined {
  const url = options.journalUrl ?? options.env['CONNECTOR_JOURNAL_URL'];
  if (url === undefined || url === '') return undefined;
  const { login, database } = parseUrl(url, 'CONNECTOR_JOURNAL_URL');
  if (JSON.stringify(login) !== JSON.stringify(main.login)) {
    throw refusal(
      'JournalElsewhere',
      'a journal on another server or under another user is not supported yet; name a schema on the server of CONNECTOR_DATABASE_URL',
    );
  }
  return database;
}

/** Never prints the text: it holds a password. */
export function parseUrl(text: string | undefined, name: string): Given {
  if (text === undefined || text === '') throw refusal('UrlMissing', `--engine=url needs ${HOW}`);
  if (!URL.canParse(text)) throw refusal('UrlUnreadable', `${name} cannot be read as an address; write ${HOW}`);
  const url = new URL(text);
  if (url.protocol !== 'mysql:' || url.hostname === '')
    throw refusal('UrlUnreadable', `${name} must begin with mysql:// and name a host; write ${HOW}`);
  if (url.search !== '' || url.hash !== '') throw refusal('UrlUnreadable', `${name} takes no parameters behind the database; write ${HOW}`);
  const database = decodeURIComponent(url.pathname.slice(1));
  return {
    login: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? 3306 : Number(url.port),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
    },
    database: database === '' ? undefined : database,
  };
}
