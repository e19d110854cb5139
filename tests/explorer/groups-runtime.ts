import { GenerationId, type CommandId } from '@connector/kernel/ids';
import { STARTS_MAX } from '@connector/runtime/model/starts';
import type { RuntimeCommand } from '@connector/runtime/transitions/accept-command.tx';
import { acceptCommand } from '@connector/runtime/transitions/accept-command.tx';
import { leaveCommand } from '@connector/runtime/transitions/leave-command.tx';
import { startCommand } from '@connector/runtime/transitions/start-command.tx';
import { commitApplication, type ApplicationCommit } from '@connector/runtime/transitions/commit-application.tx';
import type { Part } from '@connector/testing/explorer/schedule';
import type { ServedAccount } from '@connector/testing/fixtures/account';
import { acceptedCommand, commitOf, outboundOf } from '@connector/testing/fixtures/application';
import { runtimeCommand } from '@connector/testing/fixtures/execution';
import { watchOf, type Group, type Site, type World } from './group';
import { halt } from './groups-inbound';
import type { Watch } from './rows';

const author = (commit: ApplicationCommit): Part => ({ name: 'author', open: (db) => commitApplication(db, commit) });
const accepting = (command: RuntimeCommand, by: GenerationId): Part => ({
  name: 'accept',
  open: (db) => acceptCommand(db, command, by),
});
const starting = ({ commandId }: RuntimeCommand, by: GenerationId): Part => ({
  name: 'start',
  open: (db) => startCommand(db, commandId, by),
});
const leaving = ({ commandId }: RuntimeCommand, by: GenerationId): Part => ({
  name: 'leave',
  open: (db) => leaveCommand(db, commandId, by),
});
const withCommands = (watch: Watch, ...commands: readonly Pick<RuntimeCommand, 'commandId'>[]): Watch => ({
  ...watch,
  commands: commands.map(({ commandId }): CommandId => commandId),
});

async function twoRuns(site: Site): Promise<World> {
  const served = await site.served();
  const command = await acceptedCommand(site.schema, served);
  const commands = [outboundOf(command, served)];
  const second = commitOf(served, command, { commands, outcome: 'noop' });
  return { parts: [author(commitOf(served, command, { commands })), author(second)], watch: withCommands(watchOf(served), command) };
}

async function twoRecords(site: Site): Promise<World> {
  const key = { collection: 'thing', key: site.word() };
  const [one, two] = await site.two();
  const change = async (served: ServedAccount): Promise<ApplicationCommit> =>
    commitOf(served, await acceptedCommand(site.schema, served), {
      records: [{ ...key, version: null, value: null }],
      changes: [{ ...key, value: 'x' }],
    });
  const [first, second] = [await change(one), await change(two)];
  return {
    parts: [author(first), author(second)],
    watch: withCommands(watchOf(one, two), first, second),
  };
}

/** A command that so many processes began and left without a word; the process that accepted it last. */
async function abandoned(site: Site, starts: number): Promise<{ command: RuntimeCommand; by: GenerationId; watch: Watch }> {
  const served = await site.served();
  let by = GenerationId.mint();
  const command = await acceptedCommand(site.schema, served, 'input', by);
  for (let start = 1; start < starts; start += 1) await startCommand(site.schema.db, command.commandId, (by = GenerationId.mint()));
  return { command, by, watch: withCommands(watchOf(served), command) };
}

const GATE = 'con_serving_gate';

export const RUNTIME: readonly Group[] = [
  {
    name: 'accept | accept',
    meets: 'run_command',
    arrange: async (site) => {
      const served = await site.served();
      const command = runtimeCommand(served, Buffer.from('"input"'));
      const accept = (): Part => accepting(command, GenerationId.mint());
      return { parts: [accept(), accept()], watch: withCommands(watchOf(served), command) };
    },
  },
  {
    name: 'accept | accept, one execution',
    meets: 'run_command',
    arrange: async (site) => {
      const served = await site.served();
      const one = runtimeCommand(served, Buffer.from('"one"'));
      const two = runtimeCommand(served, Buffer.from('"two"'), undefined, one.executionId);
      return {
        parts: [accepting(one, GenerationId.mint()), accepting(two, GenerationId.mint())],
        watch: withCommands(watchOf(served), one, two),
      };
    },
  },
  {
    name: 'start | start',
    meets: 'run_command',
    arrange: async (site) => {
      const { command, watch } = await abandoned(site, 1);
      return { parts: [starting(command, GenerationId.mint()), starting(command, GenerationId.mint())], watch };
    },
  },
  {
    name: 'start | start, the last one',
    meets: 'run_command',
    arrange: async (site) => {
      const { command, watch } = await abandoned(site, STARTS_MAX - 1);
      return { parts: [starting(command, GenerationId.mint()), starting(command, GenerationId.mint())], watch };
    },
  },
  {
    name: 'start | leave',
    meets: 'run_command',
    arrange: async (site) => {
      const { command, by, watch } = await abandoned(site, 2);
      return { parts: [starting(command, GenerationId.mint()), leaving(command, by)], watch };
    },
  },
  {
    name: 'start | leave, first',
    meets: 'run_command',
    arrange: async (site) => {
      const { command, by, watch } = await abandoned(site, 1);
      return { parts: [starting(command, GenerationId.mint()), leaving(command, by)], watch };
    },
  },
  {
    name: 'start | author',
    meets: 'run_command',
    arrange: async (site) => {
      const served = await site.served();
      const command = await acceptedCommand(site.schema, served);
      return {
        parts: [starting(command, GenerationId.mint()), author(commitOf(served, command))],
        watch: withCommands(watchOf(served), command),
      };
    },
  },
  { name: 'author | author, same slot', meets: GATE, arrange: twoRuns },
  {
    name: 'author | author, one feed',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      const [one, two] = [await acceptedCommand(site.schema, served, 'one'), await acceptedCommand(site.schema, served, 'two')];
      await site.schema.sql('INSERT INTO run_feed_head (account, next_seq) VALUES (?, 1)', [Buffer.from(served.account)]);
      const commits = [one, two].map((command) => commitOf(served, command, { commands: [outboundOf(command, served)] }));
      return { parts: commits.map(author), watch: withCommands(watchOf(served), one, two) };
    },
  },
  { name: 'author | author, one record', meets: 'run_record', arrange: twoRecords },
  {
    name: 'author | halt',
    meets: GATE,
    arrange: async (site) => {
      const served = await site.served();
      const command = await acceptedCommand(site.schema, served);
      const commit = commitOf(served, command, { commands: [outboundOf(command, served)] });
      return { parts: [author(commit), halt(served)], watch: withCommands(watchOf(served), command) };
    },
  },
];
