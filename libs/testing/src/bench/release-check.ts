/**
 * A process that checks one release and says what it took: nothing ran in it before, so it is as cold as a service can be, and what the check
 * raises is the peak of the process.
 */
import { openRelease } from '@connector/catalog/model/release';
import type { Digest } from '@connector/kernel/digest';

export interface GivenRelease {
  readonly manifest: Uint8Array;
  readonly bundle: Uint8Array;
  readonly blobs: ReadonlyMap<Digest, Uint8Array>;
}

export interface CheckCost {
  /** Of the processor. */
  readonly ms: number;
  readonly megabytes: number;
  /** `release`, or the codes of its faults. */
  readonly answer: string;
}

/** Over the channel buffers come as plain bytes. */
const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function costOf({ manifest, bundle, blobs }: GivenRelease): CheckCost {
  const held = new Map([...blobs].map(([digest, bytes]) => [digest, buffer(bytes)]));
  const [peak, began] = [process.resourceUsage().maxRSS, process.cpuUsage()];
  const answer = openRelease({ manifest: buffer(manifest), bundle: buffer(bundle) }).check((digest) => held.get(digest));
  const { user, system } = process.cpuUsage(began);
  return {
    ms: (user + system) / 1_000,
    megabytes: ((process.resourceUsage().maxRSS - peak) * 1_024) / 1e6,
    answer: answer.kind === 'release' ? 'release' : [...new Set(answer.faults.map(({ code }) => code))].join(' '),
  };
}

process.once('message', (given: GivenRelease) => process.send?.(costOf(given), () => process.disconnect()));
