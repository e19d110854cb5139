/** An image by its exact tag, and how much of it there is to fetch, for a person. */
export interface PinnedImage {
  readonly name: string;
  readonly size: string;
}

/** One server in a container. Its port is the same inside as at 127.0.0.1, so that a server that tells its own address tells the right one. */
export interface ContainerSpec {
  /** Nobody else's: it carries an id that was minted for one data folder. */
  readonly name: string;
  readonly image: string;
  readonly port: number;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** `name or path:folder inside`, as the engine takes it. */
  readonly mounts: readonly string[];
}

export type EngineLook = { readonly kind: 'answers' } | { readonly kind: 'silent'; readonly why: string };
export type ContainerState = 'running' | 'ended' | 'absent';

/** A container engine of this machine. Every wait in it is bounded; what it was asked and could not do is thrown. */
export interface Containers {
  look(): Promise<EngineLook>;
  hasImage(image: string): Promise<boolean>;
  /** `onWait`: every five seconds, with the seconds so far. */
  pull(image: string, onWait: (seconds: number) => void): Promise<void>;
  run(spec: ContainerSpec): Promise<void>;
  stateOf(name: string): Promise<ContainerState>;
  /** The end of what it printed. */
  logOf(name: string): Promise<string>;
  /** Asked to end first, with time for it; its volume stays. No fault when it is absent. */
  remove(name: string): Promise<void>;
}
