import type { Json } from '@connector/kernel/jcs';
import { POLICIES } from '../transitions/control.fixture';
import { parsePolicies } from './policies';

const whole = POLICIES as unknown as { readonly [member: string]: Json };
const without = (member: string): Json => Object.fromEntries(Object.entries(whole).filter(([name]) => name !== member));

describe('policies', () => {
  it('accepted: every value is stated', () => {
    expect(parsePolicies(whole)).toEqual(POLICIES);
  });

  it.each(Object.keys(POLICIES))('refused: %s is missing, and nothing stands in for it', (member) => {
    expect(() => parsePolicies(without(member))).toThrow(member);
  });

  it.each(Object.keys(POLICIES.alert_after_ms))('refused: no alert time for %s (con:LIV-04)', (reason) => {
    const alerts = Object.fromEntries(Object.entries(POLICIES.alert_after_ms).filter(([name]) => name !== reason));
    expect(() => parsePolicies({ ...whole, alert_after_ms: alerts })).toThrow(reason);
  });

  it.each<[string, Json]>([
    ['an unknown member', { ...whole, retry_for_ever: true }],
    ['an unknown reason (con:LIV-02)', { ...whole, alert_after_ms: { ...POLICIES.alert_after_ms, other: 5000 } }],
    ['no attempt', { ...whole, attempts_max: 0 }],
    ['a text for a number', { ...whole, lease_ms: '30000' }],
    ['a part of a millisecond', { ...whole, lease_ms: 1000.5 }],
    ['a call without an end', { ...whole, call_deadline_ms: 0 }],
    ['a cap below the first wait', { ...whole, backoff: { first_ms: 100, factor: 2, cap_ms: 99 } }],
    ['null', null],
  ])('refused: %s', (_what, value) => {
    expect(() => parsePolicies(value)).toThrow();
  });
});
