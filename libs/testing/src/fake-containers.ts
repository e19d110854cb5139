import type { Containers, ContainerSpec, ContainerState, EngineLook } from '@connector/platform/containers/containers';

/** A container engine in memory. What it shall not be able to do is set by overriding its methods. */
export class FakeContainers implements Containers {
  looked: EngineLook = { kind: 'answers' };
  readonly images = new Set<string>();
  readonly running = new Map<string, ContainerSpec>();
  readonly ended = new Set<string>();
  /** What it was asked to do, in order: `pull <image>`, `run <name> <port>`, `remove <name>`. */
  readonly acts: string[] = [];

  look(): Promise<EngineLook> {
    return Promise.resolve(this.looked);
  }
  hasImage(image: string): Promise<boolean> {
    return Promise.resolve(this.images.has(image));
  }
  async pull(image: string, onWait: (seconds: number) => void): Promise<void> {
    this.acts.push(`pull ${image}`);
    onWait(5);
    this.images.add(image);
  }
  async run(spec: ContainerSpec): Promise<void> {
    this.acts.push(`run ${spec.name} ${spec.port}`);
    this.running.set(spec.name, spec);
  }
  stateOf(name: string): Promise<ContainerState> {
    if (this.running.has(name)) return Promise.resolve('running');
    return Promise.resolve(this.ended.has(name) ? 'ended' : 'absent');
  }
  logOf(name: string): Promise<string> {
    return Promise.resolve(`the log of ${name}`);
  }
  async remove(name: string): Promise<void> {
    this.acts.push(`remove ${name}`);
    this.running.delete(name);
    this.ended.delete(name);
  }
}
