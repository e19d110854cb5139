import { join, resolve } from 'node:path';
import { Fault, InputFault } from '@connector/kernel/faults';
import type { Service } from '@connector/kernel/roles';
import type { Broker } from '@connector/platform/broker/broker';
import { resolveBroker } from '@connector/platform/broker/resolve';
import type { Engine, EngineChoice } from '@connector/platform/engine/engine';
import { resolveEngine } from '@connector/platform/engine/resolve';
import type { WakeConfig } from '@connector/platform/host/config';
import { HELP, readArguments } from './arguments';
import { beginDemo, type Begun } from './demo/begin';
import { tellStory } from './demo/story';
import { Ending } from './ending';
import { layoutOf } from './layout';
import { SERVICE_PLANS } from './plan';
import { step } from './progress';
import { type LocalSystem, startLocal } from './start-local';

const READY_MS_MAX = 60_000;
const INTERRUPTED = 130;
/** What the first epoch needs; the others start meanwhile. */
const OWNERS: readonly Service[] = ['control', 'catalog', 'runtime', 'cutover-coordinator'];
const TITLE = { mariadb: 'MariaDB', tidb: 'TiDB', mysql: 'MySQL' };

export interface RunLocal {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
}
interface Bring extends RunLocal {
  readonly engine: EngineChoice | undefined;
  readonly wake: WakeConfig;
}
/** What was started and must be ended, the latest first. */
type Ends = { readonly name: string; readonly run: () => Promise<unknown> }[];

/**
 * `npm start`: an engine, the schema, every service, the first epoch, one webhook and its story; then it runs until it is asked to end. Returns
 * the exit code.
 */
export async function runLocal(run: RunLocal): Promise<number> {
  const ending = new Ending();
  ending.listen(() => process.exit(INTERRUPTED));
  const ends: Ends = [];
  try {
    const asked = readArguments(run.args);
    if (asked.kind === 'help') {
      HELP.forEach(run.say);
      return 0;
    }
    await bringUp({ ...run, ...asked }, ending, ends);
    await ending.asked;
    return 0;
  } catch (thrown) {
    run.say(reasonOf(thrown));
    return 1;
  } finally {
    ending.ask();
    for (const { name, run: end } of ends.reverse()) await step(`stopping ${name}`, end);
    if (ends.length > 0) run.say('everything is stopped and kept; npm start goes on');
  }
}

/** Between two steps it looks whether the end was asked for: what is started in the middle of a step is known only after it. */
async function bringUp(run: Bring, ending: Ending, ends: Ends): Promise<void> {
  const home = resolve(run.env['CONNECTOR_HOME'] ?? join(process.cwd(), '.connector'));
  const engine = await step('finding a database', () => engineFor(run, home));
  ends.push({ name: 'the database', run: () => engine.stop() });
  if (ending.isAsked) return;
  run.say(engineLine(engine));
  for (const warning of engine.warnings) run.say(`note       ${warning}`);
  const broker = run.wake === 'kafka' ? await step('finding a broker', () => brokerFor(run, home)) : undefined;
  if (broker !== undefined) ends.push({ name: 'the broker', run: () => broker.stop() });
  if (ending.isAsked) return;
  const system = await step('migrating and starting the services', () => start(run, home, engine, broker, ending));
  ends.push({ name: 'the services', run: () => system.stop() });
  await step('waiting for control, catalog, runtime and coordinator', () => ending.orEnd(system.supervisor.ready(READY_MS_MAX, OWNERS)));
  if (ending.isAsked) return;
  const begun = await step('preparing and activating the first epoch', () => beginDemo(system));
  epochLines(begun).forEach(run.say);
  await step('waiting for the other services', () => ending.orEnd(system.supervisor.ready(READY_MS_MAX)));
  if (ending.isAsked) return;
  run.say(`services   ${SERVICE_PLANS.length} of ${SERVICE_PLANS.length} ready           wake-ups  ${wakeWords(run.wake, broker)}`);
  run.say('');
  // A story that cannot be told is no reason to end what runs.
  await tellStory(system, ending, run.say).catch((thrown: unknown) => run.say(reasonOf(thrown)));
  if (!ending.isAsked) nextSteps(system).forEach(run.say);
}

function start(run: Bring, home: string, engine: Engine, broker: Broker | undefined, ending: Ending): Promise<LocalSystem> {
  const settings = { WAKE: run.wake, ...broker?.settings };
  return startLocal({ home, engine, settings, tell: told(run), onStop: () => ending.ask() });
}

function engineFor(run: Bring, home: string): Promise<Engine> {
  const options = { dataDir: layoutOf(home).engine, env: run.env, mayInstall: true, onProgress: told(run) };
  return resolveEngine({ ...options, ...(run.engine === undefined ? {} : { forced: run.engine }) });
}

function brokerFor(run: Bring, home: string): Promise<Broker> {
  return resolveBroker({ dataDir: layoutOf(home).broker, env: run.env, onProgress: told(run) });
}

function epochLines(begun: Begun): readonly string[] {
  if (begun.kind !== 'begun') return SERVED_LINES[begun.kind];
  const { kept } = begun;
  const beginning = kept.length === 0 ? [] : [`           begins with ${kept.length} kept generations: ${kept.join(', ')}`];
  return ['epoch      prepared, verified, active: three accounts serve', ...beginning];
}

const SERVED_LINES: Readonly<Record<Exclude<Begun['kind'], 'begun'>, readonly string[]>> = {
  'served-before': ['epoch      active since an earlier start'],
  'served-without-app': [
    'epoch      active since an earlier start, from before Apps were installed: it serves on, and no further epoch can be made beside it',
    '           to begin anew with an App:  npx connector dev reset',
  ],
};

const told =
  ({ say }: RunLocal) =>
  (line: string): void =>
    say(`           ${line}`);

function wakeWords(wake: WakeConfig, broker: Broker | undefined): string {
  if (broker === undefined) return wake === 'silent' ? 'none: found by polling' : 'local relay (no broker)';
  const { version, source, place } = broker;
  return version === '' ? `Kafka at ${place.brokers.join(', ')}` : `Apache Kafka ${version} (${source}, ${place.brokers.join(', ')})`;
}

function engineLine({ kind, version, source, port }: Engine): string {
  return `database   ${TITLE[kind]} ${/\d+\.\d+\.\d+/.exec(version.replace(/^5\.5\.5-/, ''))?.[0] ?? version} (${source}, port ${port})`;
}

function nextSteps(system: LocalSystem): readonly string[] {
  return [
    '',
    'Next:  npx connector status                      gates, epoch, what waits and why',
    '       npx connector send larkspur-crm three-contacts',
    '       npx connector accounts halt tern/acme --plan',
    `       logs are in ${system.layout.logs}`,
    '       Ctrl-C stops all of it and loses nothing; npm start goes on',
  ];
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof InputFault) return thrown.message;
  if (thrown instanceof Fault) return `${thrown.code}: ${thrown.message}`;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
