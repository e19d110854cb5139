/**
 * Who may import whom inside an owner, file by file (docs/HOUSE.md); between projects eslint.config.mjs says it with Nx tags.
 * Type imports count as imports everywhere.
 */
const OWNER = '(?:connector|catalog|packs|artifacts|runtime|security|control)';
const SPEC = '[.]spec[.]ts$';
const SRC = `^libs/(${OWNER})/src`;
const KERNEL = '^libs/kernel/src/';
const DB = '^libs/platform/src/db/';
const SCHEMA = '^libs/schema/src/';
const BUILTIN_PURE = '^(node:)?(buffer|crypto|util|assert)$';
const NPM = 'node_modules';
/** What several services, or a service and the supervisor, need of several owners at once. */
const SERVICE_PART = '(?:epoch-view|kept)';

/** A folder of an owner imports only what is listed; `$1` is the owner itself. */
const folder = (name, comment, may) => ({
  name: `folder-${name}`,
  comment,
  severity: 'error',
  from: { path: `${SRC}/${name}/`, pathNot: SPEC },
  to: { path: '^(libs|apps|tests|tools)/', pathNot: [KERNEL, ...may] },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'No import cycle anywhere, type imports included: two files that need each other are one file, or need a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'Every import resolves.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'model-has-no-io',
      comment: 'model/ and contract/ are data and pure functions.',
      severity: 'error',
      from: { path: `${SRC}/(model|contract)/`, pathNot: SPEC },
      to: { dependencyTypes: ['core'], pathNot: BUILTIN_PURE },
    },
    folder('model', 'Nouns, machines and paths: kernel, and the connector’s words and digests, which every owner above it speaks.', [
      '^libs/$1/src/model/',
      '^libs/connector/src/model/',
    ]),
    folder('contract', 'Wire shapes and ports: kernel and model.', ['^libs/$1/src/(model|contract)/']),
    folder('fences', 'A fence locks its own owner’s rows: never a transition, never another owner’s fence.', [
      DB,
      SCHEMA,
      '^libs/$1/src/(model|fences)/',
    ]),
    folder('reads', 'A read asks one question of its own owner’s rows.', [DB, SCHEMA, '^libs/$1/src/(model|reads)/']),
    folder('transitions', 'A transition may stand on any owner’s fence and model, never on another owner’s transition.', [
      DB,
      SCHEMA,
      `^libs/${OWNER}/src/(model|fences|contract)/`,
      '^libs/$1/src/transitions/',
    ]),
    {
      name: 'foreign-owner',
      comment: 'Of another owner one may see its model, its fences and its contract.',
      severity: 'error',
      from: { path: `^libs/(${OWNER})/src/`, pathNot: SPEC },
      to: { path: `^libs/${OWNER}/src/`, pathNot: [`^libs/$1/src/`, `^libs/${OWNER}/src/(model|fences|contract)/`] },
    },
    {
      name: 'engine-is-pure',
      comment: 'The pack engine has no database, clock or network: kernel and the packs’ model.',
      severity: 'error',
      from: { path: '^libs/packs/src/engine/', pathNot: SPEC },
      to: { path: '^(libs|apps|tests|tools)/', pathNot: [KERNEL, '^libs/packs/src/(engine|model)/'] },
    },
    {
      name: 'engine-has-no-io',
      comment: 'The pack engine has no database, clock or network.',
      severity: 'error',
      from: { path: '^libs/packs/src/engine/', pathNot: SPEC },
      to: { dependencyTypes: ['core'], pathNot: BUILTIN_PURE },
    },
    {
      name: 'l0-is-neutral',
      comment: 'L0 sees neither packs nor control nor the App authority nor what ships (con:LAY-08, cat:INT-11).',
      severity: 'error',
      from: { path: '^libs/(connector|kernel|platform|schema)/', pathNot: SPEC },
      to: { path: '^libs/(packs|control|catalog|security|artifacts|shipped-packs)/', reachable: true },
    },
    {
      name: 'services-meet-outside',
      comment: 'Services meet in rows, in a contract and in a wake; never in an import.',
      severity: 'error',
      from: { path: '^libs/services/([^/]+)/' },
      to: { path: '^libs/services/', pathNot: ['^libs/services/$1/', `^libs/services/(${SERVICE_PART})/`] },
    },
    {
      name: 'services-use-doors',
      comment: 'A service opens doors and asks reads; steps and fences stand inside a transaction that is not its own.',
      severity: 'error',
      from: { path: '^libs/services/', pathNot: SPEC },
      to: { path: [`^libs/${OWNER}/src/fences/`, '[.]step[.]ts$', SCHEMA] },
    },
    {
      name: 'apps-are-thin',
      comment: 'An app boots a service: services and platform; only the command line and the migrator look further.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: [SPEC, '^apps/(cli|migrate|local)/'] },
      to: { path: '^(libs|apps|tests|tools)/', pathNot: ['^libs/(services|platform)/', '^apps/$1/'] },
    },
    {
      name: 'apps-are-alone',
      comment: 'No app imports an app.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'nothing-imports-an-app',
      comment: 'Libraries do not know who hosts them.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'what-ships-is-data',
      comment: 'The packs that ship are seen by tests, by the local host and by the command line.',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: ['^libs/shipped-packs/', '^libs/services/local/', '^apps/(local|cli)/', SPEC] },
      to: { path: '^libs/shipped-packs/' },
    },
    {
      name: 'test-library',
      comment: 'libs/testing is for specs, tests/ and tools/.',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: [SPEC, '^libs/testing/'] },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'specs-are-leaves',
      comment: 'Nothing imports a spec.',
      severity: 'error',
      from: {},
      to: { path: SPEC },
    },
    {
      name: 'framework-at-the-rim',
      comment: 'Nest stands in platform/host, platform/wake, services and apps.',
      severity: 'error',
      from: { path: '^libs/', pathNot: ['^libs/services/', '^libs/platform/src/(host|wake)/', '^libs/testing/', SPEC] },
      to: { path: `${NPM}/@nestjs/` },
    },
    {
      name: 'one-driver',
      comment: 'The database driver stands in the platform alone.',
      severity: 'error',
      from: { pathNot: '^libs/platform/' },
      to: { path: `${NPM}/(mysql2|typeorm)/` },
    },
    {
      name: 'one-bus-client',
      comment: 'The client of the broker stands behind the wake port, in one folder.',
      severity: 'error',
      from: { pathNot: '^libs/platform/src/kafka/' },
      to: { path: `${NPM}/kafkajs/` },
    },
  ],
  options: {
    doNotFollow: { path: NPM },
    exclude: { path: '(^|/)(dist|coverage|[.]connector|[.]nx)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.js', '.cjs', '.mjs', '.json'],
      conditionNames: ['node', 'require', 'import', 'default'],
    },
    skipAnalysisNotInRules: true,
  },
};
