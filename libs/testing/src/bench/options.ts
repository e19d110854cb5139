import type { Group } from './line';

export interface BenchOptions {
  readonly only: readonly Group[];
  /** Of measuring, a line. */
  readonly seconds: number;
  readonly history: number;
  readonly seed: number;
  /** Where a broker of our own lives; absolute. */
  readonly brokerDir: string;
  readonly say: (line: string) => void;
}
