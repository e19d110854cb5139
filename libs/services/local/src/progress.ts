const QUIET_MS = 2_000;
const EVERY_MS = process.stderr.isTTY ? 1_000 : 10_000;

/** Runs `work`; a step that takes longer than two seconds says so, and goes on saying how long it has taken. */
export async function step<T>(doing: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  let shown = false;
  const show = (): void => {
    const line = `${doing} … ${Math.round((performance.now() - began) / 1_000)} s`;
    process.stderr.write(process.stderr.isTTY ? `\r${line}` : `${line}\n`);
    shown = true;
  };
  let ticker: NodeJS.Timeout | undefined;
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
