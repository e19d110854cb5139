/** Tells a person what a long step is doing: nothing for two seconds, then the seconds so far, then how long it took. */
const QUIET_MS = 2_000;
const EVERY_MS = process.stderr.isTTY ? 1_000 : 10_000;

/** Runs `work` and returns its answer. `doing` reads on with the seconds: `installing packages … 12 s`. */
export async function step(doing, work) {
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  let shown = false;
  const show = () => {
    shown = true;
    if (process.stderr.isTTY) process.stderr.write(`\r${doing} … ${seconds()} s`);
    else console.error(`${doing} … ${seconds()} s`);
  };
  let ticker;
  const first = setTimeout(() => {
    show();
    ticker = setInterval(show, EVERY_MS);
  }, QUIET_MS);
  try {
    return await work();
  } finally {
    clearTimeout(first);
    clearInterval(ticker);
    if (shown && process.stderr.isTTY) process.stderr.write('\n');
  }
}
