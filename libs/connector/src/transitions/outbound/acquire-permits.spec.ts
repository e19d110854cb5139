import type { AccountName, CredentialFence, GateFence, Instant } from '@connector/kernel/brand';
import { Digest } from '@connector/kernel/digest';
import { CredentialGenerationId, EffectId, EpochId } from '@connector/kernel/ids';
import type { CredentialGate } from '../../fences/credential-gate';
import type { Gate } from '../../fences/serving-gate';
import { judgeEffect } from './acquire-permits.step';
import type { HeldEffect } from './claim-effects.step';

const digest = (text: string): Digest => Digest.sha256(Buffer.from(text));
const epochId = EpochId.mint();
const generationId = CredentialGenerationId.mint();
const gate: Gate = {
  account: 'north/acme' as AccountName,
  fence: 7n as GateFence,
  epochId,
  epochDigest: digest('epoch'),
  mode: 'v2_serving',
  accountPrefix: Buffer.alloc(4),
};
const effect: HeldEffect = {
  effectId: EffectId.of(Buffer.alloc(16)),
  state: 'prepared',
  attemptCount: 0,
  dueAt: '2026-01-01T00:00:00.000001Z' as Instant,
  frozen: {
    epoch_id: epochId,
    epoch_digest: digest('epoch'),
    route_policy_digest: digest('policy'),
    credential_generation_id: generationId,
    request_digest: digest('request'),
  },
};
const enabled: CredentialGate = { generationId, mode: 'enabled', fence: 3n as CredentialFence };
const judge = (over: Partial<HeldEffect>, now = effect.dueAt, credential: CredentialGate | undefined = enabled): string =>
  judgeEffect({ ...effect, ...over }, gate, now, new Map([[generationId, credential]])).kind;

describe('acquire-permits, judged', () => {
  it('grantable: con:PACQ-P prepared, due to the microsecond, of the gate’s epoch, under an enabled gate', () => {
    expect(judge({})).toBe('grantable');
  });
  it('not-due: one microsecond early', () => {
    expect(judge({}, '2026-01-01T00:00:00.000000Z' as Instant)).toBe('not-due');
  });
  it.each(['dispatching', 'remote_confirmed', 'uncertain', 'no_effect', 'finalized', 'quarantined'] as const)(
    'not-prepared: con:REFF-01 con:NEG-REFF an effect that is %s gets no permit',
    (state) => {
      expect(judge({ state })).toBe('not-prepared');
    },
  );
  it('other-epoch: the id and the digest must both be the gate’s', () => {
    const frozen = effect.frozen;
    expect(frozen && judge({ frozen: { ...frozen, epoch_id: EpochId.mint() } })).toBe('other-epoch');
    expect(frozen && judge({ frozen: { ...frozen, epoch_digest: digest('other') } })).toBe('other-epoch');
  });
  it('credential-revoked: con:PACQ-P a revoked gate, whatever its fence', () => {
    expect(judge({}, effect.dueAt, { ...enabled, mode: 'revoked' })).toBe('credential-revoked');
  });
});
