import type { StepHook } from './step-hook';

/**
 * Kills this process, as SIGKILL does, when it reaches a named point for the n-th time: `<door>/<step>` or `<door>/<step>@n`.
 * What the crash matrix arms; without the variable there is no hook at all.
 */
export function crashHook(point: string | undefined): StepHook | undefined {
  if (point === undefined || point === '') return undefined;
  const [name, count = '1'] = point.split('@');
  let left = Number(count);
  return (at) => {
    if (at.point !== name) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
