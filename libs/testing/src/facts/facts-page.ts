import { crashPoints } from '@connector/kernel/paths';
import { EXIT_MEANINGS } from '@connector/services/cli/src/exit';
import { PROXY_PORT, SUPERVISOR_PORT } from '@connector/services/local/src/plan';
import { PROBLEMS, codeOf, type ProblemName } from '@connector/services/operator/src/api/problems';
import { ROUTES } from '@connector/services/operator/src/api/routes';
import { READERS } from '@connector/services/ingress/src/verify/verify-delivery';
import { REASONS } from '@connector/connector/model/explain/reasons';
import { POLICIES_SHAPE } from '@connector/control/model/policies';
import { Telemetry } from '@connector/platform/telemetry/metrics';
import { JOURNAL_AREAS, MAIN_AREAS } from '@connector/schema/tables';
import type { Table } from '@connector/kernel/table';
import { byName, code, codes, table } from './markdown';
import type { Facts } from './source';

const section = (title: string, from: string, body: string): string => `## ${title}\n\nFrom ${from}.\n\n${body}`;

/** Numbers and lists that people ask for, each with the place that it comes from. */
export async function factsPage(facts: Facts): Promise<string> {
  const parts = [
    '# Facts',
    'Made by `npm run facts` from the tables of the code; `npm run verify` fails while the two differ. State pictures: [machines](machines/README.md).',
    totals(facts),
    services(facts),
    doors(facts),
    paths(facts),
    tables(facts),
    reasons(),
    operations(),
    problems(),
    policies(),
    schemes(),
    limits(facts),
    await metrics(),
    exits(),
  ];
  return `${parts.join('\n\n')}\n`;
}

const AREAS: readonly (readonly [string, string, readonly Table[]])[] = [
  ...Object.entries(MAIN_AREAS).map(([area, of]) => ['main', area, of] as const),
  ...Object.entries(JOURNAL_AREAS).map(([area, of]) => ['journal', area, of] as const),
];

function totals({ machines, paths: of, doors: through, services: all }: Facts): string {
  const moves = machines.flatMap(({ machine }) => Object.values(machine.moves).flat());
  const points = through.flatMap(({ door }) => crashPoints(door));
  const rows: readonly (readonly [string, number])[] = [
    ['services with a host', all.length],
    ['state machines', machines.length],
    ['moves that exist', moves.length],
    ['write paths', of.length],
    ['doors (transactions)', through.length],
    ['crash points (before each statement, before and after COMMIT)', points.length],
    ['tables of the main database', AREAS.filter(([database]) => database === 'main').flatMap(([, , tables]) => tables).length],
    ['tables of the journal', AREAS.filter(([database]) => database === 'journal').flatMap(([, , tables]) => tables).length],
    ['reasons why a row waits', Object.keys(REASONS).length],
    ['operations of the operator API', ROUTES.flatMap(({ operations: some }) => some).length],
  ];
  return section('In numbers', 'everything below', table(['what', 'how many'], rows));
}

function services({ services: all }: Facts): string {
  const rows = all
    .toSorted(byName(({ service }) => `${service.defaultPort}`))
    .map(({ file, service: { name, defaultPort, roles, callers } }) => {
      return [name, defaultPort, codes(roles), codes(callers), code(file)];
    });
  const others = [
    ['local (supervisor)', SUPERVISOR_PORT, '', '', code('libs/services/local/src/plan.ts')],
    ['egress proxy, in local', PROXY_PORT, '', '', code('libs/services/local/src/plan.ts')],
  ];
  const head = ['service', 'port', 'database users', 'callers with a token', 'declared in'];
  return section(
    'Services and ports',
    'the service definitions; another port near it is taken where somebody has it',
    table(head, [...rows, ...others]),
  );
}

function doors({ doors: through }: Facts): string {
  const rows = through.toSorted(byName(({ door }) => door.name)).map(({ door }) => {
    return [code(door.name), codes(door.paths), codes(door.by), door.steps.length, crashPoints(door).length];
  });
  const head = ['door', 'paths, in order', 'opened by the database user', 'statements', 'crash points'];
  return section('Doors', '`libs/<owner>/src/model/paths.ts`: one transaction each', table(head, rows));
}

function paths({ paths: of }: Facts): string {
  const rows = of.toSorted(byName(({ name }) => name)).map(({ name, path }) => [code(name), path.code, path.about, path.again]);
  return section(
    'Write paths',
    '`libs/<owner>/src/model/paths.ts`',
    table(['path', 'code', 'what', 'settled after an unknown COMMIT by'], rows),
  );
}

function tables({ doors: through }: Facts): string {
  const rows = AREAS.flatMap(([database, area, of]) =>
    of.map(({ name, about, rank, columns }) => {
      const writers = through.filter(({ door }) =>
        door.steps.some((step) => step.table === name && step.verb !== 'lock' && step.verb !== 'read'),
      );
      return [
        code(name),
        `${database} ${area}`,
        Object.keys(columns).length,
        rank ?? 'never locked',
        about,
        codes(writers.map(({ door }) => door.name)),
      ];
    }),
  );
  return section('Tables', '`libs/schema/src/tables.ts`', table(['table', 'area', 'columns', 'lock rank', 'what', 'written by'], rows));
}

function reasons(): string {
  const rows = Object.entries(REASONS).map(([name, { tier, class: whose, verdict, owner, alert, evidence }]) => {
    return [code(name), tier, whose, verdict, owner, alert ?? 'none', code(evidence)];
  });
  const head = ['reason', 'tier', 'class', 'verdict', 'owner', 'alert time', 'evidence'];
  return section(
    'Why a row waits',
    '`libs/connector/src/model/explain/reasons.ts`; `connector help reasons` has the sentences',
    table(head, rows),
  );
}

function operations(): string {
  const rows = ROUTES.flatMap(({ method, operations: some }) =>
    some.map(({ id, path, summary, refuses }) => [code(id), code(`${method.toUpperCase()} /v1/${path}`), summary, codes(refuses)]),
  );
  return section(
    'Operator API',
    '`libs/services/operator/src/api/routes.ts`; served at `/v1/openapi.json`',
    table(['operation', 'request', 'what', 'refuses'], rows),
  );
}

function problems(): string {
  const names = Object.keys(PROBLEMS).filter((name): name is ProblemName => Object.hasOwn(PROBLEMS, name));
  const rows = names.map((name) => [code(codeOf(name)), PROBLEMS[name].status, PROBLEMS[name].when, codes(PROBLEMS[name].carries)]);
  return section(
    'Refusals of the operator API',
    '`libs/services/operator/src/api/problems.ts`',
    table(['code', 'status', 'when', 'inside'], rows),
  );
}

interface Bounded {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Bounded>>;
}
const isBounded = (schema: object): schema is Bounded => !Array.isArray(schema);

function policies(): string {
  const rowsOf = (at: string, { minimum, maximum, properties }: Bounded): readonly (readonly (string | number)[])[] =>
    properties === undefined
      ? [[code(at), minimum ?? '', maximum ?? '']]
      : Object.entries(properties).flatMap(([name, one]) => rowsOf(at === '' ? name : `${at}.${name}`, one));
  const schema = isBounded(POLICIES_SHAPE.schema) ? POLICIES_SHAPE.schema : {};
  return section(
    'Policies of an account',
    '`libs/control/src/model/policies.ts`; every member is required, frozen with the epoch',
    table(['member', 'least', 'most'], rowsOf('', schema)),
  );
}

function schemes(): string {
  const rows = Object.entries(READERS).map(([scheme, { signatureHeader, proof, transportKeyHeader, transportKeySigned }]) => {
    const key = transportKeyHeader === undefined ? 'the digest of the body' : code(transportKeyHeader);
    return [code(scheme), code(signatureHeader), proof, transportKeySigned ? `${key}, signed` : `${key}, unless the route names a header`];
  });
  const from = '`libs/services/ingress/src/verify`: what a channel names, and a route lists under `verification_schemes`';
  return section('Signature schemes', from, table(['scheme', 'signature in', 'proof', 'transport key'], rows));
}

function limits({ limits: all }: Facts): string {
  const rows = all
    .toSorted(byName(({ file, name }) => `${file} ${name}`))
    .map(({ file, name, value }) => [code(name), value.toLocaleString('en'), code(file)]);
  return section(
    'Limits',
    'the exported constants of the kernel and the owners whose name ends in `_MAX`',
    table(['limit', 'value', 'declared in'], rows),
  );
}

async function metrics(): Promise<string> {
  const text = await new Telemetry({ service: 'facts', version: '0' }).expose();
  const kinds = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name, kind]));
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => [code(name), kinds.get(name) ?? '', help]);
  return section(
    'Metrics',
    '`libs/platform/src/telemetry/metrics.ts`, at `/metrics` of every service',
    table(['metric', 'kind', 'what'], rows),
  );
}

function exits(): string {
  const rows = EXIT_MEANINGS.map(([exit, meaning, again]) => [exit, meaning, again]);
  return section('Exit codes', '`libs/services/cli/src/exit.ts`', table(['exit', 'means', 'the same again?'], rows));
}
