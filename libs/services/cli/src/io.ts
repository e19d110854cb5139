/** Everything of a process that the command touches; a test gives it another one. */
export interface CliIo {
  readonly env: NodeJS.ProcessEnv;
  /** Where `.connector` is looked for unless CONNECTOR_HOME says another place. */
  readonly root: string;
  readonly user: string;
  /** A person sits there and can be asked. */
  readonly interactive: boolean;
  readonly color: boolean;
  /** Milliseconds since 1970. */
  now(): number;
  out(line: string): void;
  err(line: string): void;
  ask(question: string): Promise<string>;
  isAlive(pid: number): boolean;
}
