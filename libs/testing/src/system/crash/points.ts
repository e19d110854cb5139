import { crashPoints, type Door } from '@connector/kernel/paths';
import type { DbRole, Service } from '@connector/kernel/roles';
import { artifactDoors } from '@connector/artifacts/model/paths';
import { catalogDoors } from '@connector/catalog/model/paths';
import { journalDoors } from '@connector/connector/model/journal-paths';
import { connectorDoors } from '@connector/connector/model/paths';
import { controlDoors } from '@connector/control/model/paths';
import { packDoors } from '@connector/packs/model/paths';
import { runtimeDoors } from '@connector/runtime/model/paths';
import { securityDoors } from '@connector/security/model/paths';
import type { Random } from '../random';

/** Where one process is to die. */
export interface CrashPoint {
  /** `<door>/<step>`. */
  readonly name: string;
  readonly door: string;
  /** Only some runs of the door come there. */
  readonly conditional: boolean;
  /** The process that opens the door; of several, one by the seed. */
  readonly service: Service;
}

/** Doors that ask a legacy world: no running system has one. They are cut at each statement in `conversion/interrupted.db.spec.ts`. */
export const WITHOUT_WORLD: readonly string[] = ['fail-conversion', 'retire-legacy-reader', 'delete-legacy-pack'];

const SCHEMA_MOVED =
  'only an attempt that Runtime may hold when its schema moves comes there, and a catalog knows one schema from its start; it is cut in installations/schema-moved.db.spec.ts';
/** Statements of doors that a running system opens, to which nothing leads it, and why. */
export const NOT_LED: Readonly<Record<string, string>> = {
  'open-publication/insert cat_conversion':
    'only the conversion of a legacy pack comes there; it is cut in conversion/interrupted.db.spec.ts',
  'open-publication/insert cat_legacy_reader':
    'only the conversion of a legacy pack comes there; it is cut in conversion/interrupted.db.spec.ts',
  'fail-publication/read cat_installation#live': SCHEMA_MOVED,
  'fail-publication/read cat_candidate#active': SCHEMA_MOVED,
  'fail-publication/insert cat_candidate': SCHEMA_MOVED,
  'fail-publication/update cat_lineage#open': SCHEMA_MOVED,
  'set-membership/insert cat_view_current': 'the publication that made an installation ACTIVE has pointed each of its workloads at a view',
};
/** Why no running system is led to this point; undefined for one that is to be reached every time. */
export const whyNotLed = ({ name }: CrashPoint): string | undefined => NOT_LED[name];

/** Every door of every owner. */
export const EVERY_DOOR: readonly Door[] = [
  ...[connectorDoors, runtimeDoors, securityDoors, controlDoors, packDoors, catalogDoors, artifactDoors, journalDoors],
].flatMap((doors) => Object.values<Door>(doors));
/** Those that a running system can open: what the matrix is generated from. */
export const DOORS: readonly Door[] = EVERY_DOOR.filter(({ name }) => !WITHOUT_WORLD.includes(name));

const PROCESS_OF: Readonly<Record<DbRole, Service>> = {
  ingress: 'ingress',
  claimant: 'execution-claimant',
  runtime: 'runtime',
  dispatcher: 'outbound-dispatcher',
  egress: 'egress-adapter',
  coordinator: 'cutover-coordinator',
  verifier: 'cutover-coordinator',
  control: 'control',
  catalog: 'catalog',
  packs: 'catalog',
  artifacts: 'catalog',
  security: 'runtime',
  operator: 'operator',
};

/** Once in the life of a service: each needs one that has not begun. */
const GENESIS: ReadonlySet<string> = new Set([
  ...['declare-predecessor', 'intend-genesis', 'activate-genesis', 'commit-genesis'],
  ...['take-holder-fence', 'acquire-barrier', 'release-barrier', 'acquire-pack-barrier', 'release-pack-barrier'],
]);
export const isGenesis = ({ door }: CrashPoint): boolean => GENESIS.has(door);

/** As the tables have them; the count of what is run is compared with this one. */
export const TABLED = DOORS.reduce((sum, door) => sum + crashPoints(door).length, 0);

export function allPoints(random: Random): readonly CrashPoint[] {
  return DOORS.flatMap((door) => {
    const conditional = new Set(door.steps.filter((step) => step.conditional).map((step) => `${door.name}/${step.name}`));
    return crashPoints(door).map((name) => {
      const role = door.by[random.below(door.by.length)];
      if (role === undefined) throw new RangeError(`nobody opens ${door.name}`);
      return { name, door: door.name, conditional: conditional.has(name), service: PROCESS_OF[role] };
    });
  });
}
