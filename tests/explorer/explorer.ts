import { word } from '@connector/kernel/column';
import { readQuery } from '@connector/kernel/statement';
import { conService } from '@connector/schema/connector/serving';
import { mainSchema, type TestSchema } from '@connector/testing/database';
import { testDatabase } from '@connector/testing/engine';
import type { Mutation } from '@connector/testing/explorer/mutation';
import { Stage, type Happened } from '@connector/testing/explorer/schedule';
import type { Footprint } from '@connector/testing/explorer/trace';
import { serviceRow } from '@connector/testing/fixtures/serving';
import { Site, type Group } from './group';
import { brokenBy, judgeEnds, judgeSerial, permutations, type Finding, type Serial } from './judge';
import { outcomeOf, type Outcome } from './outcome';
import { readAll } from './rows';

/** Doors set no isolation level; the sessions of the pool do. Asked as a door would find it, under either name that engines give it. */
const ISOLATION = readQuery(
  conService,
  { Value: word(32) },
  "SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation')",
  'isolation',
);

export interface Explored {
  readonly happened: Happened;
  readonly outcome: Outcome;
  readonly findings: readonly Finding[];
}
/** What is planted in a schedule: changes of statements, or another arrangement in place of the group's. */
export interface PlantedFault {
  readonly mutation: Mutation;
  readonly arrange: Group['arrange'] | undefined;
}
export type Choose = (options: readonly Footprint[]) => number;

/** One database, the sessions on it, and what the groups come to when their doors run one after another. */
export class Explorer {
  readonly #schema: TestSchema;
  readonly #site: Site;
  readonly #stage: Stage;
  readonly #serial = new Map<Group, Serial>();

  private constructor(schema: TestSchema) {
    this.#schema = schema;
    this.#site = new Site(schema);
    this.#stage = new Stage(schema);
  }

  static async open(): Promise<Explorer> {
    const schema = await mainSchema();
    await serviceRow(schema);
    return new Explorer(schema);
  }

  async close(): Promise<void> {
    await this.#stage.close();
    await this.#schema.close();
  }

  /** What the proofs ran on. */
  async engine(): Promise<string> {
    const [row] = await this.#schema.sql('SELECT VERSION() AS version');
    const [isolation] = await this.#schema.db.read(ISOLATION, {});
    return `${testDatabase().kind} ${String(row?.['version'])}, ${String(isolation?.Value)}`;
  }

  /** One schedule on rows of its own, judged after every commit and at its end. */
  async run(group: Group, choose: Choose, planted?: PlantedFault): Promise<Explored> {
    const serial = await this.serial(group);
    const ran = await this.#run(group, choose, planted);
    return { ...ran, findings: [...ran.findings, ...judgeSerial(serial, ran.happened, ran.outcome)] };
  }

  /** Every order of whole doors, by the unchanged code. */
  async serial(group: Group): Promise<Serial> {
    const known = this.#serial.get(group);
    if (known !== undefined) return known;
    const found = new Map<string, Outcome>();
    const asTheyCome = await this.#run(group, inOrder([]));
    for (const order of permutations(asTheyCome.happened.ends.length)) {
      const come = order.every((actor, place) => actor === place);
      const { outcome, findings } = come ? asTheyCome : await this.#run(group, inOrder(order));
      if (findings.length > 0) throw new Error(`${group.name}, one after another: ${JSON.stringify(findings)}`);
      found.set(order.join(), outcome);
    }
    this.#serial.set(group, found);
    return found;
  }

  async #run(group: Group, choose: Choose, planted?: PlantedFault): Promise<Explored> {
    if (group.once) {
      await this.#schema.reset();
      await serviceRow(this.#schema);
    }
    const { parts, watch } = await (planted?.arrange ?? group.arrange)(this.#site);
    const { db } = this.#schema;
    const findings: Finding[] = [];
    let rows = await readAll(db, watch);
    const ended = async (_part: number, wrote: readonly string[]): Promise<void> => {
      const after = await readAll(db, watch, rows, wrote);
      findings.push(...brokenBy(rows, after));
      rows = after;
    };
    const happened = await this.#stage.run(parts, { choose, ended, ...(planted ? { mutation: planted.mutation } : {}) });
    return { happened, outcome: outcomeOf(happened, rows, watch), findings: [...findings, ...judgeEnds(parts, happened)] };
  }
}

/** Whole doors one after another; without an order, as they come. */
export function inOrder(order: readonly number[]): Choose {
  const place = ({ actor }: Footprint): number => order.indexOf(actor);
  return (options) => options.reduce((best, option) => (place(option) < place(best) ? option : best)).actor;
}
