import type { Command } from 'commander';
import type { Context } from '../context';
import { readJsonObject } from '../json-file';
import { type Members, textOf } from '../members';
import { renderAbandoned, renderOpened } from '../render/journal';
import { act, withActOptions } from './act';
import { expectedOf, requireSeen } from './expected';
import { exitOf } from './attempt-exit';
import { inOrganization } from './in-organization';

interface MoveCommand {
  readonly verb: 'upgrade' | 'rollback' | 'remove' | 'abandon';
  readonly usage: string;
  readonly about: string;
  /** Flags of a confirmation that say again what its plan expects, beside the state and the activation epoch. */
  readonly counters: Readonly<Record<string, readonly [flag: string, option: string]>>;
  request(given: Members, file: string | undefined): Promise<Members>;
}

const SEEN = {
  state: ['--expected-state <state>', 'expectedState'],
  activation_epoch: ['--expected-activation-epoch <n>', 'expectedActivationEpoch'],
} as const;
const COUNTERS = {
  catalog_revision: ['--expected-revision <n>', 'expectedRevision'],
  security_epoch: ['--expected-security-epoch <n>', 'expectedSecurityEpoch'],
} as const;

const MOVES: readonly MoveCommand[] = [
  {
    ...{ verb: 'upgrade', usage: 'upgrade <installation> <file>', about: 'to another release of its App, by its planned steps' },
    counters: COUNTERS,
    request: async (_, file) => ({ request: await readJsonObject(file ?? '') }),
  },
  {
    ...{ verb: 'rollback', usage: 'rollback <installation>', about: 'back to a release that it served, with what was chosen then' },
    counters: COUNTERS,
    request: (given) => Promise.resolve({ request: { app_release_digest: textOf(given['to']) } }),
  },
  {
    ...{ verb: 'remove', usage: 'remove <installation>', about: 'stop serving it, and free its App once nothing refers to it' },
    counters: COUNTERS,
    request: () => Promise.resolve({}),
  },
  {
    ...{ verb: 'abandon', usage: 'abandon <installation>', about: 'give up the candidate of an open attempt; what serves stays' },
    counters: { attempt: ['--expected-attempt <n>', 'expectedAttempt'] },
    request: () => Promise.resolve({}),
  },
];

export function addMoves(group: Command, context: Context): void {
  for (const move of MOVES) addMove(group, context, move);
}

function addMove(group: Command, context: Context, { verb, usage, about, counters, request }: MoveCommand): void {
  const flags = { ...SEEN, ...counters };
  const command = inOrganization(withActOptions(group.command(usage).description(about)));
  if (verb === 'rollback') command.requiredOption('--to <digest>', 'the release, as the journal or `apps get` has it');
  for (const [flag] of Object.values(flags)) command.option(flag, 'as the plan says it; with --confirm');
  command.action(async (installation: string, ...more: readonly unknown[]) => {
    const given: Readonly<Record<string, unknown>> = command.opts();
    const file = typeof more[0] === 'string' ? more[0] : undefined;
    const body = { organization: textOf(given['organization']), installation, ...(await request(given, file)) };
    let seen: Members = Object.fromEntries(Object.entries(flags).map(([name, [, option]]) => [name, given[option]]));
    if (given['confirm'] !== undefined)
      requireSeen(
        seen,
        Object.values(flags).map(([flag]) => flag.split(' ')[0] ?? ''),
      );
    await act(command, context, {
      subject: installation,
      needsReason: false,
      plan: async (api) => {
        const planned = await api.post('/v1/installs/plan-move', { ...body, verb });
        seen = expectedOf(planned);
        return planned;
      },
      confirm: async (api, { digest, operationId, by }) => {
        const expected = Object.fromEntries(Object.keys(flags).map((name) => [`expected_${name}`, textOf(seen[name])]));
        const answer = await api.confirm(`/v1/installs/${verb}`, { ...body, ...expected, confirm: digest, operation_id: operationId, by });
        context.exit = exitOf(answer);
        return answer;
      },
      done: (answer) =>
        verb === 'abandon' ? renderAbandoned(answer, installation, body.organization) : renderOpened(answer, body.organization),
    });
  });
}
