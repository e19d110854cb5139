import type { Command } from 'commander';
import { commonOf, type Context, withCommon } from '../context';
import { listOf, textOf } from '../members';
import { act, withActOptions } from './act';
import { renderRow, renderTable } from '../render/table';

const ABOUT = {
  halt: 'stop new work; open permits may still make their one call',
  resume: 'let a halted account serve again',
};

export function addAccounts(program: Command, context: Context): void {
  const group = program.command('accounts').description('accounts and their gates: list · get · halt · resume');
  const list = withCommon(group.command('list').description('every account, its mode and who moved it last'));
  list.action(async () => {
    const options = commonOf(list, context.io);
    const page = await (await context.api()).get('/v1/accounts');
    const columns = ['account', 'mode', 'fence', 'changed_by', 'changed_at', 'reason'];
    context.print(options, page, () => renderTable(listOf(page['rows']), columns, options.color));
  });
  const get = withCommon(group.command('get <account>').description('one account: gate, epoch, channels'));
  get.action(async (account: string) => {
    const options = commonOf(get, context.io);
    const row = await (await context.api()).get(`/v1/accounts/${pathOf(account)}`);
    context.print(options, row, () => renderRow(row, options.color));
  });
  addMove(group, context, 'halt');
  addMove(group, context, 'resume');
}

function addMove(group: Command, context: Context, verb: 'halt' | 'resume'): void {
  const command = withActOptions(group.command(`${verb} <account>`).description(ABOUT[verb])).option(
    '--reason <text>',
    'why; it stands in the row',
  );
  command.addHelpText('after', helpOf(verb)).action(async (account: string) => {
    await act(command, context, {
      subject: account,
      needsReason: true,
      plan: async (api) => api.post('/v1/accounts/plan', { verb, account }),
      confirm: (api, { digest, operationId, by, reason }) =>
        api.confirm(`/v1/accounts/${verb}`, { account, confirm: digest, operation_id: operationId, by, reason }),
      done: (answer) => [
        `${account} is ${textOf(answer['kind'])}, fence ${textOf(answer['fence'])}.`,
        `  Next     connector explain account/${account}`,
      ],
    });
  });
}

const helpOf = (verb: string): string => `
Examples
  connector accounts ${verb} larkspur/acme --plan                                  what would happen, and a digest
  connector accounts ${verb} larkspur/acme --reason "..." --confirm sha256:9f1c...  exactly that plan, or nothing
  connector accounts ${verb} larkspur/acme --reason "..."                          shows the plan and asks

A plan is inert and never expires by time. When the gate has moved since, nothing is done (exit 6).`;

/** The two names stay two segments of the path. */
const pathOf = (account: string): string => account.split('/').map(encodeURIComponent).join('/');
