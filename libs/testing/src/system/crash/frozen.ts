import type { Service } from '@connector/kernel/roles';
import type { LocalSystem } from '@connector/services/local/src/start-local';

/** Shorter than what the supervisor or a person would take for the end of it. */
export const FROZEN_MS_MAX = 5_000;

/** Does this while the process of a service stands still; it goes on earlier where the act waits for a row that it holds. */
export async function frozen(
  { supervisor }: { readonly supervisor: Pick<LocalSystem['supervisor'], 'kill'> },
  name: Service,
  act: () => Promise<void>,
): Promise<void> {
  const thaw = (): void => void supervisor.kill(name, 'SIGCONT');
  supervisor.kill(name, 'SIGSTOP');
  const timer = setTimeout(thaw, FROZEN_MS_MAX);
  try {
    await act();
  } finally {
    clearTimeout(timer);
    thaw();
  }
}
