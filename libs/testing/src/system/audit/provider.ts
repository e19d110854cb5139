import type { Entry } from '@connector/services/provider-simulator/src/entry';
import { readRequest } from '@connector/runtime/model/authored-command';
import { type Findings, groupBy, type History } from './finding';

type Effect = History['rows']['effects'][number];

/** All effects whose request is the same bytes; with requests that differ, one effect each. */
interface Identity {
  readonly name: string;
  readonly target: string;
  readonly body: Buffer;
  readonly effects: readonly Effect[];
  /** Permits under which a byte may have left. */
  readonly allowed: number;
  readonly entries: Entry[];
}

const CONFIRMED: ReadonlySet<string> = new Set(['remote_confirmed', 'finalized']);
const DID_NOTHING: ReadonlySet<string> = new Set(['no_effect', 'prepared']);

/**
 * I5, I6: the provider did at most once what an effect asks for, exactly once what is called confirmed, never what is called without effect;
 * and nothing reached it that no permit of ours allowed.
 */
export function judgeProvider({ rows, provider }: History, findings: Findings): void {
  const identities = identitiesOf(rows);
  const refused = provider.filter(({ request }) => request === 'refused');
  for (const { n } of refused) findings.must(false, `provider request ${n} came around the egress proxy`);
  // What arrived whole says whose it is; a beginning may be that of several, and belongs to one that could have sent it.
  const arrived = provider.filter(({ request }) => request !== 'refused');
  const whole = arrived.filter(({ request }) => request === 'whole');
  for (const entry of whole) assign(entry, (identity) => isOf(entry, identity), identities, findings);
  for (const entry of arrived.filter(({ request }) => request !== 'whole')) {
    assign(entry, (identity) => beginsLike(entry, identity) && identity.entries.length < identity.allowed, identities, findings);
  }
  for (const identity of identities) judgeIdentity(identity, findings);
}

function assign(entry: Entry, fits: (identity: Identity) => boolean, identities: readonly Identity[], findings: Findings): void {
  const found = identities.find(fits);
  if (found === undefined)
    findings.must(false, `provider request ${entry.n} (${entry.method} ${entry.target}) is one that no row knows of`);
  else found.entries.push(entry);
}

function judgeIdentity({ name, effects, entries, allowed }: Identity, findings: Findings): void {
  const executed = entries.filter((entry) => entry.executed).length;
  const confirmed = effects.filter(({ state }) => CONFIRMED.has(state)).length;
  const possible = effects.filter(({ state }) => !DID_NOTHING.has(state)).length;
  findings.must(executed <= effects.length, `${name}: the provider did it ${executed} times`);
  findings.must(executed >= confirmed, `${name}: ${confirmed} confirmed, and the provider did it ${executed} times`);
  findings.must(executed <= possible, `${name}: called without effect, and the provider did it`);
  findings.must(entries.length <= allowed, `${name}: ${entries.length} requests reached the provider on ${allowed} permits`);
}

function identitiesOf(rows: History['rows']): readonly Identity[] {
  const effects = groupBy(rows.effects, ({ outbound_command_id }) => outbound_command_id);
  const started = groupBy(
    rows.permits.filter(({ io_may_have_started }) => io_may_have_started),
    ({ effect_id }) => effect_id,
  );
  const asked = rows.outbound.map((command) => ({ command, request: readRequest(command.request) }));
  const same = groupBy(asked, ({ request: { method, target, body } }) => `${method} ${target} ${body.toString('base64')}`);
  return [...same.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { method, target, body } = first.request;
    const held = group.flatMap(({ command }) => effects.get(command.outbound_command_id) ?? []);
    const allowed = held.reduce((sum, { effect_id }) => sum + (started.get(effect_id)?.length ?? 0), 0);
    const name = held.length > 0 ? `effect ${held.map(({ effect_id }) => effect_id).join(', ')}` : first.command.outbound_command_id;
    return [{ name, target: `${method} ${target}`, body, effects: held, allowed, entries: [] }];
  });
}

const isOf = (entry: Entry, { target, body }: Identity): boolean =>
  `${entry.method} ${entry.target}` === target && Buffer.from(entry.body, 'base64').equals(body);

/** A request that was cut off has only the beginning of its body, or nothing of it yet. */
function beginsLike(entry: Entry, { target, body }: Identity): boolean {
  const begun = Buffer.from(entry.body, 'base64');
  return `${entry.method} ${entry.target}` === target && body.subarray(0, begun.length).equals(begun);
}
