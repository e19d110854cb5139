import type { Digest } from '@connector/kernel/digest';
import { DOCUMENT_FAULTS_MAX, type DocumentFault, WORD_MAX, wordOf } from '@connector/kernel/document-fault';

/** Which document a pointer points into; of a behavior, the component that names it in the bundle. */
export type Place = { readonly document: 'manifest' | 'bundle' } | { readonly document: 'behavior'; readonly component: Digest };
export type PlacedFault = DocumentFault & Place;

/** A whole sentence for `found`, where no value can be shown. */
export class Said {
  constructor(readonly words: string) {}
}

/** The faults of a release together: the first hundred, then a count. */
export class FaultList {
  readonly faults: PlacedFault[] = [];
  more = 0;

  get none(): boolean {
    return this.faults.length === 0;
  }

  copy(): FaultList {
    const copy = new FaultList();
    copy.faults.push(...this.faults);
    copy.more = this.more;
    return copy;
  }

  of(place: Place): FaultSink {
    return (at, code, rule, expected, found, last) => {
      if (this.faults.length === DOCUMENT_FAULTS_MAX) {
        this.more += 1;
        return;
      }
      const pointer = last === undefined ? at : step(at, last);
      this.faults.push({ ...place, pointer, code, rule, expected, found: found instanceof Said ? found.words : wordOf(found) });
    };
  }
}

/**
 * Takes the faults of one document. `last` is the last step of the pointer where it is told often: beyond the hundredth fault nothing is built,
 * so a million of them cost no memory.
 */
export type FaultSink = (at: string, code: string, rule: string, expected: string, found: unknown, last?: string | number) => void;

/** One step of a JSON pointer. A name longer than a word is not repeated: the pointer then stops at the object that has it. */
export function step(at: string, name: string | number): string {
  if (typeof name === 'number') return `${at}/${name}`;
  return name.length > WORD_MAX ? at : `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
