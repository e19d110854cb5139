import { Digest } from '@connector/kernel/digest';
import { EffectGenerationId, OutboundCommandId } from '@connector/kernel/ids';
import { uuidBytes } from '@connector/kernel/document';
import { profiledVector } from '@connector/testing/vectors/load';
import { dispatchBindingDigest } from './dispatch-binding';
import { type EffectIntent, initialEffect, logicalEffectDigest } from './effect';
import { bindingRowDigest } from './binding';
import { executionDigest, runtimeCommandDigest } from './execution';
import { eventDigest, projectionDigest } from './inbound';
import { requestDigest, type CanonicalRequest } from './request';
import { accountSetDigest } from './scope';

const OTHER = Digest.sha256(Buffer.from('other'));
const SCOPE = {
  organization: '018f3c2a-7b10-7c4e-9a51-2d6f0b1c8e01',
  installation: '018f3c2a-9d44-7a02-8b77-51c0a7e3f902',
  workload: 'wl.connector.runner',
};
const INTENT: EffectIntent = {
  originKind: 'execution',
  originIntentId: uuidBytes('018f3c2a-0e0e-7000-8000-000000000001'),
  intent: 'ticket.open',
  slot: 'main',
};
const firstHalf = (digest: Digest): Buffer => Digest.bytes(digest).subarray(0, 16);

describe('logical effect', () => {
  const { digest } = profiledVector('logical effect');

  it('another key when any of its four parts is another (con:IDN-10)', () => {
    const parts = {
      applicationScope: profiledVector('application scope').digest,
      effectRoot: profiledVector('effect root').digest,
      slot: 'main',
      generationId: firstHalf(profiledVector('initial effect generation').digest),
    };
    expect(logicalEffectDigest(parts).digest).toBe(digest);
    const others = [{ applicationScope: OTHER }, { effectRoot: OTHER }, { slot: 'second' }, { generationId: Buffer.alloc(16) }];
    const keys = others.map((other) => logicalEffectDigest({ ...parts, ...other }).digest);
    expect(new Set([digest, ...keys]).size).toBe(5);
  });

  it('another root, generation and key under another application scope: the intent cannot choose it (con:IDN-10)', () => {
    const ours = initialEffect(SCOPE, INTENT);
    expect(ours.effect.digest).toBe(digest);
    // Fields that a caller adds are not read.
    const smuggled = { ...INTENT, applicationScope: OTHER, organization: 'x' };
    expect(initialEffect(SCOPE, smuggled).effect.digest).toBe(digest);
    const theirs = initialEffect({ ...SCOPE, organization: 'x' }, INTENT);
    expect(theirs.root.digest).not.toBe(ours.root.digest);
    expect(theirs.generation.id).not.toBe(ours.generation.id);
    expect(theirs.effect.digest).not.toBe(digest);
  });

  it('the same generation and key on every retry, another for another slot of the operation (con:IDN-11)', () => {
    expect(initialEffect(SCOPE, { ...INTENT })).toEqual(initialEffect(SCOPE, INTENT));
    const second = initialEffect(SCOPE, { ...INTENT, slot: 'second' });
    expect(second.root.digest).toBe(initialEffect(SCOPE, INTENT).root.digest);
    expect(second.generation.id).not.toBe(initialEffect(SCOPE, INTENT).generation.id);
    expect(second.effect.digest).not.toBe(digest);
  });

  it('an id that is derived from the key: its first 16 bytes (con:IDN-12)', () => {
    const { effect, generation } = initialEffect(SCOPE, INTENT);
    expect(OutboundCommandId.bytes(effect.id)).toEqual(firstHalf(digest));
    expect(EffectGenerationId.bytes(generation.id).toString('hex')).toBe('b053ab1128ad885adfb44cbc645b9d5b');
  });
});

describe('derived ids', () => {
  const id16 = Buffer.alloc(16, 1);
  it.each([
    ['evt', eventDigest({ account: 'a', sourceEventKey: Buffer.from('k'), replayRequestId: null })],
    ['prj', projectionDigest({ eventId: id16, routeIdentity: OTHER, epochDigest: OTHER, windowId: null })],
    ['exe', executionDigest(id16, 0)],
    ['cmd', runtimeCommandDigest(OTHER)],
    ['bnd', bindingRowDigest(id16, 0, OTHER)],
    ['efg', initialEffect(SCOPE, INTENT).generation],
    ['obc', initialEffect(SCOPE, INTENT).effect],
  ])('%s_: the first 16 bytes of the digest', (prefix, made) => {
    expect(made.id.slice(0, 4)).toBe(`${prefix}_`);
    expect(OutboundCommandId.bytes(`obc_${made.id.slice(4)}` as OutboundCommandId)).toEqual(firstHalf(made.digest));
  });

  it('another event for another account, key or replay of the same key (con:IDN-06, con:IDN-07)', () => {
    const live = { account: 'a', sourceEventKey: Buffer.from('k'), replayRequestId: null };
    const others = [live, { ...live, account: 'b' }, { ...live, sourceEventKey: Buffer.from('K') }, { ...live, replayRequestId: id16 }];
    expect(new Set(others.map((event) => eventDigest(event).id)).size).toBe(4);
  });
});

describe('request', () => {
  const request: CanonicalRequest = {
    method: 'POST',
    target: '/v1/tickets',
    headers: [
      ['x-origin', 'connector'],
      ['content-type', 'application/json'],
    ],
    body: Buffer.from('{"subject":"A"}'),
    providerIdempotencyKey: 'idem-1',
  };

  it('the same bytes for a repeat, whatever the order of its headers (con:DIG-17)', () => {
    expect(requestDigest(request).digest).toBe(profiledVector('canonical request').digest);
    expect(requestDigest({ ...request, headers: [...request.headers].reverse() }).preimage).toEqual(requestDigest(request).preimage);
  });

  it('another digest when a header value, the body or the key is another, and for a repeated header (con:DIG-17)', () => {
    const others = [
      { headers: [] },
      { headers: [...request.headers, ['x-origin', 'connector'] as const] },
      { body: Buffer.from('{"subject":"B"}') },
      { providerIdempotencyKey: null },
      { providerIdempotencyKey: '' },
      { target: '/v1/tickets?' },
    ];
    expect(new Set([request, ...others.map((other) => ({ ...request, ...other }))].map((one) => requestDigest(one).digest)).size).toBe(7);
  });

  it('refused: a method in lower case or a header name with a capital, never folded', () => {
    expect(() => requestDigest({ ...request, method: 'post' })).toThrow('upper case');
    expect(() => requestDigest({ ...request, headers: [['X-Origin', 'connector']] })).toThrow('lower case');
  });
});

describe('dispatch binding', () => {
  const id16 = Buffer.alloc(16, 1);
  const parts = {
    account: 'acme',
    epochId: id16,
    epochDigest: OTHER,
    packGenerationStorageId: 's',
    packPayloadDigest: OTHER,
    effectDefinition: 'd',
    definitionVersion: '1',
    routePolicyDigest: OTHER,
    configurationId: id16,
    configurationDigest: OTHER,
    credentialGenerationId: id16,
    requestDigest: OTHER,
    effectRoot: OTHER,
    effectGenerationId: id16,
    succession: null,
    providerIdempotencyKey: null,
  };
  const THIRD = Digest.sha256(Buffer.from('third'));
  const changed = (value: unknown): unknown => {
    if (Buffer.isBuffer(value)) return Buffer.alloc(16, 2);
    return typeof value === 'string' && !value.startsWith('sha256:') ? 'x' : THIRD;
  };
  it.each(Object.keys(parts).filter((field) => field !== 'succession'))('another binding when %s is another (con:DIG-17)', (field) => {
    const other = { ...parts, [field]: changed(parts[field as keyof typeof parts]) };
    expect(dispatchBindingDigest(other).digest).not.toBe(dispatchBindingDigest(parts).digest);
  });

  it('the profile of the request digest is hashed in (con:DIG-03)', () => {
    const { preimage } = dispatchBindingDigest(parts);
    const profile = Buffer.from('nexuscrm.connector-digest-profile.v2');
    expect(preimage.indexOf(profile, preimage.indexOf(profile) + 1)).toBeGreaterThan(0);
  });
});

describe('account set', () => {
  it('the same digest in any order, by UTF-8 bytes and not by UTF-16 units; refused: an account twice', () => {
    const emoji = '\u{1f600}';
    const later = '\ufb33';
    expect(accountSetDigest([emoji, later, 'acme']).preimage).toEqual(accountSetDigest(['acme', later, emoji]).preimage);
    const { preimage } = accountSetDigest([emoji, later]);
    expect(preimage.indexOf(later)).toBeLessThan(preimage.indexOf(emoji));
    expect(() => accountSetDigest(['acme', 'acme'])).toThrow('twice');
  });
});
