import { differences, type Dump } from '../same-rows';
import type { Size } from './changes';
import type { OfOrders } from './judge';

/** What one of the two runs showed. */
export interface Half {
  readonly wrong: readonly string[];
  readonly content: Dump;
  /** Changes that were written down after a greater one of their record. */
  readonly late: OfOrders;
  readonly deliveries: number;
  /** Deliveries that were answered as known. */
  readonly redelivered: number;
  /** Of each ingress, the deliveries that it was the first to admit. */
  readonly admitted: readonly number[];
  /** Items whose change had come before in another delivery, or in this one. */
  readonly again: number;
  readonly applied: OfOrders;
  readonly superseded: number;
  /** Positions that a strict record had to wait for. */
  readonly gaps: number;
  readonly calls: number;
  readonly sentSeconds: number;
  readonly seconds: number;
}

export interface ShuffleRun extends Size {
  readonly shuffled: Half;
  readonly ordered: Half;
}

/** Why the run proves nothing; undefined where it met what it was to meet. */
export function voidOf({ records, shuffled, ordered }: ShuffleRun): string | undefined {
  const { late, gaps, applied, superseded, redelivered, again, admitted } = shuffled;
  const missed = [
    ...(late.strict === 0 || gaps === 0 ? ['no strict record met a change too early'] : []),
    ...(late.latest === 0 || superseded === 0 ? ['no latest record met a change too late'] : []),
    ...(applied.latest <= records / 2 ? ['no latest record was applied more than once'] : []),
    ...(redelivered === 0 ? ['no delivery came twice'] : []),
    ...(again === 0 ? ['no change came in a second delivery'] : []),
    ...(admitted.length < 3 || admitted.includes(0) ? [`the ingresses admitted ${admitted.join(', ')}`] : []),
    ...(ordered.late.strict + ordered.late.latest > 0 ? ['the ordered run was not in order'] : []),
  ];
  return missed.length === 0 ? undefined : `void: ${missed.join('; ')}`;
}

/** What must not be, one sentence each. */
export function wrongOf({ shuffled, ordered }: ShuffleRun): readonly string[] {
  return [
    ...shuffled.wrong.map((sentence) => `shuffled: ${sentence}`),
    ...ordered.wrong.map((sentence) => `ordered: ${sentence}`),
    ...differences(ordered.content, shuffled.content).map((sentence) => `the content is not that of the ordered run: ${sentence}`),
  ];
}

export function summaryOf({ changes, records, shuffled, ordered }: ShuffleRun): readonly string[] {
  const { late, gaps, admitted, redelivered, again } = shuffled;
  const ended = ({ applied, superseded, calls, seconds }: Half): string =>
    `${applied.strict} strict and ${applied.latest} latest changes applied, ${superseded} superseded, ${calls} calls, in ${seconds.toFixed(1)} s`;
  return [
    `${changes} changes of ${records} records, half of them strict and half latest`,
    `shuffled  ${shuffled.deliveries} deliveries over ${admitted.length} ingresses, which admitted ${admitted.join(', ')}`,
    `          ${redelivered} were redeliveries, and ${again} changes came again beside others`,
    `          ${late.strict} strict and ${late.latest} latest changes came after a greater one of their record; ${gaps} gaps were waited for`,
    `          ${ended(shuffled)}`,
    `ordered   ${ordered.deliveries} deliveries; ${ended(ordered)}`,
  ];
}
