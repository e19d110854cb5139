import { type Command, Option } from 'commander';
import { commonOf, type Context, withCommon } from '../context';
import { listOf, type Members, membersOf, textOf } from '../members';
import { renderTable } from '../render/table';
import { act, withActOptions } from './act';
import { expectedOf, requireSeen } from './expected';
import { inOrganization } from './in-organization';
import { further, pageQuery, withPage, withWriteOptions, write } from './write';
import { explained } from './examples';

const HELP = `
A binding says which exact service release serves a capability of an installation. Another one is staged beside it, which changes nothing, and
then activated: what was ACTIVE drains, and is retired once nothing refers to it. A frontend stands under the capability \`frontend\`.

Examples
  connector bindings list 018f... --organization org-1
  connector bindings stage 018f... --organization org-1 --capability dev.north.desk.view.v1 --workload dev.north.runner --artifact sha256:...
  connector bindings stage 018f... --organization org-1 --capability frontend --artifact sha256:...
  connector bindings activate 018f... 018f... --organization org-1 --plan
  connector bindings retire 018f... 018f... --organization org-1 --plan                what drained, for good
  connector bindings fail 018f... 018f... --organization org-1 --plan                  what was staged and is not wanted
  connector bindings get 018f... 018f... --organization org-1                          what refers to it, what was decided of it
  connector bindings open-reference 018f... 018f... route-1 --kind route --organization org-1
  connector bindings close-reference 018f... 018f... route-1 --organization org-1 --plan
  connector bindings decide-retention 018f... 018f... --organization org-1 --plan      it need not be kept for what refers to it`;

export function addBindings(program: Command, context: Context): void {
  const group = program
    .command('bindings')
    .description(
      'which exact release serves which capability: list · get · stage · activate · retire · fail · open-reference · close-reference · decide-retention',
    );
  addList(group, context);
  addGet(group, context);
  addStage(group, context);
  addOpenReference(group, context);
  for (const move of MOVES) addMove(group, context, move);
  explained(group, HELP);
}

function addStage(group: Command, context: Context): void {
  const command = withWriteOptions(
    group.command('stage <installation>').description('name a release that could serve; nothing serves by it'),
  )
    .requiredOption('--organization <id>', 'whose installation it is')
    .requiredOption('--capability <id>', 'what it serves; `frontend` for a frontend')
    .requiredOption('--artifact <digest>', 'the exact service release, or frontend release')
    .option('--workload <id>', 'who runs a service release');
  command.action(async (installation: string, given: Readonly<Record<string, unknown>>) => {
    const { organization, capability: capability_id, artifact: artifact_digest, workload } = given;
    const by = workload === undefined ? {} : { workload_id: workload };
    await write(command, context, {
      path: '/v1/bindings/stage',
      body: { organization, installation, capability_id, artifact_digest, ...by },
      done: (answer) => [
        `${textOf(answer['binding_id'])} is staged.`,
        `  Next     connector bindings activate ${installation} ${textOf(answer['binding_id'])} --organization ${textOf(organization)} --plan`,
      ],
    });
  });
}

interface BindingMove {
  readonly verb: 'activate' | 'retire' | 'fail' | 'close-reference' | 'decide-retention';
  readonly about: string;
}
const MOVES: readonly BindingMove[] = [
  { verb: 'activate', about: 'let a staged binding serve; what served drains' },
  { verb: 'retire', about: 'end a draining binding that nothing refers to' },
  { verb: 'fail', about: 'give up a staged binding' },
  { verb: 'close-reference', about: 'say that a route or work relies on a binding no more' },
  { verb: 'decide-retention', about: 'say that a draining binding need not be kept for what refers to it' },
];

function addMove(group: Command, context: Context, { verb, about }: BindingMove): void {
  const named = verb === 'close-reference' ? ' <reference>' : '';
  const command = inOrganization(withActOptions(group.command(`${verb} <installation> <binding>${named}`).description(about)));
  if (verb === 'activate') command.option('--expected-ownership-epoch <n>', 'as the plan says it; with --confirm');
  if (verb === 'decide-retention') command.option('--reason <text>', 'why; it stands beside the binding, with your name');
  command.action(async (installation: string, binding: string, third: unknown) => {
    const given: Readonly<Record<string, unknown>> = command.opts();
    const place = { organization: textOf(given['organization']), installation, binding_id: binding };
    const body = { ...place, ...(verb === 'close-reference' ? { reference_id: textOf(third) } : {}) };
    let seen: Members = { ownership_epoch: given['expectedOwnershipEpoch'] };
    if (verb === 'activate' && given['confirm'] !== undefined) requireSeen(seen, ['--expected-ownership-epoch']);
    await act(command, context, {
      subject: binding,
      needsReason: verb === 'decide-retention',
      plan: async (api) => {
        const planned = await api.post('/v1/bindings/plan', { ...body, verb });
        seen = expectedOf(planned);
        return planned;
      },
      confirm: (api, { digest, operationId, by, reason }) => {
        const epoch = verb === 'activate' ? { expected_ownership_epoch: textOf(seen['ownership_epoch']) } : {};
        const why = verb === 'decide-retention' ? { reason } : {};
        return api.confirm(`/v1/bindings/${verb}`, { ...body, ...epoch, ...why, confirm: digest, operation_id: operationId, by });
      },
      done: (answer) => [
        `${subjectOf(verb, binding, textOf(third))} is ${textOf(answer['kind'])}.`,
        `  Next     connector bindings list ${installation} --organization ${place.organization}`,
      ],
    });
  });
}

function subjectOf(verb: BindingMove['verb'], binding: string, reference: string): string {
  if (verb === 'close-reference') return `the reference ${reference} of ${binding}`;
  return verb === 'decide-retention' ? `the retention of ${binding}` : binding;
}

function addGet(group: Command, context: Context): void {
  const command = inOrganization(
    withCommon(group.command('get <installation> <binding>').description('one binding: state, what refers to it, what was decided of it')),
  );
  command.action(async (installation: string, binding: string, given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const at = [textOf(given['organization']), installation, binding].map(encodeURIComponent).join('/');
    const shown = await (await context.api()).get(`/v1/bindings/${at}`);
    context.print(options, shown, () => shownLines(shown, options.color));
  });
}

function shownLines(shown: Members, color: boolean): readonly string[] {
  const references = listOf(shown['references']);
  const { decided_by: by, reason, decided_at: when } = membersOf(shown['retention']);
  return [
    `${textOf(shown['binding_id'])}   ${textOf(shown['state'])} for ${textOf(shown['capability_id'])}, whose ownership epoch is ${textOf(shown['head_epoch'])}`,
    ...(references.length === 0
      ? ['nothing refers to it']
      : ['', ...renderTable(references, ['reference_id', 'kind', 'opened_at'], color)]),
    ...(shown['more'] === true ? ['more refer to it: at most 200 are shown; close-reference takes any'] : []),
    ...(by === undefined ? [] : [`let go by ${textOf(by)} at ${textOf(when)}: ${textOf(reason)}`]),
  ];
}

function addOpenReference(group: Command, context: Context): void {
  const command = inOrganization(
    withWriteOptions(
      group
        .command('open-reference <installation> <binding> <reference>')
        .description('say that a route or work relies on a binding: it is not RETIRED before that is closed'),
    ),
  ).addOption(new Option('--kind <kind>', 'what relies on it').choices(['route', 'work']).makeOptionMandatory());
  command.action(async (installation: string, binding: string, reference: string, given: Readonly<Record<string, unknown>>) => {
    const { organization, kind } = given;
    await write(command, context, {
      path: '/v1/bindings/open-reference',
      body: { organization, installation, binding_id: binding, reference_id: reference, kind },
      done: (answer) => [
        `the reference ${reference} is ${textOf(answer['kind'])}.`,
        `  Next     connector bindings get ${installation} ${binding} --organization ${textOf(organization)}`,
      ],
    });
  });
}

function addList(group: Command, context: Context): void {
  const command = withPage(
    group.command('list <installation>').description('every binding of an installation, in every state'),
  ).requiredOption('--organization <id>', 'whose installation it is');
  command.action(async (installation: string, given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const organization = textOf(given['organization']);
    const place = `${encodeURIComponent(organization)}/${encodeURIComponent(installation)}`;
    const page = await (await context.api()).get(`/v1/bindings/${place}?${pageQuery(given)}`);
    const rows = listOf(page['rows']);
    const columns = ['binding_id', 'capability_id', 'state', 'ownership_epoch', 'workload_id', 'artifact_digest'];
    context.print(options, page, () => [
      ...(rows.length === 0 ? ['no bindings'] : renderTable(rows, columns, options.color)),
      ...further(`connector bindings list ${installation} --organization ${organization}`, given, page['next']),
    ]);
  });
}
