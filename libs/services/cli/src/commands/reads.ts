import { Option, type Command } from 'commander';
import type { Explanation } from '@connector/connector/model/explain/explanation';
import type { Lineage } from '@connector/connector/model/lineage/lineage';
import { commonOf, type Context, withCommon } from '../context';
import { CliFailure, EXIT, type ExitCode } from '../exit';
import { listOf, type Members } from '../members';
import { isExplanation, renderExplanation } from '../render/explanation';
import { renderStatus } from '../render/status';
import { renderLane } from '../render/lane';
import { renderRow, renderTable } from '../render/table';
import { renderUncertain, UNCERTAIN_WAYS } from '../render/uncertain';
import { renderLineage } from '@connector/connector/model/lineage/render';

interface RowNoun {
  readonly noun: string;
  readonly about: string;
  readonly columns: readonly string[];
  readonly states: readonly string[];
  /** What to know before reading them. */
  readonly help?: string;
  /** One of them, where it is more than a row. */
  readonly shown?: (row: Members, color: boolean) => readonly string[];
}

const LANES_HELP = `
A lane is one record of a route with an order. One change of it is at work at a time; high_water is the last position that is done.
  waiting   somebody looks at it at due_at: a change to claim, the end of a settle window, the deadline of a gap
  held      a change failed, or a missing one did not come in time; waiting does not move it
  resting   nothing waits in it

Examples
  connector lanes list --state held                       what stands still
  connector lanes get lan_5k2m9q                          what waits in it, what it misses and until when
  connector explain lan_5k2m9q                            why its next change waits, whose move it is`;

/** In chain order, as in the help. */
const NOUNS: readonly RowNoun[] = [
  {
    noun: 'receipts',
    about: 'accepted deliveries',
    columns: ['receipt_id', 'account', 'channel', 'transport_key', 'state', 'conflicts', 'admitted_at'],
    states: ['stored', 'materialized'],
  },
  {
    noun: 'executions',
    about: 'what the application has to do',
    columns: ['execution_id', 'account', 'business_key', 'state', 'attempt_count', 'minted_at'],
    states: ['ready', 'completed'],
  },
  {
    noun: 'lanes',
    about: "the source's order, a record at a time",
    columns: ['lane_id', 'account', 'partition', 'state', 'high_water', 'active_position', 'due_at'],
    states: ['held', 'at-work', 'waiting', 'resting'],
    help: LANES_HELP,
    shown: renderLane,
  },
  {
    noun: 'effects',
    about: 'what was to happen at a provider',
    columns: ['effect_id', 'account', 'state', 'attempt_count', 'changed_at'],
    states: ['prepared', 'dispatching', 'remote_confirmed', 'uncertain', 'no_effect', 'finalized'],
  },
  {
    noun: 'permits',
    about: 'rights to one call',
    columns: ['permit_id', 'effect_id', 'account', 'state', 'holder_id', 'granted_at'],
    states: ['open', 'granted', 'sending', 'returned', 'abandoned'],
  },
  {
    noun: 'credentials',
    about: 'credential generations and their gates',
    columns: ['generation_id', 'account', 'credential_identity', 'secret_version', 'mode', 'fence', 'authored_at'],
    states: ['enabled', 'revoked', 'no_gate'],
  },
];

const id = (text: string): string => encodeURIComponent(text);

export function addReads(program: Command, context: Context): void {
  addStatus(program, context);
  addExplain(program, context);
  addLineage(program, context);
}

/** The nouns with `list` and `get`; more verbs are added to what comes back. */
export function addRowNouns(program: Command, context: Context): ReadonlyMap<string, Command> {
  return new Map(NOUNS.map((noun) => [noun.noun, addNoun(program, context, noun)]));
}

function addStatus(program: Command, context: Context): void {
  const command = withCommon(program.command('status').description('one screen: gates, epoch, what waits, due stages'));
  command.action(async () => {
    const options = commonOf(command, context.io);
    const status = await (await context.api()).get('/v1/status');
    const { engine } = await context.installation();
    context.print(options, status, () => renderStatus(status, engine, options.color));
  });
}

const VERDICT_EXIT: Readonly<Record<Explanation['verdict'], ExitCode>> = {
  done: EXIT.done,
  progressing: EXIT.waiting,
  waiting: EXIT.waiting,
  needs_person: EXIT.needsPerson,
  refused: EXIT.needsPerson,
};

function addExplain(program: Command, context: Context): void {
  const command = withCommon(program.command('explain <id>').description('why it waits, whose move it is, what may be done'));
  command.addHelpText('after', EXPLAIN_HELP).action(async (text: string) => {
    const options = commonOf(command, context.io);
    const answer: unknown = await (await context.api()).get(`/v1/explain/${id(text)}`);
    if (!isExplanation(answer)) throw new CliFailure(EXIT.failed, ['The operator answered with another schema than connector.explain/v1.']);
    context.print(options, answer, () => renderExplanation(answer, options.color));
    context.exit = VERDICT_EXIT[answer.verdict];
  });
}

const EXPLAIN_HELP = `
Examples
  connector explain exe_9c1d0f                     a short id, when one row of the last day ends so
  connector explain account/larkspur/acme          an account
  connector explain eff_... --json | jq .will_not_help

Exit  0 nothing is owed · 8 it waits, within its alert time · 9 it needs a person
More  connector help reasons`;

function addLineage(program: Command, context: Context): void {
  const command = withCommon(program.command('lineage <id>').description('the tree of rows around any id, from its receipt on'));
  command.addHelpText(
    'after',
    '\nExamples\n  connector lineage rcp_q7m2x4\n  connector lineage prm_...        the whole tree that a permit belongs to',
  );
  command.action(async (text: string) => {
    const options = commonOf(command, context.io);
    const answer: unknown = await (await context.api()).get(`/v1/lineage/${id(text)}`);
    if (!isLineage(answer)) throw new CliFailure(EXIT.failed, ['The operator answered with another schema than connector.lineage/v1.']);
    context.print(options, answer, () => renderLineage(answer));
  });
}

function isLineage(value: unknown): value is Lineage {
  return typeof value === 'object' && value !== null && 'schema' in value && value.schema === 'connector.lineage/v1';
}

function addNoun(program: Command, context: Context, { noun, about, columns, states, help, shown: one = renderRow }: RowNoun): Command {
  const group = program.command(noun).description(`${about}: list · get`);
  if (help !== undefined) group.addHelpText('after', help);
  const list = withCommon(group.command('list').description(`the newest ${noun}`))
    .option('--account <provider/tenant>', 'of one account')
    .addOption(new Option('--state <state>', 'in one state').choices(states))
    .option('--after <id>', 'older than this row')
    .option('--limit <n>', 'at most 200', '50');
  list.action(async (given: Readonly<Record<string, string | boolean>>) => {
    const options = commonOf(list, context.io);
    const query = new URLSearchParams();
    for (const name of ['account', 'state', 'after', 'limit']) if (typeof given[name] === 'string') query.set(name, given[name]);
    const page = await (await context.api()).get(`/v1/${noun}?${query.toString()}`);
    const rows = listOf(page['rows']);
    const unknown = noun === 'effects' && query.get('state') === 'uncertain' && rows.length > 0;
    const shown = (): readonly string[] => (unknown ? renderUncertain(rows, options.color) : tableOf(rows, columns, noun, options.color));
    context.print(options, unknown ? { ...page, ...UNCERTAIN_WAYS } : page, () => [...shown(), ...older(noun, query, page['next'])]);
  });
  const get = withCommon(group.command('get <id>').description('one row, member by member'));
  get.action(async (text: string) => {
    const options = commonOf(get, context.io);
    const row = await (await context.api()).get(`/v1/${noun}/${id(text)}`);
    context.print(options, row, () => one(row, options.color));
  });
  return group;
}

function tableOf(rows: ReturnType<typeof listOf>, columns: readonly string[], noun: string, color: boolean): readonly string[] {
  return rows.length === 0 ? [`no ${noun}`] : renderTable(rows, columns, color);
}

/** The same question, further back. */
function older(noun: string, asked: URLSearchParams, next: unknown): readonly string[] {
  if (typeof next !== 'string') return [];
  const flags = ['account', 'state', 'limit'].flatMap((name) => (asked.has(name) ? [`--${name} ${asked.get(name) ?? ''}`] : []));
  return ['', `older: ${['connector', noun, 'list', ...flags, '--after', next].join(' ')}`];
}
