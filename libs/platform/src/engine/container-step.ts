import { InputFault, RetryableFault } from '@connector/kernel/faults';
import { containersOfThisMachine } from '../containers/testcontainers';
import { type Engine, type EngineOptions, refusal } from './engine';
import { containerEngine, TIDB_IMAGE } from './tidb-container';

/** `--engine=container`. Throws an `InputFault` where none answers. */
export async function forcedContainer(options: EngineOptions): Promise<Engine> {
  const containers = options.containers ?? containersOfThisMachine(options.env);
  const look = await containers.look();
  if (look.kind === 'answers') return containerEngine(containers, options);
  throw refusal(
    'NoContainerEngine',
    [
      `--engine=container asks for ${TIDB_IMAGE.name} in a container, and no container engine answers: ${look.why}.`,
      '  start one (Docker, or Podman with its socket), or name its socket in DOCKER_HOST=unix:///...',
      '  or start without --engine: then the first database that is found is taken',
    ].join('\n'),
  );
}

/**
 * One way of several. Undefined: no engine answers, or it refuses; a line says why and the next way is tried. What should have worked and did
 * not is thrown.
 */
export async function containerStep(options: EngineOptions): Promise<Engine | undefined> {
  const containers = options.containers ?? containersOfThisMachine(options.env);
  const look = await containers.look();
  if (look.kind === 'answers') return containerEngine(containers, options).catch((thrown: unknown) => passedOver(thrown, options));
  options.onProgress?.(`no container engine answers: ${look.why}`);
  return undefined;
}

function passedOver(thrown: unknown, { onProgress }: EngineOptions): undefined {
  if (!(thrown instanceof InputFault || thrown instanceof RetryableFault)) throw thrown;
  onProgress?.(`${TIDB_IMAGE.name} in a container is passed over: ${thrown.message}`);
  return undefined;
}
