import { by, doubles, OPEN, pairs, permitKey, text, type Commit } from './invariant';
import type { Rows } from './rows';

export function oneCall({ before, after }: Commit): readonly string[] {
  const open = after.permits.filter(({ state }) => OPEN.includes(state));
  const taken = pairs(before.permits, after.permits, permitKey).filter(
    ([old, now]) => old.send_token !== null && now.send_token !== old.send_token,
  );
  const attempts = (effect: string): number => after.permits.filter(({ effect_id }) => effect_id === effect).length;
  return [
    ...doubles(open.map(({ effect_id }) => effect_id)).map((effect) => `${effect} has two open permits`),
    ...doubles(after.permits.map((row) => `${row.effect_id} ${row.attempt_ordinal}`)).map((key) => `attempt ${key} has two permits`),
    ...taken.map(([old]) => `${old.permit_id} was sending for one token and is for another`),
    ...open
      .filter((row) => (row.state === 'sending') !== (row.send_token !== null))
      .map((row) => `${row.permit_id} has a token and is not sending, or the reverse`),
    ...after.effects
      .filter((row) => row.attempt_count !== attempts(row.effect_id))
      .map((row) => `${row.effect_id} counts permits that are not there`),
  ];
}

const SOURCE: Readonly<Record<string, string>> = { returned: 'settlement', abandoned: 'abandonment' };
const AFTER: Readonly<Record<string, readonly string[]>> = {
  remote_confirmed: ['remote_confirmed', 'finalized'],
  uncertain: ['uncertain'],
  no_effect: ['no_effect', 'prepared', 'dispatching'],
};

export function honest({ before, after }: Commit): readonly string[] {
  const known = by(after.evidence, ({ permit_id }) => permit_id);
  const open = new Set<string>(after.permits.filter(({ state }) => OPEN.includes(state)).map(({ effect_id }) => effect_id));
  const last = (effect: string): Rows['evidence'][number] | undefined =>
    after.evidence.filter(({ effect_id }) => effect_id === effect).sort((a, b) => b.attempt_ordinal - a.attempt_ordinal)[0];
  const contradicted = after.effects.filter((row) => {
    const evidence = last(row.effect_id);
    return evidence !== undefined && evidence.attempt_ordinal === row.attempt_count && !(AFTER[evidence.outcome] ?? []).includes(row.state);
  });
  return [
    ...after.permits
      .filter((row) => known.get(row.permit_id)?.source !== SOURCE[row.state])
      .map((row) => `${row.permit_id} is ${row.state}, and its evidence is of ${known.get(row.permit_id)?.source ?? 'nobody'}`),
    ...pairs(before.evidence, after.evidence, ({ permit_id }) => permit_id)
      .filter(([old, now]) => text(old) !== text(now))
      .map(([old]) => `the evidence of ${old.permit_id} changed`),
    ...after.effects
      .filter((row) => (row.state === 'dispatching') !== open.has(row.effect_id))
      .map((row) => `${row.effect_id} is ${row.state}, and its permit says otherwise`),
    ...contradicted.map((row) => `${row.effect_id} is ${row.state} against the evidence of its last attempt`),
    ...doubles(
      after.links
        .filter(({ state }) => state === 'active')
        .flatMap((row) => [`${row.account} slot ${row.owner_slot}`, `${row.account} remote ${row.remote_identity}`]),
    ).map((side) => `${side} is linked twice`),
  ];
}

export function underCredential({ before, after }: Commit): readonly string[] {
  const gates = by(before.credentials, ({ generation_id }) => generation_id);
  const old = by(before.permits, permitKey);
  const moved = after.permits.filter((row) => ['granted', 'sending'].includes(row.state) && old.get(row.permit_id)?.state !== row.state);
  return moved
    .filter(({ credential_generation_id, credential_fence }) => {
      const gate = gates.get(credential_generation_id);
      return gate !== undefined && (gate.mode !== 'enabled' || gate.fence !== credential_fence);
    })
    .map((row) => `${row.permit_id} became ${row.state} under a credential gate that is not enabled at its fence`);
}
