import { exampleRelease, layout, seal } from '@connector/testing/fixtures/app-release';
import { RELEASE_LIMITS } from './limits';
import { checkRelease, type CheckRelease, neededBlobs, type ReleaseInput } from './release';

/** What a check may cost: the figures wanted are 1 s and 300 MB; the factor is for a busy machine. */
const MS_MAX = 1_000 * 5;
const MEGABYTES_MAX = 300 * 1.5;

const example = seal(exampleRelease());
const input = (bundle: Buffer, manifest = example.manifest): ReleaseInput => ({ manifest, bundle, blobOf: () => undefined });
const SIZE = RELEASE_LIMITS.bundle;
/** As many times as the limit holds. */
const fill = (head: string, item: string, tail: string): Buffer =>
  Buffer.from(
    `${head}${`${item},`.repeat(Math.floor((SIZE - head.length - tail.length - item.length) / (item.length + 1)))}${item}${tail}`,
  );
const TAIL = ',"schema_version":"nexuscrm.metadata-bundle/v1"}';

function measured(name: string, run: () => CheckRelease): CheckRelease {
  const [peak, started] = [process.resourceUsage().maxRSS, process.cpuUsage()];
  const answer = run();
  // Of the processor, because others work on this machine too.
  const ms = process.cpuUsage(started).user / 1e3;
  // What it raised the peak of the process by: of a worker that ran a larger test before, nothing.
  const megabytes = ((process.resourceUsage().maxRSS - peak) * 1024) / 1e6;
  const told = answer.kind === 'faulty' ? `${answer.faults.length} faults and ${answer.more} more` : 'accepted';
  console.log(`${name}: ${ms.toFixed(0)} ms of processor, the peak ${megabytes.toFixed(0)} MB higher; ${told}`);
  expect(ms).toBeLessThan(MS_MAX);
  expect(megabytes).toBeLessThan(MEGABYTES_MAX);
  return answer;
}

function codes(answer: CheckRelease): readonly string[] {
  return answer.kind === 'faulty' ? [...new Set(answer.faults.map((fault) => fault.code))] : [];
}

/** Ten thousand layouts, all but the last thousand in one chain: as much as five mebibytes hold. */
function full() {
  const draft = exampleRelease();
  draft.components.length = 0;
  let before: string | undefined;
  const namespace = 'io.n';
  draft.manifest['owned_namespaces'] = [namespace];
  for (let index = 0; index < RELEASE_LIMITS.components; index += 1) {
    const { descriptor, behavior } = layout(namespace, `k${index}`, before === undefined || index >= 9_000 ? [] : [before]);
    before = String(descriptor['component_id']);
    draft.components.push(descriptor);
    draft.behaviors.set(before, behavior);
  }
  draft.components.sort((left, right) => (String(left['component_id']) < String(right['component_id']) ? -1 : 1));
  return draft;
}

describe('limits of a release', () => {
  it('release: ten thousand components in one chain', () => {
    const sealed = seal(full());
    console.log(`the bundle has ${sealed.bundle.length} bytes`);
    expect(neededBlobs(sealed.bundle)).toHaveLength(10_000);
    expect(measured('10,000 components', () => checkRelease(sealed)).kind).toBe('release');
  });

  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const members = (): string => Array.from({ length: 580_000 }, (_, index) => `"${(1e5 + index).toString(36)}":0`).join(',');
  const component = (member: string): readonly [string, string] => [`{"components":[{"${member}":[`, `]}]${TAIL}`];
  const hostile: readonly (readonly [string, () => Buffer, string])[] = [
    ['members that nobody knows', () => Buffer.from(`{${members()}}`), 'LIMIT_EXCEEDED'],
    ['one member again and again', () => fill('{', '"a":0', '}'), 'JSON_NOT_CANONICAL'],
    ['one dependency again and again', () => fill(component('local_dependencies')[0], '"a"', component('')[1]), 'LIMIT_EXCEEDED'],
    ['short dependencies', () => fill(component('local_dependencies')[0], '"sha"', component('')[1]), 'DIGEST_NOT_CANONICAL'],
    ['components that are no objects', () => fill('{"components":[', '1', `]${TAIL}`), 'LIMIT_EXCEEDED'],
    ['one string', () => Buffer.from(`"${'a'.repeat(SIZE - 2)}"`), 'BUNDLE_NOT_CLOSED'],
    ['one name', () => Buffer.from(`{"${'a'.repeat(SIZE - 6)}":0}`), 'BUNDLE_NOT_CLOSED'],
    ['one business key', () => Buffer.from(`{"components":[{"business_key":"${'\u00e4'.repeat(2_600_000)}"}]${TAIL}`), 'BUSINESS_KEY'],
    ['escapes', () => Buffer.from(`"${'\\u0001'.repeat(870_000)}"`), 'BUNDLE_NOT_CLOSED'],
    ['nesting one too deep', () => Buffer.from(nested(65)), 'LIMIT_EXCEEDED'],
    ['nesting without end', () => Buffer.from('['.repeat(SIZE)), 'LIMIT_EXCEEDED'],
    ['lists as deep as may be', () => fill('[', nested(63), ']'), 'LIMIT_EXCEEDED'],
    ['numbers', () => fill('[', '1e-7', ']'), 'LIMIT_EXCEEDED'],
    ['blanks', () => Buffer.from(`{}${' '.repeat(SIZE - 2)}`), 'JSON_NOT_CANONICAL'],
    ['one byte too many', () => Buffer.alloc(SIZE + 1, 0x20), 'LIMIT_EXCEEDED'],
  ];
  it.each(hostile)('refused: %s (cat:A-25)', (name, make, code) => {
    const bundle = make();
    expect(codes(measured(`${bundle.length} bytes, ${name}`, () => checkRelease(input(bundle))))).toContain(code);
  });

  it('refused: a manifest, a blob, a list of components one over its limit (cat:A-25)', () => {
    const manifest = Buffer.alloc(RELEASE_LIMITS.manifest + 1, 0x20);
    expect(codes(checkRelease({ ...example, manifest }))).toEqual(['LIMIT_EXCEEDED']);
    const large = Buffer.alloc(RELEASE_LIMITS.blob + 1, 0x20);
    expect(codes(checkRelease({ ...example, blobOf: () => large }))).toEqual(['LIMIT_EXCEEDED']);
    expect(codes(checkRelease(input(Buffer.from(`{"components":[${'0,'.repeat(10_000)}0]${TAIL}`))))).toEqual([
      'DIGEST_MISMATCH',
      'LIMIT_EXCEEDED',
    ]);
    expect(neededBlobs(Buffer.from(`{"components":[${'0,'.repeat(10_000)}0]${TAIL}`))).toEqual([]);
  });

  it('refused: more than 64 MiB in all, and then no blob is hashed; one blob of many components counts once (cat:A-25)', () => {
    const draft = exampleRelease();
    draft.components.length = 0;
    const made = Array.from({ length: 17 }, (_, index) => layout('io.nexuscrm.sfcrm.layouts', `k${index}`).descriptor);
    draft.components.push(...made.sort((left, right) => (String(left['component_id']) < String(right['component_id']) ? -1 : 1)));
    const blob = Buffer.alloc(RELEASE_LIMITS.blob, 0x20);
    const answer = checkRelease({ ...seal(draft), blobOf: () => blob });
    expect(answer).toMatchObject({ kind: 'faulty', more: 0, faults: [{ code: 'LIMIT_EXCEEDED', document: 'bundle', pointer: '' }] });
    for (const one of draft.components) one['content_digest'] = made[0]?.['content_digest'] ?? null;
    expect(codes(checkRelease({ ...seal(draft), blobOf: () => blob }))).toEqual(['DIGEST_MISMATCH']);
  });
});
