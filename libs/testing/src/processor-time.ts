/**
 * The least processor time of three runs, in milliseconds: what the work itself costs. A first run pays for what is compiled on the way, and
 * any run pays for its neighbours; what is not linear in the input takes minutes in all three.
 */
export function processorMs(run: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const from = process.cpuUsage();
    run();
    return process.cpuUsage(from).user / 1_000;
  });
  return Math.min(...times);
}
