import type { GenerationId } from '@connector/kernel/ids';

/** A command that was started so often, and whose process ended each time before it told an end, is not started again. */
export const STARTS_MAX = 5;

/** Starts of one command whose end nobody told; `startedBy` is the process of the last one while it is open. */
export interface Starts {
  readonly starts: number;
  readonly startedBy: GenerationId | null;
}

/** What is known of a command beside its row, where nothing was written since: its acceptance was its first start. */
export const startOfAcceptance = (acceptedBy: GenerationId | null): Starts => ({ starts: 1, startedBy: acceptedBy });

/** Those that another process began. What the asker itself began is no sign of anything: the asker lives. */
export function unansweredStarts({ starts, startedBy }: Starts, asker: GenerationId): number {
  return startedBy === asker ? starts - 1 : starts;
}
