import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { GenerationId, IsolationId, TerminationId } from '@connector/kernel/ids';

/** One start of the adapter. Its receipts have their ids from the beginning, so that a lost answer is asked for again under the same ones. */
export interface Generation {
  readonly generation: GenerationId;
  readonly termination: TerminationId;
  readonly isolation: IsolationId;
}
type Entry = ({ readonly kind: 'starting' } & Generation) | { readonly kind: 'proved'; readonly generation: GenerationId };

/**
 * Which generations of the adapter were started and whose end is not proved yet: a file of lines, synced before the process can exist. A
 * supervisor that died leaves its generations here, and the next one proves their ends (decisions 13.3).
 */
export class GenerationJournal {
  readonly #file: number;
  readonly #open = new Map<GenerationId, Generation>();

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    for (const entry of entriesOf(path)) this.#take(entry);
    compact(path, [...this.#open.values()]);
    this.#file = openSync(path, 'a', 0o600);
  }

  /** Started, and not known to be proved. */
  get unproved(): readonly Generation[] {
    return [...this.#open.values()];
  }

  begin(): Generation {
    const born = { generation: GenerationId.mint(), termination: TerminationId.mint(), isolation: IsolationId.mint() };
    this.#append({ kind: 'starting', ...born });
    return born;
  }

  /** Both receipts stand. */
  proved(generation: GenerationId): void {
    this.#append({ kind: 'proved', generation });
  }

  close(): void {
    closeSync(this.#file);
  }

  #append(entry: Entry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
    fsyncSync(this.#file);
    this.#take(entry);
  }

  #take(entry: Entry): void {
    if (entry.kind === 'proved') this.#open.delete(entry.generation);
    else this.#open.set(entry.generation, { generation: entry.generation, termination: entry.termination, isolation: entry.isolation });
  }
}

/** A line that a crash cut off tells of a process that never began: it is written before the start. */
function entriesOf(path: string): readonly Entry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => entryOf(JSON.parse(line)));
}

function entryOf(value: unknown): Entry {
  const member = (name: string): string => String(Reflect.get(Object(value), name));
  const generation = GenerationId.parse(member('generation'));
  if (member('kind') === 'proved') return { kind: 'proved', generation };
  return {
    kind: 'starting',
    generation,
    termination: TerminationId.parse(member('termination')),
    isolation: IsolationId.parse(member('isolation')),
  };
}

function compact(path: string, open: readonly Generation[]): void {
  const lines = open.map((one) => `${JSON.stringify({ kind: 'starting', ...one } satisfies Entry)}\n`);
  writeFileSync(`${path}.draft`, lines.join(''), { mode: 0o600 });
  renameSync(`${path}.draft`, path);
}
