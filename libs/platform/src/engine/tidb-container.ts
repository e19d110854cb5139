import { join } from 'node:path';
import type { Containers, ContainerSpec, PinnedImage } from '../containers/containers';
import { containerName, joinOrRun, leaveContainer, type OwnContainer } from '../containers/own-container';
import { defaultPort, type Engine, type EngineOptions } from './engine';
import { withFolderLock } from './folder-lock';
import { writePrivately } from './files';
import { describe, loginOf } from './own';
import { openHome } from './server';
import { configFile, EMBEDDED, firstLogin, settle, TIDB_CONFIG, tidbArguments } from './tidb';

/** The tag is exact and stands here alone. The engine tells the exact size only while it pulls. */
export const TIDB_IMAGE: PinnedImage = { name: 'pingcap/tidb:v8.5.8', size: 'some hundred MB' };
const INSIDE = '/connector';
const TITLE = `TiDB (${TIDB_IMAGE.name})`;

/** TiDB with its embedded store in a container, its data in a named volume. Call under the folder's lock, where an engine answers. */
export async function containerEngine(containers: Containers, options: EngineOptions): Promise<Engine> {
  const home = await openHome(options);
  const name = await containerName('tidb', home.dataDir);
  const own: OwnContainer = {
    ...{ title: TITLE, image: TIDB_IMAGE, name, containers },
    dataDir: home.dataDir,
    say: home.say,
    specFor: (port) => specFor(home.dataDir, name, port),
    answers: (port) => firstLogin(loginOf(home, port)),
  };
  const stop = (): Promise<void> => withFolderLock(home.dataDir, () => leaveContainer(own));
  try {
    const port = await joinOrRun(own, options.portNear ?? defaultPort);
    const kept = `its data is in the volume ${name} of the container engine, which connector dev reset leaves there`;
    return await describe({ settle, source: `container of ${TIDB_IMAGE.name}`, warnings: [EMBEDDED, kept] }, home, port, stop);
  } catch (error) {
    // What cannot be used is not left running behind the refusal.
    await leaveContainer(own);
    throw error;
  }
}

async function specFor(dataDir: string, name: string, port: number): Promise<ContainerSpec> {
  const config = configFile(dataDir);
  await writePrivately(config, TIDB_CONFIG);
  const image = TIDB_IMAGE.name;
  // Bound to 127.0.0.1 by the engine; inside it has an address of its own.
  const command = [...tidbArguments(INSIDE, port, '0.0.0.0')];
  return { name, image, port, command, environment: {}, mounts: [`${name}:${join(INSIDE, 'data')}`, `${config}:${configFile(INSIDE)}:ro`] };
}
