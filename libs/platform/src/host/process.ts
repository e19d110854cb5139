import type { EventEmitter } from 'node:events';
import type { LogDestination } from '../telemetry/log';
import { ipcChannel, type WakeChannel } from '../wake/wake-channel';

export type ProcessEvent = 'SIGTERM' | 'SIGINT' | 'disconnect' | 'uncaughtException' | 'unhandledRejection';

/** What a service touches of its process; a test that hosts several services gives each a quiet one. */
export interface HostProcess {
  readonly env: NodeJS.ProcessEnv;
  /** Forked by a supervisor, which may be gone by now. */
  readonly supervised: boolean;
  readonly channel: WakeChannel;
  /** Where log lines go; standard output when absent. */
  readonly out?: LogDestination;
  on(event: ProcessEvent, run: (cause: unknown) => void): void;
  off(event: ProcessEvent, run: (cause: unknown) => void): void;
  exit(code: number): void;
}

export function realProcess(): HostProcess {
  const events: EventEmitter = process;
  // A supervisor that died took the pipes along. The EPIPE of a stray warning must not cut the drain that its end sets off.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return {
    env: process.env,
    supervised: process.send !== undefined,
    channel: ipcChannel(process),
    on: (event, run) => void events.on(event, run),
    off: (event, run) => void events.off(event, run),
    exit: (code) => process.exit(code),
  };
}

/** No signals, no channel, no output; `exit` and `write` only tell. For tests and for tools that host a service for a moment. */
export function quietProcess(
  env: NodeJS.ProcessEnv,
  exit: (code: number) => void = () => undefined,
  write: (line: string) => void = () => undefined,
): HostProcess {
  const channel: WakeChannel = { connected: false, send: (_, sent) => sent(), listen: () => () => undefined };
  return { env, supervised: false, channel, out: { write }, on: () => undefined, off: () => undefined, exit };
}
