/** The one engine of a test run, found by the product's own resolver. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from './build.mjs';
import { Refusal, root } from './run.mjs';

const require = createRequire(import.meta.url);
const PARTS = ['libs/kernel/src', 'libs/platform/src/engine', 'libs/platform/src/containers', 'libs/platform/src/host'];

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

/** Unless the next run shall find it warm. */
export async function closeTestEngine(engine) {
  if (process.env.CONNECTOR_KEEP_ENGINE !== '1') await engine.stop();
}
