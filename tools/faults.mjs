#!/usr/bin/env node
/** `npm run faults`: whole systems of real processes while what they stand on dies. `-- --help` says how to choose. */
import { join } from 'node:path';
import { options } from './engine-run.mjs';
import { holdInterrupts, main, Refusal, root, run } from './run.mjs';

const RUNS = {
  database: 'the database killed and started ten times under load; then every row that has not ended is explained (2 min)',
  sweeps: 'a thousand executions counted while twenty sweeps die in the middle (2 min)',
  takeover: 'as it ships: ten leased executions of a killed claimant, by the clock (30 s)',
};
const HELP = `npm run faults -- [--only <run>] [--kills N] [--seed N] [--engine=<choice>]

${Object.entries(RUNS)
  .map(([name, about]) => `  ${name.padEnd(10)}${about}`)
  .join('\n')}

  --only    one of them; all where nothing is said
  --kills   how often the database dies; ten where nothing is said
  --seed    makes a run again
  --engine  tidb, mariadb or url; the database that dies is one of the same kind, of the run's own

The exit code is 0 when nothing was found and no run was void.`;

await main(async () => {
  const { seed, kills, only, engine, help } = options({ whole: ['seed', 'kills'], text: ['only', 'engine'], flags: ['help'] });
  if (help) return console.log(HELP);
  if (only !== undefined && RUNS[only] === undefined)
    throw new Refusal(`no run is called ${only}; there are ${Object.keys(RUNS).join(', ')}`);
  const env = {
    ...(seed === undefined ? {} : { CONNECTOR_SEED: String(seed) }),
    ...(kills === undefined ? {} : { CONNECTOR_DATABASE_KILLS: String(kills) }),
  };
  const args = ['--no-verify', '--runInBand', `tests/faults/${only ?? ''}`, ...(engine === undefined ? [] : [`--engine=${engine}`])];
  const interrupted = holdInterrupts();
  const { code } = await run(process.execPath, [join(root, 'tools/test.mjs'), ...args], {
    env,
    minutes: 60,
  });
  return interrupted() ?? code;
});
