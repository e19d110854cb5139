import type { Command } from 'commander';
import { commonOf, type Context } from '../context';
import { listOf, type Members, textOf } from '../members';
import { renderTable } from '../render/table';
import { act, withActOptions } from './act';
import { expectedOf } from './expected';
import { further, pageQuery, withPage, withWriteOptions, write } from './write';

const HELP = `
A binding says which exact service release serves a capability of an installation. Another one is staged beside it, which changes nothing, and
then activated: what was ACTIVE drains, and is retired once nothing refers to it. A frontend stands under the capability \`frontend\`.

Examples
  connector bindings list 018f... --organization org-1
  connector bindings stage 018f... --organization org-1 --capability dev.north.desk.view.v1 --workload dev.north.runner --artifact sha256:...
  connector bindings activate 018f... 018f... --organization org-1 --plan`;

export function addBindings(program: Command, context: Context): void {
  const group = program
    .command('bindings')
    .description('which exact release serves which capability: list · stage · activate · retire · fail')
    .addHelpText('after', HELP);
  addList(group, context);
  addStage(group, context);
  addMove(group, context, 'activate', 'let a staged binding serve; what served drains');
  addMove(group, context, 'retire', 'end a draining binding that nothing refers to');
  addMove(group, context, 'fail', 'give up a staged binding');
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

function addMove(group: Command, context: Context, verb: 'activate' | 'retire' | 'fail', about: string): void {
  const command = withActOptions(group.command(`${verb} <installation> <binding>`).description(about)).requiredOption(
    '--organization <id>',
    'whose installation it is',
  );
  if (verb === 'activate') command.option('--expected-ownership-epoch <n>', 'as the plan says it; with --confirm');
  command.action(async (installation: string, binding: string, given: Readonly<Record<string, unknown>>) => {
    const named = { organization: textOf(given['organization']), installation, binding_id: binding };
    let seen: Members = { ownership_epoch: given['expectedOwnershipEpoch'] };
    await act(command, context, {
      subject: binding,
      needsReason: false,
      plan: async (api) => {
        const planned = await api.post('/v1/bindings/plan', { ...named, verb });
        seen = expectedOf(planned);
        return planned;
      },
      confirm: (api, { digest, operationId }) => {
        const epoch = verb === 'activate' ? { expected_ownership_epoch: textOf(seen['ownership_epoch']) } : {};
        return api.confirm(`/v1/bindings/${verb}`, { ...named, ...epoch, confirm: digest, operation_id: operationId });
      },
      done: (answer) => [
        `${binding} is ${textOf(answer['kind'])}.`,
        `  Next     connector bindings list ${installation} --organization ${named.organization}`,
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
