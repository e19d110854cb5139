import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from '@connector/kernel/roles';
import type { Db } from '@connector/platform/db/db';
import type { ServiceClient } from '@connector/platform/http/service-client';
import type { LocalRelay } from '@connector/platform/wake/local-relay';
import { beginDemo, type World } from '@connector/services/local/src/demo/begin';
import type { Settings } from '@connector/services/local/src/environment';
import { programOf } from '@connector/services/local/src/layout';
import { SERVICE_PLANS } from '@connector/services/local/src/plan';
import { type LocalSystem, startLocal } from '@connector/services/local/src/start-local';
import type { SeenEnd } from '@connector/services/local/src/supervisor';
import { CommitProxy } from '../commits/commit-proxy';
import type { TestDatabase } from '../engine';
import { ProviderLedger } from './ledger';
import { ownDatabases, type OwnDatabases } from './own-databases';
import { Source } from './source';
import { until, when } from './until';
import { quickWorld } from './world';

const READY_MS_MAX = 90_000;
/** Below what the kernel hands out by itself, and a place of its own for each test process. */
const PLACES = { first: 1_000, width: 30, count: 800 };

export interface OpenSystem {
  readonly settings?: Settings;
  readonly world?: World;
  /** Processes that admit deliveries: `ingress`, `ingress-2` and so on; 1 unless said. */
  readonly ingresses?: number;
  readonly relay?: LocalRelay;
  /** Before anything of the world is made: for secrets that the test chooses. */
  readonly before?: (local: LocalSystem) => Promise<void>;
  /** False leaves it before its first epoch. */
  readonly begun?: boolean;
  /** True puts a proxy before the database, through which every service goes. */
  readonly proxied?: boolean;
  /** Where the databases are made; the server of the test run where nothing is said. */
  readonly server?: TestDatabase;
}

/** Every service of one machine as real processes on databases of their own, with the three ledgers of what happened. */
export interface SystemUnderTest {
  readonly local: LocalSystem;
  readonly source: Source;
  readonly provider: ProviderLedger;
  /** Where COMMITs become unknown, in a system that is `proxied`. */
  readonly commits: CommitProxy | undefined;
  /** For the product's own reads. */
  readonly db: Db;
  /** Every end of every process so far, oldest first. */
  readonly ends: readonly SeenEnd[];
  /** Calls `see` at every further end, before anything is started in its place, until what is returned is called. */
  onEnd(see: (end: SeenEnd) => void): () => void;
  /** What the supervisor told. */
  readonly told: readonly string[];
  readonly databases: { readonly main: string; readonly journal: string };
  client(callee: Service): Promise<ServiceClient>;
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  ready(names?: readonly Service[]): Promise<void>;
  /** SIGKILL of what runs; returns when that has ended. */
  kill(name: Service): Promise<void>;
  close(): Promise<void>;
}

export const SERVICE_NAMES: readonly Service[] = SERVICE_PLANS.map(({ name }) => name);

/** Started, begun and ready. Whatever fails on the way takes everything down that was started. */
export async function openSystem(options: OpenSystem = {}): Promise<SystemUnderTest> {
  mustBeBuilt();
  const databases = ownDatabases(options.server);
  const home = await mkdtemp(join(tmpdir(), 'connector-system-'));
  const cleanUp = async (): Promise<void> => {
    await databases.drop();
    await rm(home, { recursive: true, force: true });
  };
  try {
    return await open(options, databases, home, cleanUp);
  } catch (thrown) {
    await cleanUp();
    throw thrown;
  }
}

async function open(options: OpenSystem, databases: OwnDatabases, home: string, cleanUp: () => Promise<void>): Promise<SystemUnderTest> {
  const {
    settings = { POLL_MS: '250' },
    world = quickWorld(),
    relay,
    ingresses = 1,
    before = () => Promise.resolve(),
    begun = true,
    proxied = false,
  } = options;
  const ends: SeenEnd[] = [];
  const watchers = new Set<(end: SeenEnd) => void>();
  const told: string[] = [];
  const commits = proxied ? await CommitProxy.open(databases.engine) : undefined;
  const engine = commits === undefined ? databases.engine : { ...databases.engine, host: '127.0.0.1', port: commits.port };
  const local = await startLocal({
    ...{ home, engine, portShift: portShift(), settings, ingresses },
    tell: (line) => void told.push(line),
    onEnd: (end) => {
      ends.push(end);
      for (const see of watchers) see(end);
    },
    ...(relay === undefined ? {} : { relay }),
  });
  const unguard = guardProcesses(local);
  const close = async (): Promise<void> => {
    await local.stop();
    unguard();
    await commits?.close();
    await cleanUp();
  };
  try {
    await before(local);
    await local.supervisor.ready(READY_MS_MAX, ['control', 'catalog', 'cutover-coordinator']);
    if (begun) await beginDemo(local, world);
    await local.supervisor.ready(READY_MS_MAX);
    return await assemble({ local, world, commits, ends, watchers, told, databases, close });
  } catch (thrown) {
    await local.stop();
    unguard();
    await commits?.close();
    throw new Error(`the system did not come up:\n${told.slice(-10).join('\n')}`, { cause: thrown });
  }
}

interface Parts {
  readonly local: LocalSystem;
  readonly world: World;
  readonly commits: CommitProxy | undefined;
  readonly ends: readonly SeenEnd[];
  readonly watchers: Set<(end: SeenEnd) => void>;
  readonly told: readonly string[];
  readonly databases: OwnDatabases;
  readonly close: () => Promise<void>;
}

async function assemble({ local, world, commits, ends, watchers, told, databases, close }: Parts): Promise<SystemUnderTest> {
  const { mainDatabase: main, journalDatabase: journal } = databases.engine;
  const clients = new Map<Service, Promise<ServiceClient>>();
  const client = (callee: Service): Promise<ServiceClient> => {
    const held = clients.get(callee) ?? local.client(callee);
    clients.set(callee, held);
    return held;
  };
  return {
    ...{ local, commits, ends, told, client, close },
    source: new Source(local, world.channels),
    provider: new ProviderLedger(await client('provider-simulator')),
    db: databases.db(),
    databases: { main, journal },
    sql: (text, values) => databases.sql(text, values),
    onEnd: (see) => {
      watchers.add(see);
      return () => void watchers.delete(see);
    },
    ready: (names = SERVICE_NAMES) => local.supervisor.ready(READY_MS_MAX, names),
    kill: (name) => killed(local, ends, name),
  };
}

/** `npm test` builds first; whoever runs one file alone may not have. */
function mustBeBuilt(): void {
  const missing = SERVICE_NAMES.filter((name) => !existsSync(programOf(name)));
  if (missing.length > 0) throw new Error(`not built: ${missing.join(', ')}; run node tools/build.mjs first`);
}

async function killed({ supervisor }: LocalSystem, ends: readonly SeenEnd[], name: Service): Promise<void> {
  const before = ends.length;
  // Between two lives there is nobody to end.
  await until(`${name} runs`, READY_MS_MAX, () => when(supervisor.kill(name, 'SIGKILL')));
  await until(`the end of ${name}`, READY_MS_MAX, () => when(ends.slice(before).some((end) => end.name === name)));
}

/** A test process that ends in the middle leaves nothing behind: its children are detached, so nobody else would end them. */
function guardProcesses({ supervisor }: LocalSystem): () => void {
  const end = (): void => {
    for (const { pid } of supervisor.services) if (pid !== null) kill(pid);
  };
  process.on('exit', end);
  return () => void process.off('exit', end);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended between the look and the signal.
  }
}

const portShift = (): number => PLACES.first + PLACES.width * (process.pid % PLACES.count);
