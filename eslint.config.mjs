import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/**
 * The house rules that a linter can hold (docs/HOUSE.md). Folders inside an owner are held by .dependency-cruiser.cjs, what neither
 * can see by tests/tidy. The boundary rule needs Nx's project graph: without one it skips every file and still exits 0, so
 * `npm run verify` builds the graph first.
 */

/** Specs, and the suites that every adapter of a port must pass. */
const SPECS = ['**/*.spec.ts', '**/*-conformance.ts'];

/** type -> the types that it may import. No `*` rule: a project whose tags match nothing is refused. */
const MAY_IMPORT = {
  kernel: [],
  schema: ['kernel'],
  platform: ['kernel', 'platform'],
  owner: ['kernel', 'platform', 'schema', 'owner'],
  // What several services need of several owners at once: reads put together, no loop and no door of its own.
  'service-part': ['kernel', 'platform', 'owner'],
  service: ['kernel', 'platform', 'owner', 'service-part'],
  supervisor: ['kernel', 'platform', 'owner', 'service-part', 'data'],
  app: ['service', 'platform'],
  host: ['supervisor', 'service', 'platform', 'data'],
  cli: ['kernel', 'platform', 'service', 'supervisor', 'data'],
  migrate: ['kernel', 'platform', 'schema', 'owner', 'service'],
  data: [],
  testing: ['kernel', 'platform', 'schema', 'owner', 'service-part', 'service', 'supervisor'],
  tests: [
    'kernel',
    'platform',
    'schema',
    'owner',
    'service-part',
    'service',
    'supervisor',
    'app',
    'host',
    'cli',
    'migrate',
    'data',
    'testing',
    'tools',
  ],
  tools: ['kernel', 'platform', 'schema', 'owner', 'service-part', 'service', 'supervisor', 'data', 'testing'],
};

const DRIVERS = ['mysql2', 'mysql2/*', 'typeorm', 'typeorm/*', 'kafkajs', 'kafkajs/*', 'testcontainers', 'dockerode'];
const NEST = ['@nestjs/*', '@nestjs/*/*'];
/** The kernel's documents are checked by ajv and written by RFC 8785; both are pure. */
const ALLOWED_EXTERNALS = { kernel: ['ajv', 'canonicalize'] };
const BANNED_EXTERNALS = {
  schema: ['*'],
  data: ['*'],
  owner: [...NEST, ...DRIVERS],
  'service-part': [...NEST, ...DRIVERS],
  service: DRIVERS,
  supervisor: DRIVERS,
  app: DRIVERS,
  host: DRIVERS,
  cli: DRIVERS,
  migrate: DRIVERS,
  testing: DRIVERS,
  tests: DRIVERS,
  tools: DRIVERS,
};

const tags = (types) => types.map((type) => `type:${type}`);

const production = Object.entries(MAY_IMPORT).map(([type, may]) => ({
  sourceTag: `type:${type}`,
  onlyDependOnLibsWithTags: tags(may),
  ...(BANNED_EXTERNALS[type] ? { bannedExternalImports: BANNED_EXTERNALS[type] } : {}),
  ...(ALLOWED_EXTERNALS[type] ? { allowedExternalImports: ALLOWED_EXTERNALS[type] } : {}),
}));

/** A spec may also import the test library, the packs that ship, and what stands below it; the layers and the drivers hold there too. */
const SPEC_EXTRA = ['kernel', 'platform', 'schema', 'owner', 'testing', 'data'];
const specs = Object.entries(MAY_IMPORT).map(([type, may]) => ({
  sourceTag: `type:${type}`,
  onlyDependOnLibsWithTags: tags([...new Set([...may, ...SPEC_EXTRA])]),
  ...(type === 'platform' ? {} : { bannedExternalImports: DRIVERS }),
}));

const BELOW_TESTING = [
  'kernel',
  'platform',
  'schema',
  'connector',
  'catalog',
  'packs',
  'artifacts',
  'runtime',
  'security',
  'control',
  'svc-*',
].map((name) => ['testing', name]);
/** Specs import the test library and the test library imports what it tests; files never form a cycle, dependency-cruiser sees to it. */
const boundaries = (depConstraints) => ['error', { depConstraints, allow: [], ignoredCircularDependencies: BELOW_TESTING }];

const BANNED_SYNTAX = [
  ['ExportDefaultDeclaration', 'name what you export'],
  ['ExportAllDeclaration', 'no barrels: import from the file that has it'],
  ['TSEnumDeclaration', 'a union of words, not an enum'],
  ['TSExportAssignment', 'name what you export'],
  ['Identifier[name="forwardRef"]', 'two classes that need each other are one, or need a third'],
  ['TSAsExpression > TSAnyKeyword', 'no any'],
];

/** Owners, kernel and services get time, waiting and chance from the platform: what they decide can be run again. */
const CLOCK = [
  ['MemberExpression[object.name=/^(Date|performance)$/][property.name="now"]', 'time comes from the database or the platform clock'],
  ['NewExpression[callee.name="Date"][arguments.length=0]', 'time comes from the database or the platform clock'],
];
const CHANCE_AND_WAITING = [
  ['MemberExpression[object.name="Math"][property.name="random"]', 'chance comes from the platform'],
  ['CallExpression[callee.name=/^set(Timeout|Interval|Immediate)$/]', 'waiting is the platform’s'],
  ['ImportDeclaration[source.value=/^(node:)?timers/]', 'waiting is the platform’s'],
];
const RANDOM_BYTES = [
  [
    'ImportSpecifier[imported.name=/^(randomBytes|randomUUID|randomInt|randomFillSync)$/]',
    'ids are minted by kernel/ids, nothing else is random',
  ],
  [
    'MemberExpression[property.name=/^(randomBytes|randomUUID|randomInt|randomFillSync)$/]',
    'ids are minted by kernel/ids, nothing else is random',
  ],
];
const FOCUS = [['MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(only|skip|todo)$/]', 'every test runs']];

const banned = (...lists) => ['error', ...lists.flat().map(([selector, message]) => ({ selector, message }))];

const REPEATABLE = [
  'libs/kernel/**',
  'libs/schema/**',
  'libs/{connector,catalog,packs,artifacts,runtime,security,control}/**',
  'libs/services/**',
];
/** The supervisor watches processes; the simulator stands for the world outside. */
const MAY_TELL_TIME = ['libs/services/local/**', 'libs/services/provider-simulator/**'];

const imports = (group, message) => ['error', { patterns: [{ group, message }] }];

export default tseslint.config(
  { ignores: ['**/node_modules', '**/dist', '**/coverage', '.nx', '.connector', '**/.connector'] },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' } },
  js.configs.recommended,
  { files: ['**/*.ts'], extends: [tseslint.configs.recommended] },
  prettier,
  {
    files: ['**/*.{js,cjs,mjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'Buffer', 'URL', 'AbortController', 'AbortSignal', 'fetch', 'structuredClone', 'performance']
          .concat(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'TextDecoder', 'TextEncoder'])
          .map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.{cjs,js}'],
    languageOptions: { sourceType: 'commonjs', globals: { module: 'writable', require: 'readonly', __dirname: 'readonly' } },
  },
  {
    files: ['**/*.ts'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(production),
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // `export const GateId = …; export type GateId = …` is the house's way to name an id once.
      'no-redeclare': 'off',
      'no-restricted-syntax': banned(BANNED_SYNTAX),
      'no-restricted-imports': imports(DRIVERS, 'libs/platform alone imports drivers'),
      'no-var': 'error',
      'prefer-const': 'error',
      'no-console': 'error',
      eqeqeq: 'error',
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 70, IIFEs: true }],
      complexity: 'off',
    },
  },
  // The one rule that needs types costs more than all others together, so it looks at what runs in production.
  {
    files: ['libs/**/*.ts', 'apps/**/*.ts'],
    ignores: [...SPECS, '**/*.fixture.ts', 'libs/testing/**', 'libs/{kernel,schema}/**', 'libs/*/src/model/**'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: { '@typescript-eslint/no-floating-promises': 'error' },
  },
  {
    files: REPEATABLE,
    ignores: MAY_TELL_TIME,
    rules: { 'no-restricted-syntax': banned(BANNED_SYNTAX, CLOCK, CHANCE_AND_WAITING, RANDOM_BYTES) },
  },
  { files: ['libs/kernel/src/ids.ts'], rules: { 'no-restricted-syntax': banned(BANNED_SYNTAX, CLOCK, CHANCE_AND_WAITING) } },
  { files: ['libs/platform/**'], rules: { 'no-restricted-imports': imports(NEST, 'Nest stands in platform/host and platform/wake only') } },
  {
    files: ['libs/platform/src/{host,wake}/**'],
    rules: { 'no-restricted-imports': imports(DRIVERS, 'the driver has no place at the rim') },
  },
  {
    files: SPECS,
    rules: {
      '@nx/enforce-module-boundaries': boundaries(specs),
      'max-lines-per-function': 'off',
      'no-console': 'off',
      // Numbers on the edge of what a double holds are what some tests are about.
      'no-loss-of-precision': 'off',
    },
  },
  { files: SPECS, ignores: [...REPEATABLE], rules: { 'no-restricted-syntax': banned(BANNED_SYNTAX, FOCUS) } },
  {
    files: REPEATABLE.map((glob) => `${glob}/*.spec.ts`),
    rules: { 'no-restricted-syntax': banned(BANNED_SYNTAX, CHANCE_AND_WAITING, FOCUS) },
  },
  { files: ['apps/cli/**', 'tools/**', 'libs/services/local/**', 'libs/testing/**', 'tests/**'], rules: { 'no-console': 'off' } },
);
