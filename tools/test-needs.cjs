/**
 * What a test may need that this machine or this engine has not: said in its title as `[needs tidb]`, so that it is skipped with a reason
 * and counted. Files of tests that need a database are known by their names.
 */
const { spawnSync } = require('node:child_process');
const { accessSync, constants } = require('node:fs');
const { delimiter, join } = require('node:path');

const NEEDS_DATABASE = /\.(db|race|crash)\.spec\.ts$/;

const needs = {
  mariadbd: () => (onPath('mariadbd') ? undefined : 'no mariadbd on this machine'),
  mariadb: () => otherKind('mariadb'),
  tidb: () => otherKind('tidb'),
  kafka: () => (process.env.CONNECTOR_KAFKA_BROKERS ? undefined : once('kafka', lacksKafka)),
  container: () => once('container', lacksContainers),
  grants: () => (database()?.grantsEnforced === false ? 'the user of the given database may not create users' : undefined),
};

/** Why this test is skipped, or `undefined`. `titles`: those of its groups and its own. */
function skipReason(file, titles) {
  const named = [...titles.join(' ').matchAll(/\[needs ([^\]]+)\]/g)].map(([, name]) => name);
  for (const name of named) {
    if (needs[name] === undefined)
      throw new Error(`${file}: nobody knows what [needs ${name}] is; known: ${Object.keys(needs).join(', ')}`);
    const reason = needs[name]();
    if (reason !== undefined) return reason;
  }
  // A test that brings its own server needs no other.
  return NEEDS_DATABASE.test(file) && !named.includes('mariadbd') ? process.env.CONNECTOR_TEST_DATABASE_ABSENT : undefined;
}

function database() {
  const text = process.env.CONNECTOR_TEST_DATABASE;
  return text ? JSON.parse(text) : undefined;
}

function otherKind(kind) {
  const found = database()?.kind;
  return found === undefined || found === kind ? undefined : `needs ${kind}, this run is on ${found}`;
}

/** Apache Kafka is fetched by Maven and run by Java 17 or newer; what is here is the machine's, not ours to install in a test. */
function lacksKafka() {
  if (!onPath('java') || !onPath('mvn')) return 'no broker: no Java or no Maven on this machine';
  const said = spawnSync('java', ['-version'], { encoding: 'utf8', timeout: 20_000 });
  const version = /version "(\d+)/.exec(said.stderr)?.[1];
  return Number(version) >= 17 ? undefined : `no broker: Java 17 or newer is needed, here is ${version ?? 'an unknown one'}`;
}

/**
 * By the product's own look: a command that finds an engine in another place would have the tests run, and fail. Where one answers they pull
 * images of hundreds of megabytes, so they are asked for.
 */
function lacksContainers() {
  const said = spawnSync(process.execPath, [join(__dirname, 'containers.mjs')], { encoding: 'utf8', timeout: 60_000 });
  if (said.status !== 0) return `not run, no container engine answers: ${said.stdout.trim() || 'it could not be asked'}`;
  return process.env.CONNECTOR_TEST_CONTAINERS === '1' ? undefined : 'not run, they pull images: CONNECTOR_TEST_CONTAINERS=1 runs them';
}

const known = new Map();
function once(name, ask) {
  if (!known.has(name)) known.set(name, ask());
  return known.get(name);
}

function onPath(name) {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'].some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

module.exports = { NEEDS_DATABASE, skipReason };
