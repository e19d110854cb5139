import { DefectFault } from '@connector/kernel/faults';
import type { Service } from '@connector/kernel/roles';
import { defaultDatabases, type Engine } from '@connector/platform/engine/engine';
import { writePrivately } from '@connector/platform/engine/files';
import { type ServiceClient, serviceClient } from '@connector/platform/http/service-client';
import { LocalRelay } from '@connector/platform/wake/local-relay';
import { claimFolder } from './claim-folder';
import { type ControlServer, startControlServer } from './control-server';
import { readableKept } from './demo/kept';
import { providerHosts } from './demo/packs';
import { workbenchPlatform } from './demo/platform';
import { EgressWay } from './egress-way';
import { type DatabasePlace, type Settings, urlOf } from './environment';
import { GenerationJournal } from './generation-journal';
import { type Layout, layoutOf } from './layout';
import { runMigrator } from './migrator';
import { ADMIN_PASSWORD, mintSecrets, tokenRef } from './mint-secrets';
import { choosePorts, type Ports } from './ports';
import { processesOf, type ProcessName } from './plan';
import type { Tell } from './receipts';
import { type EngineFacts, lastPorts, RunFile } from './run-file';
import { SecretStore } from './secret-store';
import { type SeenEnd, Supervisor } from './supervisor';

const CALL_MS_MAX = 10_000;
const USER_PREFIX_CHARS = 20;

export type GivenEngine = EngineFacts & Pick<Engine, 'user' | 'password'>;

export interface StartLocal {
  /** Absolute; everything of this system stands under it. */
  readonly home: string;
  /** It is migrated and used; whoever resolved it stops it. */
  readonly engine: GivenEngine;
  /** Added to every usual port, for a system beside another one. */
  readonly portShift?: number;
  readonly tell?: Tell;
  /** How many processes admit deliveries, beside each other on the same rows; 1 where nothing is said. */
  readonly ingresses?: number;
  /** For every service, beside what it is told anyway: `{ WAKE: 'silent' }`. */
  readonly settings?: Settings;
  /** Asked over the control endpoint to end everything. */
  readonly onStop?: () => void;
  /** Carries the hints; for whoever wants them late, doubled or lost. */
  readonly relay?: LocalRelay;
  /** Told of every end of every service, before anything is started in its place. */
  readonly onEnd?: (end: SeenEnd) => void;
}

/** Every service of one machine, running; `stop` ends all of them and keeps every row. */
export interface LocalSystem {
  readonly layout: Layout;
  readonly ports: Ports;
  readonly supervisor: Supervisor;
  readonly store: SecretStore;
  url(name: ProcessName): string;
  /** Under the token of `local`. */
  client(callee: Service): Promise<ServiceClient>;
  stop(): Promise<void>;
}

/** Migrates, mints what is missing, and starts every service as a process of its own. It does not wait until they are ready. */
export async function startLocal(options: StartLocal): Promise<LocalSystem> {
  const layout = layoutOf(options.home);
  const release = await claimFolder(layout);
  const opened: (() => Promise<unknown>)[] = [release];
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    return await open(options, layout, opened, close);
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function open(
  options: StartLocal,
  layout: Layout,
  opened: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<LocalSystem> {
  const {
    engine,
    tell = () => undefined,
    settings = {},
    onStop = () => undefined,
    relay = new LocalRelay(),
    onEnd = () => undefined,
  } = options;
  const store = new SecretStore(layout.secrets);
  await mintSecrets(store);
  await store.put(ADMIN_PASSWORD, engine.password);
  const database = placeOf(engine);
  await writePrivately(layout.platform, workbenchPlatform().toString('utf8'));
  await runMigrator(layout, database, store, tell);
  const processes = processesOf(options.ingresses);
  const ports = await choosePorts(await lastPorts(layout), options.portShift, processes);
  const hosts = providerHosts(await readableKept(layout.published, tell));
  const egress = await EgressWay.open(store, portOf(ports, 'egress-proxy'), hosts, portOf(ports, 'provider-simulator'));
  opened.push(() => egress.close());
  const journal = new GenerationJournal(layout.journal);
  opened.push(() => Promise.resolve(journal.close()));
  const parts = { processes, layout, ports, database, store, journal, egress, tell, settings, relay, onEnd, surrounding: process.env };
  const runFile = new RunFile(layout, ports, engine, tell);
  const supervisor = await Supervisor.start({ ...parts, onChange: () => runFile.changed() });
  runFile.follow(() => supervisor.services);
  opened.push(
    () => runFile.ended(),
    () => supervisor.stop(),
  );
  const control: ControlServer = await startControlServer({
    port: portOf(ports, 'local'),
    token: await store.read(tokenRef('cli', 'local')),
    supervisor,
    onStop,
  });
  opened.push(() => control.close());
  return {
    ...{ layout, ports, supervisor, store },
    url: (name) => urlOf(ports, name),
    client: async (callee) => {
      const client = serviceClient({
        baseUrl: urlOf(ports, callee),
        token: await store.read(tokenRef('local', callee)),
        timeoutMs: CALL_MS_MAX,
      });
      opened.push(() => client.close());
      return client;
    },
    stop: close,
  };
}

/** Users are the server's, not the database's: another database on the same server has users of its own. */
function placeOf(engine: GivenEngine): DatabasePlace {
  const { host, port, user: adminUser, mainDatabase, journalDatabase, grantsEnforced } = engine;
  const own = mainDatabase === defaultDatabases.main ? 'con_{role}' : `${mainDatabase.slice(0, USER_PREFIX_CHARS)}_{role}`;
  return { host, port, mainDatabase, journalDatabase, adminUser, user: grantsEnforced ? own : adminUser };
}

function portOf(ports: Ports, name: string): number {
  const port = ports[name];
  if (port === undefined) throw new DefectFault('HOUSE:local:NoPort', `no port was chosen for ${name}`);
  return port;
}
