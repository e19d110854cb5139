/** One jest over the whole tree. Kinds of test by file name: *.spec.ts pure · *.db.spec.ts database · *.race.spec.ts both commit orders. */
module.exports = {
  ...require('./jest.preset.js'),
  rootDir: __dirname,
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tests'],
  testMatch: ['**/*.spec.ts'],
  testEnvironment: '<rootDir>/tools/jest-environment.cjs',
  testSequencer: '<rootDir>/tools/jest-sequencer.cjs',
  globalSetup: '<rootDir>/tools/jest-global-setup.mjs',
  globalTeardown: '<rootDir>/tools/jest-global-teardown.mjs',
  testTimeout: 20000,
};
