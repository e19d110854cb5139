import {
  LEGACY_REMAINDERS,
  type LegacyHeld,
  type LegacyPacks,
  type LegacyRead,
  type LegacyRemainder,
} from '@connector/catalog/contract/legacy-packs';
import {
  type LegacyComponent,
  legacyPayloadHash,
  type LegacyRecord,
  type LegacyRef,
} from '@connector/catalog/model/conversion/legacy-pack';
import { Digest } from '@connector/kernel/digest';
import type { OperationId } from '@connector/kernel/ids';

interface Row {
  record: LegacyRecord;
  hold: OperationId | null;
  sealed: boolean;
}
export type LegacyWrite = 'written' | 'frozen' | 'no-authority';

/** What a legacy world keeps beside the row of a pack, each by the pack that it is of. */
type Beside = Record<LegacyRemainder, Set<string>>;
const keyOf = ({ organization, packInstallId }: LegacyRef): string => `${organization} ${packInstallId}`;
const plain = (_key: string, value: unknown): unknown => (value instanceof Set ? [...(value as Set<unknown>)].sort() : value);

/**
 * legacy world (test only): installed packs in memory, with the three ways in which they are written, as an adapter of the port would find them.
 * No deployment has one. It outlives whoever talks to it, so a caller may die at any point and another one goes on.
 */
export class LegacyWorldForTests implements LegacyPacks {
  available = true;
  /** What a deletion does not get rid of. */
  stuck: LegacyRemainder | undefined;
  readonly #rows = new Map<string, Row>();
  readonly #beside = Object.fromEntries(LEGACY_REMAINDERS.map((one) => [one, new Set<string>()])) as Beside;

  /** The first of the three ways. */
  install(record: LegacyRecord): LegacyWrite {
    const standing = this.#rows.get(keyOf(record));
    if (standing !== undefined && isFrozen(standing)) return 'frozen';
    if (standing === undefined && this.#gone.has(keyOf(record))) return 'no-authority';
    this.#rows.set(keyOf(record), { record, hold: null, sealed: false });
    for (const one of LEGACY_REMAINDERS) this.#beside[one].add(keyOf(record));
    return 'written';
  }

  /** Applies again what is wanted. */
  reapply(ref: LegacyRef): LegacyWrite {
    return this.#write(ref, (record) => ({ ...record, appliedPayloadHash: record.desiredPayloadHash }));
  }

  /** Other components, wanted and applied. */
  upgrade(ref: LegacyRef, components: readonly LegacyComponent[]): LegacyWrite {
    return this.#write(ref, (record) => {
      const hash = legacyPayloadHash({ manifest: record.manifest ?? Buffer.alloc(0), components });
      return { ...record, components, desiredPayloadHash: hash, appliedPayloadHash: hash };
    });
  }

  /** A byte that changes past all writers, as a disk or a hand would change it. */
  corrupt(ref: LegacyRef, change: (record: LegacyRecord) => LegacyRecord): void {
    const row = this.#rows.get(keyOf(ref));
    if (row !== undefined) row.record = change(row.record);
  }

  readonly #gone = new Set<string>();

  #write(ref: LegacyRef, change: (record: LegacyRecord) => LegacyRecord): LegacyWrite {
    const row = this.#rows.get(keyOf(ref));
    if (row === undefined) return 'no-authority';
    if (isFrozen(row)) return 'frozen';
    row.record = change(row.record);
    return 'written';
  }

  /** One digest of every row and of what stands beside them. */
  content(): Digest {
    const rows = [...this.#rows].sort(([left], [right]) => (left < right ? -1 : 1));
    return Digest.sha256(Buffer.from(JSON.stringify([rows, this.#beside], plain)));
  }

  remainsOf(ref: LegacyRef): readonly LegacyRemainder[] {
    return LEGACY_REMAINDERS.filter((one) => this.#beside[one].has(keyOf(ref)));
  }

  read(ref: LegacyRef): Promise<LegacyRead> {
    const row = this.#rows.get(keyOf(ref));
    if (!this.available) return Promise.resolve({ kind: 'unavailable' });
    return Promise.resolve(row === undefined ? { kind: 'absent' } : { kind: 'found', record: row.record });
  }

  hold(ref: LegacyRef, appliedPayloadHash: Digest, offered: OperationId): Promise<LegacyHeld> {
    const row = this.#rows.get(keyOf(ref));
    if (!this.available) return Promise.resolve({ kind: 'unavailable' });
    if (row?.record.appliedPayloadHash !== appliedPayloadHash) return Promise.resolve({ kind: 'moved' });
    row.hold ??= offered;
    return Promise.resolve({ kind: 'held', hold: row.hold });
  }

  release(ref: LegacyRef, hold: OperationId) {
    const row = this.#rows.get(keyOf(ref));
    if (!this.available) return Promise.resolve({ kind: 'unavailable' } as const);
    if (row?.hold === hold && !row.sealed) row.hold = null;
    return Promise.resolve({ kind: 'released' } as const);
  }

  seal(ref: LegacyRef, hold: OperationId) {
    const row = this.#rows.get(keyOf(ref));
    if (!this.available) return Promise.resolve({ kind: 'unavailable' } as const);
    if (row?.hold === hold) row.sealed = true;
    return Promise.resolve({ kind: 'sealed' } as const);
  }

  delete(ref: LegacyRef, hold: OperationId) {
    const row = this.#rows.get(keyOf(ref));
    if (!this.available) return Promise.resolve({ kind: 'unavailable' } as const);
    if (row?.sealed === true && row.hold === hold) {
      this.#rows.delete(keyOf(ref));
      this.#gone.add(keyOf(ref));
    }
    if (!this.#rows.has(keyOf(ref))) {
      for (const one of LEGACY_REMAINDERS) if (one !== this.stuck) this.#beside[one].delete(keyOf(ref));
    }
    return Promise.resolve({ kind: 'deleted', remains: this.remainsOf(ref) } as const);
  }
}

const isFrozen = ({ hold, sealed }: Row): boolean => sealed || hold !== null;
