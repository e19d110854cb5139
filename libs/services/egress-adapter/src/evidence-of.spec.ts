import { contradiction } from '@connector/connector/model/outbound/evidence';
import type { Answer, Classified } from '@connector/packs/engine/callout';
import type { Seen } from './call-once';
import { evidenceOf } from './evidence-of';

const SECRET = Buffer.from('a-secret-of-some-length');
const HEAD: Extract<Seen, { kind: 'head' }> = {
  kind: 'head',
  status: 201,
  headers: {},
  body: Buffer.from('{"id":"t1"}'),
  broken: undefined,
};
const profile = (classified: Classified) => ({ classify: () => classified });
const CONFIRMED = profile({ class: 'confirmed', remoteIdentity: 't1' });
const NEVER = {
  classify: (): Classified => {
    throw new Error('asked without a head');
  },
};

describe('evidence', () => {
  it('no_effect without I/O: what never began, told by where it ended', () => {
    const evidence = evidenceOf(NEVER, { kind: 'not-begun', at: 'connect', why: 'ECONNREFUSED' }, SECRET);
    expect(evidence).toMatchObject({
      outcome: 'no_effect',
      ioStarted: false,
      againAfterMs: 0,
      status: null,
      detail: 'nothing was sent: connect ECONNREFUSED',
    });
    expect(contradiction(evidence)).toBeUndefined();
  });

  it('uncertain: con:CRASH-23 without a whole head the profile is not even asked', () => {
    expect(evidenceOf(NEVER, { kind: 'no-head', why: 'ECONNRESET' }, SECRET)).toMatchObject({
      outcome: 'uncertain',
      ioStarted: true,
      status: null,
    });
  });

  it.each([
    [{ class: 'confirmed', remoteIdentity: 't1' }, 'remote_confirmed', 't1'],
    [{ class: 'refused_final' }, 'no_effect', null],
    [{ class: 'uncertain', why: 'status-not-listed' }, 'uncertain', null],
  ] as const)('by the frozen profile: %j', (classified, outcome, remoteIdentity) => {
    const evidence = evidenceOf(profile(classified), HEAD, SECRET);
    const answered = { ioStarted: true, status: 201, answer: HEAD.body, againAfterMs: null };
    expect(evidence).toMatchObject({ ...answered, outcome, remoteIdentity });
    expect(contradiction(evidence)).toBeUndefined();
  });

  it.each([
    [0, 'status 201: refused for now'],
    [90_000, 'status 201: refused for now, Retry-After 90 s'],
  ])('no_effect that licenses another attempt: a refusal that passes, after %i ms', (retryAfterMs, detail) => {
    const evidence = evidenceOf(profile({ class: 'refused_for_now', retryAfterMs }), HEAD, SECRET);
    expect(evidence).toMatchObject({ outcome: 'no_effect', ioStarted: true, againAfterMs: retryAfterMs, detail });
    expect(contradiction(evidence)).toBeUndefined();
  });

  it('complete: the profile learns whether the body came whole', () => {
    const asked: boolean[] = [];
    const classify = ({ complete }: Answer): Classified => {
      asked.push(complete);
      return { class: 'uncertain', why: 'body-broken' };
    };
    for (const broken of [undefined, 'over-cap']) evidenceOf({ classify }, { ...HEAD, broken }, SECRET);
    expect(asked).toEqual([true, false]);
  });

  it('kept: at most 64 KiB of the answer', () => {
    expect(evidenceOf(CONFIRMED, { ...HEAD, body: Buffer.alloc(100_000) }, SECRET).answer).toHaveLength(65_536);
  });

  it('not kept: con:INV-18 an answer or an identity that repeats the credential; what it proves stands', () => {
    const echoed = evidenceOf(CONFIRMED, { ...HEAD, body: Buffer.from(`{"you_sent":"${SECRET.toString()}"}`) }, SECRET);
    expect(echoed).toMatchObject({ outcome: 'remote_confirmed', answer: null, remoteIdentity: 't1' });
    const named = evidenceOf(profile({ class: 'confirmed', remoteIdentity: SECRET.toString() }), HEAD, SECRET);
    expect(named).toMatchObject({ outcome: 'remote_confirmed', answer: null, remoteIdentity: null });
    expect(JSON.stringify([echoed, named])).not.toContain(SECRET.toString());
  });
});
