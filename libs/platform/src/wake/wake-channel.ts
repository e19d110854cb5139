/** One end of a message channel between a supervisor and one child. */
export interface WakeChannel {
  readonly connected: boolean;
  /** `sent` is called once, whether or not the message left. Never throws. */
  send(message: object, sent: () => void): void;
  /** Calls `receive` for every message until the returned function is called. */
  listen(receive: (message: unknown) => void): () => void;
}

/** What `process` (in a child) and a ChildProcess (in its parent) have in common. */
export interface IpcEnd {
  readonly connected: boolean;
  send?(message: object, handle: undefined, options: undefined, sent: (error: Error | null) => void): boolean;
  on(event: 'message', receive: (message: unknown) => void): unknown;
  off(event: 'message', receive: (message: unknown) => void): unknown;
}

/** The channel that Node gives a forked child. Without one (started alone) nothing is connected and every message is lost, as any hint may be. */
export function ipcChannel(end: IpcEnd): WakeChannel {
  return {
    get connected() {
      return end.connected && end.send !== undefined;
    },
    send(message, sent) {
      if (!end.connected || end.send === undefined) return sent();
      try {
        end.send(message, undefined, undefined, () => sent());
      } catch {
        sent(); // closed between the look and the send: the hint is lost, which hints may be
      }
    },
    listen(receive) {
      end.on('message', receive);
      return () => void end.off('message', receive);
    },
  };
}
