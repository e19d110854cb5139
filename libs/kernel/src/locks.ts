/** The one lock order (decisions 3.2); within a rank by ascending key. Work rows are locked last by everybody. */
export const LOCK_ORDER = [
  'service',
  'barrier-set',
  'gate',
  'epoch',
  'cgate',
  'channel-key-gate',
  'admission-key',
  'lane',
  'receipt',
  'projection',
  'execution',
  'dependency',
  'runtime-command',
  'runtime-record',
  'feed-head',
  'effect',
  'attempt',
  'permit',
  'link',
  'holder',
  'owner',
  'publisher',
  'app',
  'catalog-barrier',
  'lineage',
  'installation',
  'ownership-head',
  'slot-head',
  'pack-generation',
  'security-head',
  'work',
] as const;
export type Rank = (typeof LOCK_ORDER)[number];

const PLACE = new Map<Rank, number>(LOCK_ORDER.map((rank, index) => [rank, index]));

export function placeOf(rank: Rank): number {
  return PLACE.get(rank) as number;
}
