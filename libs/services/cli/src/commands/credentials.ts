import type { Command } from 'commander';
import type { Context } from '../context';
import { textOf } from '../members';
import { act, withActOptions } from './act';

const ABOUT = {
  revoke: 'let nothing more be sent with it; a call that is under way is not recalled',
  reenable: 'let it dispatch again, under a new fence; nothing that was stopped revives by itself',
};

/** `revoke` and `reenable` beside the `list` and `get` of the noun. */
export function addCredentialActs(group: Command, context: Context): void {
  const revoke = addDecision(group, context, 'revoke');
  revoke.option('--final', 'nobody may take it back: only a new generation and a successor epoch go on');
  addDecision(group, context, 'reenable');
}

function addDecision(group: Command, context: Context, verb: 'revoke' | 'reenable'): Command {
  const command = withActOptions(group.command(`${verb} <id>`).description(ABOUT[verb])).option(
    '--reason <text>',
    'why; it stands in the decision',
  );
  command.addHelpText('after', helpOf(verb)).action(async (credential: string, given: Readonly<Record<string, unknown>>) => {
    await act(command, context, {
      subject: credential,
      needsReason: true,
      plan: (api) => api.post('/v1/credentials/plan', { verb, credential, ...(given['final'] === true ? { final: true } : {}) }),
      confirm: (api, { digest, operationId, by, reason }) =>
        api.confirm(`/v1/credentials/${verb}`, { credential, confirm: digest, operation_id: operationId, by, reason }),
      done: (answer) => [
        `${textOf(answer['credential'])} is ${textOf(answer['kind'])}, fence ${textOf(answer['fence'])}.`,
        `  Next     connector credentials get ${textOf(answer['credential'])}`,
      ],
    });
  });
  return command;
}

const helpOf = (verb: string): string => `
Examples
  connector credentials ${verb} crg_... --plan                                  what it stops, what it cannot recall, and a digest
  connector credentials ${verb} crg_... --reason "..." --confirm sha256:9f1c...  exactly that plan, or nothing
  connector credentials ${verb} crg_... --reason "..."                          shows the plan and asks

A plan is inert and never expires by time. When the gate has moved since, nothing is done (exit 6).`;
