import type { Service } from '@connector/kernel/roles';
import { ADAPTER } from '@connector/services/local/src/plan';
import { groupBy } from '../audit/finding';
import type { Random } from '../random';
import { type CrashPoint, isGenesis } from './points';

/** Points that are met only by what an earlier death left behind, and that death: mostly the answer that it kept from whoever asks again. */
const AFTER: Readonly<Record<string, string>> = {
  'accept-command/read run_command': 'commit-application/lock con_serving_gate',
  'accept-command/read run_command_start': 'commit-application/lock con_serving_gate',
  'author-configuration/read ctl_service_configuration': 'author-configuration/committed',
  'retire-channel-key/read ctl_channel_key_retirement': 'retire-channel-key/committed',
  'record-termination/read ctl_termination': 'record-termination/committed',
  'record-isolation/read ctl_isolation': 'record-isolation/committed',
  'register-holder/read con_egress_holder_generation': 'register-holder/committed',
  'prepare-epoch/read con_epoch': 'prepare-epoch/committed',
  'register-pack/read pck_generation': 'register-pack/committed',
  'advance-app-grants/read sec_projection#bound': 'advance-app-grants/committed',
  'set-other-inputs/read sec_projection#bound': 'set-other-inputs/committed',
  'pin-generations/read pck_epoch_pin': 'pin-generations/committed',
  'pin-generations/read pck_generation_pin': 'pin-generations/committed',
  'declare-predecessor/read jrn_service': 'declare-predecessor/committed',
  'intend-genesis/read jrn_genesis_intent': 'intend-genesis/committed',
  'commit-genesis/read jrn_genesis_commit': 'commit-genesis/committed',
  'acquire-barrier/update cat_publication_barrier#take-over': 'acquire-barrier/committed',
  'acquire-pack-barrier/update pck_publication_barrier#take-over': 'acquire-pack-barrier/committed',
};
/** Only the first command of an account comes there. */
const FIRST = 'commit-application/insert run_feed_head';
/** The script ends or freezes adapters for these; one that is to die at a point of its own is not among them then. */
const NEED_ADAPTER: ReadonlySet<string> = new Set(['record-termination', 'record-isolation', 'abandon-permits', 'create-effects']);

/** Deaths of one service in one round: each start is armed for the next, so that more of them cost fewer starts and fewer audits. */
const DEATHS = 3;
/** Most doors are the catalog's, and its acts are short requests: with more deaths in a round it needs no rounds of its own at the end. */
const DEATHS_OF: Partial<Readonly<Record<string, number>>> = { catalog: 6 };

const deathsOf = (service: string): number => DEATHS_OF[service] ?? DEATHS;

/** What `npm test` takes. */
export const SAMPLE_ROUNDS = 2;

/**
 * As many points as this many rounds have room for, by the seed: of each service, each of another door, and such that every run of their door
 * meets them; and one beginning of a service. What is left out, other seeds take.
 */
export function sampleRounds(points: readonly CrashPoint[], rounds: number, random: Random): readonly CrashPoint[] {
  const sure = random.shuffled(points.filter(({ conditional }) => !conditional));
  const ofDoors = [...groupBy(sure, ({ door }) => door).values()].flatMap((held) => held.slice(0, 1));
  const others = ofDoors.filter((point) => !isGenesis(point));
  return [
    ...ofDoors.filter(isGenesis).slice(0, 1),
    ...[...groupBy(others, ({ service }) => service)].flatMap(([service, held]) => held.slice(0, rounds * deathsOf(service))),
  ];
}

/** One round is one lane a service; services that do not disturb each other die in the same one. */
export type Round = readonly (readonly CrashPoint[])[];

export function planRounds(points: readonly CrashPoint[], all: readonly CrashPoint[]): readonly Round[] {
  const ordered = [...points.filter(({ name }) => name === FIRST), ...points.filter(({ name }) => name !== FIRST)];
  const queues = new Map([...groupBy(ordered, ({ service }) => service)].map(([service, held]) => [service, [...held]]));
  const rounds: Round[] = [];
  while ([...queues.values()].some((queue) => queue.length > 0)) rounds.push(nextRound(queues, all));
  return rounds;
}

/** As long as the adapter has points of its own, what needs a living one waits. */
function nextRound(queues: ReadonlyMap<string, CrashPoint[]>, all: readonly CrashPoint[]): Round {
  const dying = (queues.get(ADAPTER satisfies Service) ?? []).length > 0;
  const lanes = [...queues].map(([service, queue]) => {
    const ready = queue.filter(({ door }) => !dying || !NEED_ADAPTER.has(door)).slice(0, deathsOf(service));
    for (const point of ready) queue.splice(queue.indexOf(point), 1);
    return ready;
  });
  return lanes.filter((lane) => lane.length > 0).map((lane) => lane.flatMap((point) => laneOf(point, all)));
}

/** The point, behind the death that leads to it. */
export function laneOf(point: CrashPoint, all: readonly CrashPoint[]): readonly CrashPoint[] {
  return [...all.filter(({ name }) => name === AFTER[point.name]), point];
}
