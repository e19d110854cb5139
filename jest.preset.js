/** What every jest project shares: swc with decorators, the path names of tsconfig.base.json, ESM-only packages let through. */
module.exports = {
  testEnvironment: 'node',
  transform: { '^.+\\.(t|j)s$': ['@swc/jest', { swcrc: true }] },
  transformIgnorePatterns: ['/node_modules/(?!(@bufbuild/(cel|cel-spec|protobuf)|@octokit)/)'],
  moduleNameMapper: {
    '^@connector/(services|shipped-packs)/(.*)$': '<rootDir>/libs/$1/$2',
    // What is loaded only when it is needed: in an `import()` TypeScript wants the name that the file has once it is built.
    '^@connector/([^/]+)/(.*?)(\\.js)?$': '<rootDir>/libs/$1/src/$2',
    '^(\\.\\./kafka/[a-z-]+)\\.js$': '$1',
  },
};
