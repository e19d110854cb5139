import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '@connector/kernel/roles';
import { isReady } from '@connector/services/local/src/ready';
import { auditSystem, type Audit } from '../audit';
import { quiet } from '../quiet';
import { Random } from '../random';
import { contact, hint, isAcknowledged } from '../source';
import { openSystem, SERVICE_NAMES, type SystemUnderTest } from '../system';
import { until, when } from '../until';
import { faultCounts } from './fault-counts';
import { OwnServer } from './own-server';
import { walkUnfinished, type Walk } from './unexplained';

const DATABASE_KILLS = 10;
/** Deliveries under way at every moment, and the ones in a hundred that are hints. */
const SENDERS = 12;
const HINTS_PERCENT = 20;
const DELIVERY_MS_MAX = 120_000;
const STEP_MS_MAX = 60_000;
/** How long a server that was killed stays away; every fourth time longer than leases and backoffs of this world. */
const AWAY_MS_MAX = 1_500;
const AWAY_LONG_MS = 6_000;
/** Between two kills, so that every one of them meets other work. */
const LOAD_MS = { least: 500, more: 2_000 };
/** The engine's list of transactions is a copy, at most this old. */
const COPY_MS = 110;
const UNKNOWN_COMMIT = 'UndeterminedFault HOUSE:db:CommitUnknown';
/** A database that is away is an ordinary thing: only these may be counted. */
const ORDINARY = /^(RetryableFault|UndeterminedFault) /;
/** The only service without a database. */
const WITHOUT: Service = 'provider-simulator';
const WITH_DATABASE = SERVICE_NAMES.filter((name) => name !== WITHOUT);
/** What a sender may be told; a 500 would say that the service made a mistake. */
const ANSWERS: ReadonlySet<number> = new Set([200, 202, 503]);

const IN_FLIGHT = {
  mariadb: 'SELECT COUNT(*) AS n FROM information_schema.innodb_trx WHERE trx_rows_locked > 0 OR trx_rows_modified > 0',
  tidb: 'SELECT COUNT(*) AS n FROM information_schema.tidb_trx WHERE mem_buffer_keys > 0',
};

/** One death of the database. */
export interface Death {
  /** Transactions that held or had written rows when the signal was sent. */
  readonly inFlight: number;
  /** Of those, what the engine says that it rolled back when it started. */
  readonly rolledBack: number;
  /** From the start of the server until every service was ready, ms. */
  readonly readyMs: number;
  readonly walk: Walk;
}

export interface DatabaseRun {
  readonly audit: Audit;
  readonly walk: Walk;
  readonly deaths: readonly Death[];
  readonly sent: number;
  readonly acknowledged: number;
  /** Ends of processes that nobody asked for, answers that no sender should get, and what a service called an error. */
  readonly fell: readonly string[];
  /** Faults that the services counted, by class and code. */
  readonly faults: ReadonlyMap<string, number>;
  readonly seconds: number;
}

/** `CONNECTOR_DATABASE_KILLS`, or ten. */
export const killsOf = (env: NodeJS.ProcessEnv = process.env): number => Number(env['CONNECTOR_DATABASE_KILLS'] ?? DATABASE_KILLS);

/** A system on a server of its own that dies so many times under load; then rest, and what rows and ledgers say. */
export async function runDatabaseKills(seed: number, kills: number, say: (line: string) => void): Promise<DatabaseRun> {
  const server = await OwnServer.open();
  try {
    const system = await openSystem({ settings: { POLL_MS: '250' }, server: server.place });
    try {
      return await new Run(system, server, new Random(seed), say).run(kills);
    } finally {
      await system.close();
    }
  } finally {
    await server.close();
  }
}

/** Why the run proves nothing; undefined where it met what it was to meet. */
export function voidOf({ deaths }: DatabaseRun, kills: number): string | undefined {
  const met = deaths.filter(({ inFlight }) => inFlight > 0).length;
  return deaths.length >= kills && met > 0 ? undefined : `void: ${deaths.length} kills of the database, ${met} with transactions in flight`;
}

/** What must not be, one sentence each. */
export function wrongOf({ audit, walk, deaths, fell, faults, sent, acknowledged }: DatabaseRun): readonly string[] {
  const unlisted = audit.uncertain.filter((effect) => !audit.waiting.has(effect));
  const unsettled = [...audit.waiting.keys()].filter((row) => !audit.uncertain.some((effect) => effect === row));
  return [
    ...audit.findings,
    ...[...deaths.map((death) => death.walk), walk].flatMap(({ unexplained }) => unexplained),
    ...fell,
    ...[...faults.keys()].filter((fault) => !ORDINARY.test(fault)).map((fault) => `a service counted ${fault}`),
    ...audit.openPermits.map((permit) => `${permit} is open`),
    ...unlisted.map((effect) => `${effect} is unknown and not listed`),
    ...unsettled.map((row) => `${row} has not ended, and is no unknown`),
    ...(sent === acknowledged && audit.counts.receipts === sent
      ? []
      : [`${audit.counts.receipts} receipts and ${acknowledged} accepted of ${sent}`]),
  ];
}

export function summaryOf({ audit, deaths, faults, sent, seconds }: DatabaseRun): string {
  const met = deaths.filter(({ inFlight }) => inFlight > 0).length;
  const rolledBack = deaths.reduce((sum, death) => sum + death.rolledBack, 0);
  const walked = deaths.reduce((sum, { walk }) => sum + walk.asked, 0);
  return [
    `${Math.round(seconds)} s, ${deaths.length} kills of the database, ${met} with transactions in flight, ${rolledBack} rolled back, ${faults.get(UNKNOWN_COMMIT) ?? 0} COMMITs unknown`,
    `faults ${JSON.stringify(Object.fromEntries(faults))}`,
    `${walked} unfinished rows explained on the way, ${sent} sent, ${JSON.stringify(audit.counts)}, ${audit.uncertain.length} uncertain`,
  ].join('; ');
}

class Run {
  readonly #deaths: Death[] = [];
  #over = false;
  #sent = 0;

  constructor(
    readonly system: SystemUnderTest,
    readonly server: OwnServer,
    readonly random: Random,
    readonly say: (line: string) => void,
  ) {}

  async run(kills: number): Promise<DatabaseRun> {
    const began = performance.now();
    const { system } = this;
    const endsBefore = system.ends.length;
    const senders = Array.from({ length: SENDERS }, () => this.#send());
    try {
      for (let at = 0; at < kills; at += 1) await this.#die(at);
    } finally {
      this.#over = true;
    }
    await Promise.all(senders);
    await quiet(system, STEP_MS_MAX);
    return {
      deaths: this.#deaths,
      sent: this.#sent,
      audit: await auditSystem(system),
      walk: await walkUnfinished(system),
      acknowledged: system.source.sent.filter(isAcknowledged).length,
      faults: await faultCounts(system),
      fell: [
        ...system.ends.slice(endsBefore).map(({ name, code, signal }) => `${name} ended by itself: ${String(signal ?? code)}`),
        ...strangeAnswers(system),
        ...errorsOf(system),
      ],
      seconds: (performance.now() - began) / 1_000,
    };
  }

  /** One delivery after the other, each until it was accepted. */
  async #send(): Promise<void> {
    const { source } = this.system;
    while (!this.#over) {
      const at = this.#sent;
      this.#sent += 1;
      if (this.random.below(100) < HINTS_PERCENT) await source.deliver('hints', hint(1_000 + at, 1), `hint_${at}`, DELIVERY_MS_MAX);
      else await source.deliver('hook', contact(`db-${at}`), `msg_${at}`, DELIVERY_MS_MAX);
    }
  }

  async #die(at: number): Promise<void> {
    const { server, random } = this;
    await this.system.provider.plan('slow', 2, 1_000);
    await pause(LOAD_MS.least + random.below(LOAD_MS.more));
    const inFlight = await this.#inFlight();
    await server.kill();
    await until('every service with a database says that it is not ready', STEP_MS_MAX, () => this.#all(false));
    await pause(at % 4 === 3 ? AWAY_LONG_MS : random.below(AWAY_MS_MAX));
    const rolledBack = await server.start();
    const back = performance.now();
    await until('every service is ready again', STEP_MS_MAX, () => this.#all(true));
    const readyMs = Math.round(performance.now() - back);
    const walk = await walkUnfinished(this.system);
    this.#deaths.push({ inFlight, rolledBack, readyMs, walk });
    this.say(
      `kill ${at + 1}: ${inFlight} in flight, ${rolledBack} rolled back, ready after ${readyMs} ms; ${JSON.stringify(walk.reasons)}`,
    );
  }

  async #all(ready: boolean): Promise<true | undefined> {
    const states = await Promise.all(WITH_DATABASE.map((name) => isReady(this.system.local.url(name))));
    return when(states.every((state) => state === ready));
  }

  /** Waits for a transaction that holds rows; none within a while is none, and the run says so. */
  async #inFlight(): Promise<number> {
    const sql = IN_FLIGHT[this.server.place.kind === 'tidb' ? 'tidb' : 'mariadb'];
    for (let looks = 0; looks < 40; looks += 1) {
      const count = Number((await this.system.sql(sql))[0]?.['n']);
      if (count > 0) return count;
      await pause(COPY_MS);
    }
    return 0;
  }
}

function strangeAnswers({ source }: SystemUnderTest): readonly string[] {
  const statuses = source.sent.flatMap(({ answers }) => answers.map((answer) => (answer.kind === 'answered' ? answer.status : 0)));
  const strange = new Set(statuses.filter((status) => status !== 0 && !ANSWERS.has(status)));
  return [...strange].map((status) => `a sender was answered ${status}`);
}

/** A database that is away is a warning; an error says that somebody has to look. */
function errorsOf({ local }: SystemUnderTest): readonly string[] {
  return SERVICE_NAMES.flatMap((name) => {
    const errors = readFileSync(local.layout.log(name), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"level":"error"'));
    return errors.length === 0 ? [] : [`${name} logged ${errors.length} errors, first ${errors[0] ?? ''}`];
  });
}
