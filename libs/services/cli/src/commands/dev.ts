import type { Command } from 'commander';
import { forgetUnset, keptFolder } from '@connector/services/kept/src/kept-folder';
import { commonOf, type Context, withCommon } from '../context';
import { CliFailure, EXIT } from '../exit';
import { homeOf, readInstallation, type RunningProcess } from '../installation';
import { renderTable } from '../render/table';
import { NOTHING, type Stays, staysDocument, staysLines, staysOf } from '../stays';
import { KEPT, wipeHome } from '../wipe-home';

export function addDev(program: Command, context: Context): void {
  const group = program.command('dev').description('this machine: ps · reset');
  const ps = withCommon(group.command('ps').description('the services that npm start started, and whether they live'));
  ps.action(async () => {
    const options = commonOf(ps, context.io);
    const { engine, services } = await context.installation();
    const rows = await Promise.all([...services.values()].map((service) => stateOf(context, service)));
    const columns = ['service', 'state', 'pid', 'url', 'generation'];
    context.print(options, { engine, services: rows }, () => [`engine ${engine}`, '', ...renderTable(rows, columns, options.color)]);
  });
  const reset = withCommon(
    group.command('reset').description('wipe the local data: database, secrets, logs; what was published and set is kept'),
  )
    .option('--all', 'what was published and set too')
    .option('--yes', 'do not ask')
    .option('--no-input', 'never ask');
  reset.action(() => wipe(reset, context));
}

async function stateOf({ io }: Context, { name, pid, url, generation }: RunningProcess) {
  const alive = io.isAlive(pid);
  const state = alive ? ((await isReady(url)) ? 'ready' : 'not ready') : 'ended';
  return { service: name, state, pid, url, generation };
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  return response?.ok === true;
}

/** Refused while anything of it lives: a database whose files vanish under it loses more than its data. */
async function wipe(command: Command, context: Context): Promise<void> {
  const { io } = context;
  const home = homeOf(io);
  const given: Readonly<Record<string, unknown>> = command.opts();
  const installation = await readInstallation(io);
  const living = [...(installation?.services.values() ?? [])].filter(({ pid }) => io.isAlive(pid));
  if (living.length > 0) {
    const names = living.map(({ name }) => name).join(', ');
    throw new CliFailure(EXIT.refused, [
      `Not wiped: ${names} still run.`,
      '  Do       stop npm start first (Ctrl-C)',
      '  See      connector dev ps',
    ]);
  }
  const stays = given['all'] === true ? NOTHING : await staysOf(keptFolder(home));
  if (given['yes'] !== true) await askToWipe(context, home, stays, given['input'] !== false);
  const wiped = await wipeHome(home, stays.kind === 'nothing' ? [] : [KEPT]);
  if (stays.kind === 'kept') await forgetUnset(keptFolder(home), stays.membership);
  const first = wiped.length === 0 ? `${home} has nothing to wipe.` : `wiped ${wiped.join(', ')} in ${home}`;
  context.print(commonOf(command, io), { home, wiped, ...staysDocument(stays) }, () => [
    first,
    ...staysLines(stays),
    ...(stays.kind === 'unreadable' ? [] : ['  Next     npm start']),
  ]);
}

async function askToWipe({ io }: Context, home: string, stays: Stays, mayAsk: boolean): Promise<void> {
  if (!io.interactive || !mayAsk) throw new CliFailure(EXIT.usage, ['Nobody can be asked here: say --yes to wipe the local data.']);
  const what = `Everything in ${home} goes: the database, secrets and logs of this machine`;
  const rest = stays.kind === 'nothing' ? ', and what was published and set here.' : `.\n${staysLines(stays).join('\n')}\n`;
  const answer = await io.ask(`${what}${rest}${rest.endsWith('\n') ? '' : ' '}Wipe it? y/N `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliFailure(EXIT.refused, ['Not wiped.']);
}
