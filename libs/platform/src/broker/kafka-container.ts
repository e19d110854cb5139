import { type ContainerSpec, type Containers, type PinnedImage } from '../containers/containers';
import { containerName, type OwnContainer } from '../containers/own-container';
import { type BrokerOptions, KAFKA_VERSION } from './broker';
import { answers, fixedProperties } from './kafka-server';

/** The same release as the Maven artifacts. The size is that of KIP-975, unpacked. */
export const KAFKA_IMAGE: PinnedImage = { name: `apache/kafka:${KAFKA_VERSION}`, size: 'some 460 MB unpacked' };

/** Apache Kafka in a container, for a machine without Java. It has no volume: what it holds is worth nothing after a minute. */
export async function kafkaContainer(
  containers: Containers,
  { dataDir, onProgress: say = () => undefined }: BrokerOptions,
): Promise<OwnContainer> {
  const name = await containerName('kafka', dataDir);
  const title = `Apache Kafka (${KAFKA_IMAGE.name})`;
  return { title, image: KAFKA_IMAGE, name, containers, dataDir, say, answers, specFor: (port) => Promise.resolve(specFor(name, port)) };
}

/** The image takes each property as a variable, and with one of them its own defaults are gone. */
function specFor(name: string, port: number): ContainerSpec {
  // Its own port inside, beside the broker's whichever that is.
  const controller = port === 9093 ? 9094 : 9093;
  const properties = {
    ...fixedProperties,
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `BROKER://0.0.0.0:${port},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `BROKER://127.0.0.1:${port}`,
  };
  const environment = Object.fromEntries(Object.entries(properties).map(([key, value]) => [variableOf(key), value]));
  return { name, image: KAFKA_IMAGE.name, port, command: [], environment, mounts: [] };
}

const variableOf = (property: string): string => `KAFKA_${property.toUpperCase().replaceAll('.', '_')}`;
