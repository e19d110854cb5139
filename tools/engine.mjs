/** The one engine of a test run, found by the product's own resolver. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from './build.mjs';
import { Refusal, root } from './run.mjs';

const require = createRequire(import.meta.url);
const PARTS = [
  'libs/kernel/src',
  'libs/platform/src/db',
  'libs/platform/src/engine',
  'libs/platform/src/containers',
  'libs/platform/src/host',
];

/** The engine, with the text by which tests find it; or why there is none on this machine. */
export async function openTestEngine({ forced, onProgress } = {}) {
  await build(PARTS);
  const { resolveEngine } = require(join(root, 'dist/libs/platform/src/engine/resolve.js'));
  const { engineChoice, engineChoices } = require(join(root, 'dist/libs/platform/src/engine/engine.js'));
  const choice = forced === undefined ? {} : { forced: engineChoice(forced) };
  if (forced !== undefined && choice.forced === undefined) throw new Refusal(`--engine=${forced}: known are ${engineChoices.join(', ')}`);
  try {
    const engine = await resolveEngine({
      dataDir: join(root, '.connector/test'),
      ...choice,
      env: process.env,
      mayInstall: true,
      onProgress,
    });
    return { kind: 'engine', engine, text: describe(engine) };
  } catch (error) {
    if (error.code === 'HOUSE:engine:NoEngine') return { kind: 'none', reason: error.message };
    if (error.name === 'InputFault') throw new Refusal(error.message);
    throw error;
  }
}

function describe({ host, port, user, password, kind, version, grantsEnforced }) {
  return JSON.stringify({ host, port, user, password, kind, version, grantsEnforced });
}

/** Unless the next run shall find it warm. The schemas that specs shared go, but for those that another run uses now. */
export async function closeTestEngine(engine) {
  if (process.env.CONNECTOR_KEEP_ENGINE === '1') return;
  // One that died has nothing to give back.
  await dropFreeSchemas(engine).catch(() => undefined);
  await engine.stop();
}

/**
 * A commit is written before it is answered, as ever, but the disk is not waited for: what a server that is killed answered still stands.
 * Only for tests, and only where the engine is ours; whoever measures, or kills the machine, takes it as the product does.
 */
export async function waitForNoDisk(engine) {
  if (engine.pid === undefined || engine.kind !== 'mariadb') return;
  await asAdmin(engine, (admin) => admin.query('SET GLOBAL innodb_flush_log_at_trx_commit = 2'));
}

/** `borrowSchema` of libs/testing makes them, and holds the lock of each that is in use. */
const dropFreeSchemas = (engine) =>
  asAdmin(engine, async (admin) => {
    const made = await admin.query(
      "SELECT schema_name AS name FROM information_schema.schemata WHERE schema_name REGEXP '^con_test_(main|journal)_'",
    );
    for (const { name } of made) {
      const [lock] = await admin.query('SELECT GET_LOCK(?, 0) AS taken', [name]);
      if (String(lock?.taken) === '1') await admin.query(`DROP DATABASE IF EXISTS ${name}`);
    }
  });

async function asAdmin({ host, port, user, password }, work) {
  const { openAdmin } = require(join(root, 'dist/libs/platform/src/db/admin.js'));
  const admin = await openAdmin({ host, port, user, password });
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}
