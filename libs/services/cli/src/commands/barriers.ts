import type { Command } from 'commander';
import { commonOf, type Context, withCommon } from '../context';
import { listOf, type Members, textOf } from '../members';
import { renderTable } from '../render/table';
import { act, withActOptions } from './act';
import { explained } from './examples';

const HELP = `
An activation holds the authors of what it activates off until it is over. No time releases it: either the same activation is asked
for again, and goes on where it stopped, or somebody gives the attempt up. Its run is fenced off before anything is released.

Examples
  connector barriers list                                                    which attempt holds whom off
  connector barriers release att_... --plan                                  what would be released, and a digest
  connector barriers release att_... --reason "..." --confirm sha256:9f1c...  exactly that plan, or nothing

A plan is inert and never expires by time. When the attempt holds something else since, nothing is done (exit 6).`;

const MORE =
  'more are held: at most 100 of an owner are shown; a refusal names the attempt, and barriers release <attempt> --plan what it holds';

export function addBarriers(program: Command, context: Context): void {
  const group = program.command('barriers').description('activations that hold authors off: list · release');
  const list = withCommon(group.command('list').description('which attempt holds which authors off; at most 100 of an owner'));
  list.action(async () => {
    const options = commonOf(list, context.io);
    const page = await (await context.api()).get('/v1/barriers');
    const columns = ['owner', 'organization', 'installation', 'attempt_id', 'barrier_fence'];
    context.print(options, page, () => [
      ...renderTable(listOf(page['rows']), columns, options.color),
      ...(page['more'] === true ? ['', MORE] : []),
    ]);
  });
  const command = withActOptions(group.command('release <attempt>').description('give an activation up, and let its authors go on'));
  command.option('--reason <text>', 'why; it stands in the audit');
  explained(group, HELP);
  command.action(async (attempt: string) => {
    await act(command, context, {
      subject: attempt,
      needsReason: true,
      plan: (api) => api.post('/v1/barriers/plan', { attempt_id: attempt }),
      confirm: (api, { digest, operationId, by, reason }) =>
        api.confirm('/v1/barriers/release', { attempt_id: attempt, confirm: digest, operation_id: operationId, by, reason }),
      done: (answer) => [
        `${attempt}: the run that held this is fenced off, and can activate nothing any more.`,
        ...listOf(answer['barriers']).map((barrier) => `  Released ${released(barrier)}`),
        '  Next     connector barriers list',
      ],
    });
  });
}

const released = ({ owner, organization, installation }: Members): string =>
  `${textOf(owner)} of ${[organization, installation].flatMap((id) => (typeof id === 'string' ? [id] : [])).join(', ')}`;
