import { exampleRelease, layout, seal } from '@connector/testing/fixtures/app-release';
import { chainedRelease, hostileBundles, releaseOf } from '@connector/testing/fixtures/limit-releases';
import { RELEASE_LIMITS } from './limits';
import { checkRelease, type CheckRelease, openRelease, type ReleaseInput } from './release';

/** What a check may cost: the figures wanted are 1 s and 300 MB; the factor is for a busy machine. */
const MS_MAX = 1_000 * 5;
const MEGABYTES_MAX = 300 * 1.5;

const example = seal(exampleRelease());
const input = (bundle: Buffer, manifest = example.manifest): ReleaseInput => ({ manifest, bundle, blobOf: () => undefined });
const TAIL = '],"schema_version":"nexuscrm.metadata-bundle/v1"}';

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

describe('limits of a release', () => {
  it('release: ten thousand components in one chain', () => {
    const sealed = chainedRelease(RELEASE_LIMITS.components);
    console.log(`the bundle has ${sealed.bundle.length} bytes`);
    expect(openRelease(sealed).needed).toHaveLength(10_000);
    expect(measured('10,000 components', () => checkRelease(sealed)).kind).toBe('release');
  });

  it.each(hostileBundles())('refused: $what (cat:A-25)', ({ what, make, code }) => {
    const bundle = make();
    expect(codes(measured(`${bundle.length} bytes, ${what}`, () => checkRelease(input(bundle))))).toContain(code);
  });

  it('the same answer as often as it is asked, of documents that were read once', () => {
    const draft = exampleRelease();
    draft.manifest['semantic_version'] = 'v1';
    const opened = openRelease(seal(draft));
    const [without, again] = [opened.check(() => undefined), opened.check(() => undefined)];
    expect(codes(without)).toEqual(['SEMVER_NOT_CANONICAL', 'BLOB_MISSING']);
    expect(again).toEqual(without);
    expect(codes(opened.check(seal(draft).blobOf))).toEqual(['SEMVER_NOT_CANONICAL']);
    expect(openRelease(example).check(example.blobOf)).toEqual(checkRelease(example));
  });

  it('refused: a manifest, a blob, a list of components one over its limit (cat:A-25)', () => {
    const manifest = Buffer.alloc(RELEASE_LIMITS.manifest + 1, 0x20);
    expect(codes(checkRelease({ ...example, manifest }))).toEqual(['LIMIT_EXCEEDED']);
    const large = Buffer.alloc(RELEASE_LIMITS.blob + 1, 0x20);
    expect(codes(checkRelease({ ...example, blobOf: () => large }))).toEqual(['LIMIT_EXCEEDED']);
    expect(codes(checkRelease(input(Buffer.from(`{"components":[${'0,'.repeat(10_000)}0${TAIL}`))))).toEqual([
      'DIGEST_MISMATCH',
      'LIMIT_EXCEEDED',
    ]);
    expect(openRelease(input(Buffer.from(`{"components":[${'0,'.repeat(10_000)}0${TAIL}`))).needed).toEqual([]);
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

  it('refused: one value more than all behaviors together may hold, whichever they stand in; as many are accepted (cat:A-25)', () => {
    // An object, a list in it, and as many items.
    const holding = (name: string, values: number): Buffer => Buffer.from(`{"${name}":[${'0,'.repeat(values - 3)}0]}`);
    const half = RELEASE_LIMITS.values / 2;
    expect(checkRelease(releaseOf([holding('a', half), holding('b', half)])).kind).toBe('release');
    for (const [one, other] of [
      [half + 1, half],
      [half, half + 1],
    ] as const)
      expect(codes(checkRelease(releaseOf([holding('a', one), holding('b', other)])))).toEqual(['LIMIT_EXCEEDED']);
    expect(codes(checkRelease(releaseOf([holding('a', RELEASE_LIMITS.values + 1)])))).toEqual(['LIMIT_EXCEEDED']);
  });
});
