import type { Command } from 'commander';
import { commonOf, type Context, withCommon } from '../context';
import { readJsonObject } from '../json-file';
import { listOf, type Members, textOf } from '../members';
import { renderJournal, renderOpened } from '../render/journal';
import { renderPlan } from '../render/plan';
import { renderInstallation } from '../render/installation';
import { renderTable } from '../render/table';
import { act, withActOptions } from './act';
import { expectedOf, requireSeen } from './expected';
import { addMoves } from './installs-moves';
import { exitOf } from './attempt-exit';
import { inOrganization } from './in-organization';
import { further, pageQuery, withPage, withWriteOptions, write } from './write';
import { explained } from './examples';

const HELP = `
An installation is asked for by a file of choices; Catalog makes none of them by itself:
  { "app_id": "dev.north.desk", "app_release_digest": "sha256:...",
    "dependencies": [{ "alias": "base", "app_release_digest": "sha256:..." }],
    "grants": [{ "workload_id": "dev.north.runner", "capabilities": ["runtime.records.write.v1"] }],
    "handler_bindings": [{ "capability_id": "...", "workload_id": "...", "service_release_digest": "sha256:..." }] }

Its publication has four steps, each committed before the next begins. Cut off anywhere, the catalog goes on by itself from the journal.

Examples
  connector installs list --organization org-1
  connector installs get 018f... --organization org-1                   what serves, and whether Runtime admits it
  connector installs plan ./desk.json --organization org-1              every step, or every check that would refuse it
  connector installs install ./desk.json --organization org-1           shows the plan and asks
  connector installs journal 018f... --organization org-1               what each step of each attempt committed
  connector installs resume 018f... --organization org-1                goes on, or tries again what failed
  connector installs upgrade 018f... ./desk.json --organization org-1 --plan    the same file with another release
  connector installs rollback 018f... --to sha256:... --organization org-1 --plan
  connector installs abandon 018f... --organization org-1 --plan        gives an open attempt up; what serves stays
  connector installs remove 018f... --organization org-1 --plan         what would wait for what

Exit  0 it serves, or is removed or abandoned · 3 refused · 6 something moved since the plan · 7 an owner does not answer, nothing was written
      8 it waits for an owner or for what refers to it, and goes on by itself · 9 the attempt failed`;

export function addInstalls(program: Command, context: Context): void {
  const group = program
    .command('installs')
    .description('Apps in organizations: plan · install · upgrade · rollback · remove · abandon · resume · journal · list · get');
  addPlan(group, context);
  addInstall(group, context);
  addMoves(group, context);
  addResume(group, context);
  addJournal(group, context);
  addList(group, context);
  addGet(group, context);
  explained(group, HELP);
}

function addPlan(group: Command, context: Context): void {
  const command = inOrganization(withCommon(group.command('plan <file>').description('what an installation would do; changes nothing')));
  command.action(async (file: string, given: Readonly<Record<string, unknown>>) => {
    const body = { organization: textOf(given['organization']), request: await readJsonObject(file) };
    const planned = await (await context.api()).post('/v1/installs/plan', body);
    context.print(commonOf(command, context.io), planned, () => renderPlan(planned));
  });
}

function addInstall(group: Command, context: Context): void {
  const command = inOrganization(withActOptions(group.command('install <file>').description('install an App by its planned steps')))
    .option('--expected-revision <n>', 'the catalog revision of the plan; with --confirm')
    .option('--expected-security-epoch <n>', 'the security epoch of the plan; with --confirm');
  command.action(async (file: string, given: Readonly<Record<string, unknown>>) => {
    const body = { organization: textOf(given['organization']), request: await readJsonObject(file) };
    let seen: Members = { catalog_revision: given['expectedRevision'], security_epoch: given['expectedSecurityEpoch'] };
    if (given['confirm'] !== undefined) requireSeen(seen, ['--expected-revision', '--expected-security-epoch']);
    await act(command, context, {
      subject: textOf(body.request['app_id']),
      needsReason: false,
      plan: async (api) => {
        const planned = await api.post('/v1/installs/plan', body);
        seen = expectedOf(planned);
        return planned;
      },
      confirm: async (api, { digest, operationId, by }) => {
        const expected = {
          expected_catalog_revision: textOf(seen['catalog_revision']),
          expected_security_epoch: textOf(seen['security_epoch']),
        };
        const answer = await api.confirm('/v1/installs/install', { ...body, ...expected, confirm: digest, operation_id: operationId, by });
        context.exit = exitOf(answer);
        return answer;
      },
      done: (answer) => renderOpened(answer, body.organization),
    });
  });
}

const placeOf = (organization: unknown, installation: string): string =>
  `/v1/installs/${encodeURIComponent(textOf(organization))}/${encodeURIComponent(installation)}`;

function addResume(group: Command, context: Context): void {
  const command = inOrganization(
    withWriteOptions(group.command('resume <installation>').description('go on with an open attempt, or try a failed one again')),
  );
  command.action(async (installation: string, given: Readonly<Record<string, unknown>>) => {
    const organization = textOf(given['organization']);
    const standing = await (await context.api()).get(placeOf(organization, installation));
    const expected = { expected_state: standing['state'], expected_activation_epoch: standing['activation_epoch'] };
    await write(command, context, {
      path: '/v1/installs/resume',
      body: { organization, installation, ...expected },
      done: (answer) => {
        context.exit = exitOf(answer);
        return renderOpened(answer, organization);
      },
    });
  });
}

function addJournal(group: Command, context: Context): void {
  const command = inOrganization(
    withCommon(group.command('journal <installation>').description('what each step of each attempt committed, oldest first')),
  ).option('--from-attempt <n>', 'from this attempt on', '0');
  command.action(async (installation: string, given: Readonly<Record<string, unknown>>) => {
    const at = `${placeOf(given['organization'], installation)}/journal?from_attempt=${encodeURIComponent(textOf(given['fromAttempt']))}`;
    const shown = await (await context.api()).get(at);
    const [organization, next] = [textOf(given['organization']), shown['next']];
    context.print(commonOf(command, context.io), shown, () => [
      ...renderJournal(listOf(shown['entries'])),
      ...(typeof next === 'string'
        ? ['', `more: connector installs journal ${installation} --organization ${organization} --from-attempt ${next}`]
        : []),
    ]);
  });
}

function addList(group: Command, context: Context): void {
  const command = inOrganization(withPage(group.command('list').description('installations of an organization, oldest first')));
  command.action(async (given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const page = await (await context.api()).get(`/v1/installs?${pageQuery(given, 'organization')}`);
    const rows = listOf(page['rows']);
    const columns = ['installation', 'app_id', 'state', 'activation_epoch', 'attempt', 'active_release_digest'];
    context.print(options, page, () => [
      ...(rows.length === 0 ? ['no installations'] : renderTable(rows, columns, options.color)),
      ...further(`connector installs list --organization ${textOf(given['organization'])}`, given, page['next']),
    ]);
  });
}

function addGet(group: Command, context: Context): void {
  const command = inOrganization(
    withCommon(group.command('get <installation>').description('one installation: state, releases, what serves')),
  );
  command.action(async (installation: string, given: Readonly<Record<string, unknown>>) => {
    const options = commonOf(command, context.io);
    const shown = await (await context.api()).get(placeOf(given['organization'], installation));
    context.print(options, shown, () => renderInstallation(shown, options.color));
  });
}
