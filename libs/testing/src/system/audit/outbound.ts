import { EffectId, OutboundCommandId } from '@connector/kernel/ids';
import { effectMachine } from '@connector/connector/model/outbound/effect';
import { type Findings, groupBy, type History, indexBy } from './finding';

/** I4: a command belongs to a committed result, one an intent, none lost of the feed; one effect a command, with its bytes. */
export function judgeCommands({ rows }: History, findings: Findings): void {
  const results = new Set<string>(rows.results.map(({ command_id }) => command_id));
  for (const { outbound_command_id: id, command_id } of rows.outbound) {
    findings.must(results.has(command_id), `outbound command ${id} is of no committed result`);
  }
  for (const [intent, held] of groupBy(rows.outbound, (row) => `${row.intent} at ${row.effect_slot} of ${row.execution_id}`)) {
    findings.must(held.length === 1, `${intent} was authored ${held.length} times`);
  }
  const effects = groupBy(rows.effects, ({ outbound_command_id }) => outbound_command_id);
  const consumed = new Map<string, bigint>(rows.feeds.map(({ account, next_seq }) => [account, next_seq]));
  for (const [account, feed] of groupBy(rows.outbound, (row) => row.account)) {
    const order = [...feed].sort((one, other) => (one.feed_seq < other.feed_seq ? -1 : 1));
    findings.must(
      order.every(({ feed_seq }, at) => feed_seq === BigInt(at + 1)),
      `the feed of ${account} has a gap`,
    );
    for (const { outbound_command_id: id, feed_seq } of order) {
      const count = effects.get(id)?.length ?? 0;
      const wanted = feed_seq < (consumed.get(account) ?? 0n) ? 1 : 0;
      findings.must(count === wanted, `outbound command ${id} has ${count} effects`);
    }
  }
  judgeEffectBytes({ rows }, findings);
}

function judgeEffectBytes({ rows }: Pick<History, 'rows'>, findings: Findings): void {
  const commands = indexBy(rows.outbound, ({ outbound_command_id }) => outbound_command_id);
  for (const effect of rows.effects) {
    const command = commands.get(effect.outbound_command_id);
    const same =
      command !== undefined &&
      command.request_digest === effect.request_digest &&
      EffectId.bytes(effect.effect_id).equals(OutboundCommandId.bytes(effect.outbound_command_id));
    findings.must(same, `effect ${effect.effect_id} is not of its command`);
  }
}

/** What the last evidence of an effect must say for the effect to be in this state. */
const PROVED_BY: Readonly<Record<string, string | undefined>> = {
  remote_confirmed: 'remote_confirmed',
  finalized: 'remote_confirmed',
  uncertain: 'uncertain',
  no_effect: 'no_effect',
  prepared: 'no_effect',
};

/** Every state of an effect is what its permits and their evidence make it. */
export function judgeEffects({ rows }: History, findings: Findings): void {
  const permits = groupBy(rows.permits, ({ effect_id }) => effect_id);
  const evidence = groupBy(rows.evidence, ({ effect_id }) => effect_id);
  const attempts = groupBy(rows.effectAttempts, ({ effect_id }) => effect_id);
  const links = groupBy(rows.links, ({ effect_id }) => effect_id);
  for (const { effect_id: id, state: word, attempt_count: count, account, uncertain_account: unknown } of rows.effects) {
    const state = effectMachine.parse(word);
    const open = (permits.get(id) ?? []).filter(({ open_account }) => open_account !== null).length;
    findings.must(open === (state === 'dispatching' ? 1 : 0), `effect ${id} is ${state} with ${open} open permits`);
    const listed = unknown === account;
    findings.must(listed === (state === 'uncertain'), `effect ${id} is ${state} and ${listed ? '' : 'not '}listed among the unknown ones`);
    const made = attempts.get(id)?.length ?? 0;
    findings.must(made === count, `effect ${id} counts ${count} attempts and has ${made}`);
    const last = [...(evidence.get(id) ?? [])].sort((one, other) => other.attempt_ordinal - one.attempt_ordinal)[0];
    const wanted = state === 'prepared' && count === 0 ? undefined : PROVED_BY[state];
    findings.must(wanted === undefined || last?.outcome === wanted, `effect ${id} is ${state} and its last evidence says ${last?.outcome}`);
    const linked = (links.get(id) ?? []).length;
    const named = state === 'finalized' && last?.remote_identity !== null ? 1 : 0;
    findings.must(linked === named, `effect ${id} is ${state} and has ${linked} links`);
  }
}
