import type { Wake } from './wake';

/** Delivers nothing. With it every service must still finish its work, by polling alone. */
export class SilentWake implements Wake {
  readonly state = 'off';

  emit(): void {
    return undefined;
  }

  subscribe(): () => void {
    return () => undefined;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
