import { setTimeout as delay } from 'node:timers/promises';
import { DefectFault, Fault } from '@connector/kernel/faults';
import { retrying } from '@connector/platform/db/retrying';
import type { Bench } from './bench';
import type { Again, DoorCase } from './cases/door-case';
import type { Cut, Fate } from './commit-proxy';
import { differences, withoutMinted, type Content } from './content';

const FATE_MS_MAX = 10_000;

/** How a caller runs a door again, given what is there before its first try, and at any later time by plain reads. */
export type Rule = (content: () => Promise<readonly string[]>) => Again | Promise<Again>;

export interface Ended {
  /** All rows of both databases and the answer, without what is minted. */
  readonly lines: readonly string[];
  readonly fates: readonly Fate[];
  /** Further tries that had begun before the cut COMMIT was at the server. */
  readonly overlapped: number;
  readonly findings: readonly string[];
}

/** One case from nothing, its door's COMMITs met by `cuts` in their order, and everything that is there when all of it is over. */
export async function runCase(bench: Bench, one: DoorCase, cuts: readonly Cut[], rule: Rule): Promise<Ended> {
  await bench.clear();
  const act = await one.arrange(bench.site);
  const db = bench.db(one.database ?? 'main');
  const again = await rule(async () => withoutMinted(await bench.content()));
  const planned = cuts.map((cut) => bench.proxy.plan(one.door, cut));
  const answer = await act.run(db, again).catch(thrownAs);
  // What is met by now may still be on its way; what is not will never be.
  const met = planned.slice(0, cuts.length - bench.proxy.forget());
  const fates = await Promise.race([Promise.all(met), delay(FATE_MS_MAX, [], { ref: false })]);
  const findings = fates.length < cuts.length ? [`void: ${cuts.length} COMMITs were to be cut, and ${fates.length} were`] : [];
  const content = await bench.content();
  const [, ...further] = bench.begun;
  const after = await act.after?.(db);
  return {
    lines: withoutMinted(withAnswer(content, answer)),
    fates,
    overlapped: further.filter((begun) => begun < (fates[0]?.atMs ?? 0)).length,
    findings: after === undefined ? findings : [...findings, after],
  };
}

/** What an undisturbed run leaves. Two of them must leave the same, and more than was arranged: else nothing could be said of a disturbed one. */
export async function undisturbed(bench: Bench, one: DoorCase): Promise<readonly string[]> {
  let arranged: readonly string[] = [];
  const first = await runCase(bench, one, [], async (content) => {
    arranged = await content();
    return retrying;
  });
  const second = await runCase(bench, one, [], () => retrying);
  const unlike = differences(first.lines, second.lines);
  const rows = first.lines.filter((line) => !line.startsWith(ANSWER));
  const idle = differences(arranged, rows).length === 0 ? ['the door changes nothing'] : [];
  const wrong = [...first.findings, ...unlike, ...idle];
  if (wrong.length > 0) throw new DefectFault('HOUSE:testing:CaseUnfit', `${nameOf(one)}, undisturbed: ${wrong.join('; ')}`);
  return first.lines;
}

/** What is wrong with a disturbed run, one sentence each. */
export function judge(wanted: readonly string[], { lines, fates, findings }: Ended): readonly string[] {
  const strange = fates.filter(({ cut, landed }) => landed !== (cut.kind === 'late' || cut.kind === 'withheld'));
  const unlike = differences(wanted, lines);
  // A wrong answer takes away the places by which minted values are told, and then the rows that hold them read as other ones.
  const answers = unlike.filter((line) => line.includes(`: ${ANSWER}`));
  return [
    ...findings,
    ...strange.map(({ cut, landed }) => `a COMMIT cut ${cut.kind} ${landed ? 'landed' : 'did not land'}`),
    ...answers,
    ...unlike.filter((line) => !answers.includes(line)),
  ];
}

export const nameOf = ({ door, way }: DoorCase): string => (way === undefined ? door : `${door} (${way})`);

const ANSWER = 'the answer';

function withAnswer(content: Content, answer: unknown): Content {
  const text = JSON.stringify(answer, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return new Map([...content, [ANSWER, [{ text }]]]);
}

/** A fault is an answer too, and never that of an undisturbed run. */
const thrownAs = (thrown: unknown): unknown => ({ thrown: thrown instanceof Fault ? `${thrown.code} ${thrown.message}` : String(thrown) });
