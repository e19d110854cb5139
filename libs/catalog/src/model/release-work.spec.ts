import { DOCUMENT_FAULTS_MAX } from '@connector/kernel/document-fault';
import { exampleRelease, layout, seal } from '@connector/testing/fixtures/app-release';
import { chainedRelease, hostileBundles } from '@connector/testing/fixtures/limit-releases';
import { checkRelease, type ReleaseInput } from './release';

/** Four times the input may cost so much of the processor, sixteen would be the square; what is over in no time gets the slack. */
const TIMES_MAX = 6;
const SLACK_MS = 3;
const ROUNDS_MIN = 3;
const ROUNDS_MAX = 12;

const NAMESPACE = 'io.nexuscrm.sfcrm.layouts';
const example = seal(exampleRelease());

function costOf(input: ReleaseInput): number {
  const began = process.cpuUsage();
  checkRelease(input);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e3;
}

/**
 * Both sizes in turn, of each the cheapest round: what else runs on the machine can only add. More rounds where it does not hold yet; work of
 * another order than the input's never comes under it.
 */
function expectLinear(what: string, small: ReleaseInput, large: ReleaseInput): void {
  costOf(small);
  let [one, four] = [costOf(small), costOf(large)];
  const holds = (): boolean => four <= one * TIMES_MAX + SLACK_MS;
  for (let round = 1; round < ROUNDS_MIN || (round < ROUNDS_MAX && !holds()); round += 1) {
    one = Math.min(one, costOf(small));
    four = Math.min(four, costOf(large));
  }
  console.log(`${what}: ${one.toFixed(1)} and ${four.toFixed(1)} ms of processor, ${(four / one).toFixed(2)} times`);
  expect(holds()).toBe(true);
}

const bundleOnly = (bundle: Buffer): ReleaseInput => ({ manifest: example.manifest, bundle, blobOf: () => undefined });
/** As long as nothing ends at a limit before it was read, so that all of it is work. */
const BYTES = 120_000;
const longer = new Map(hostileBundles(4 * BYTES).map(({ what, make }) => [what, make]));

/** So many layouts whose format is another each time, all of one blob that is larger the more they are. */
function manyFormats(components: number): ReleaseInput {
  const draft = exampleRelease();
  const made = Array.from({ length: components }, (_, index) => layout(NAMESPACE, `k${index}`).descriptor);
  made.forEach((descriptor, index) =>
    Object.assign(descriptor, { component_format_version: index + 1, content_digest: made[0]?.['content_digest'] }),
  );
  draft.components.splice(0, 3, ...made.sort((left, right) => (String(left['component_id']) < String(right['component_id']) ? -1 : 1)));
  const blob = Buffer.alloc(components * 4_096, 0x20);
  return { ...seal(draft), blobOf: () => blob };
}

/** So many layouts in no order, each under another's name, with a dependency that is not there. */
function manyFaults(components: number): ReleaseInput {
  const draft = exampleRelease();
  const absent = `sha256:${'0'.repeat(64)}`;
  const made = Array.from({ length: components }, (_, index) => layout(NAMESPACE, `k${index}`, [absent]).descriptor);
  made.sort((left, right) => (String(left['component_id']) < String(right['component_id']) ? 1 : -1));
  for (const descriptor of made) descriptor['business_key'] = `${String(descriptor['business_key'])}-other`;
  draft.components.splice(0, 3, ...made);
  return seal(draft);
}

/** One layout again and again. */
function manyTimes(components: number): ReleaseInput {
  const draft = exampleRelease();
  const { descriptor } = layout(NAMESPACE, 'k');
  draft.components.splice(0, 3, ...Array.from({ length: components }, () => descriptor));
  return seal(draft);
}

describe('work of checking a release', () => {
  it('linear: 8,000 components against 2,000 (cat:A-25)', () => {
    expectLinear('components', chainedRelease(2_000), chainedRelease(8_000));
  });

  it.each(hostileBundles(BYTES))('linear: $what, four times as many bytes (cat:A-25)', ({ what, make }) => {
    expectLinear(what, bundleOnly(make()), bundleOnly(longer.get(what)?.() ?? Buffer.alloc(0)));
  });

  it('linear: one blob under formats that nobody knows is not hashed for each of them (cat:A-25)', () => {
    expectLinear('formats', manyFormats(200), manyFormats(800));
  });

  it('linear: a fault or more a component, of which a hundred are listed and the others counted (cat:A-25)', () => {
    for (const [what, make, each] of [
      ['faults', manyFaults, 4],
      ['repetitions', manyTimes, 1],
    ] as const) {
      const answer = checkRelease(make(1_000));
      if (answer.kind !== 'faulty') throw new Error('accepted');
      expect(answer.faults).toHaveLength(DOCUMENT_FAULTS_MAX);
      expect(answer.faults.length + answer.more).toBeGreaterThanOrEqual(1_000 * each - each);
      expectLinear(what, make(500), make(2_000));
    }
  });
});
