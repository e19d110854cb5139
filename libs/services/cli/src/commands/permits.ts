import type { Command } from 'commander';
import type { Context } from '../context';
import { textOf } from '../members';
import { act, withActOptions } from './act';

const HELP = `
A permit closes by its settlement, or by two proofs about the process that holds it: that it ended, and that it can reach no
provider any more. One that was not sent before its credential gate moved closes by that alone. Silence, a restart and the end of a lease prove nothing. The coordinator does this by itself once both are there.

Examples
  connector permits abandon prm_... --plan
  connector permits abandon prm_... --confirm sha256:77ab...`;

export function addPermitActs(group: Command, context: Context): void {
  const command = withActOptions(group.command('abandon <id>').description('close a permit whose holder is proved to have ended'));
  command.addHelpText('after', HELP).action(async (permit: string) => {
    await act(command, context, {
      subject: permit,
      needsReason: false,
      plan: (api) => api.post('/v1/permits/plan-abandon', { permit_id: permit }),
      confirm: (api, { digest, operationId, by }) =>
        api.confirm('/v1/permits/abandon', { permit_id: permit, confirm: digest, operation_id: operationId, by }),
      done: (answer) => [`${textOf(answer['permit_id'])} is abandoned.`, `  Next     connector lineage ${textOf(answer['permit_id'])}`],
    });
  });
}
