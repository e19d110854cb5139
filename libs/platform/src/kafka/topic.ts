import type { Kafka } from 'kafkajs';

const PARTITIONS = 4;
/** A hint is worth nothing after a minute, and the topic may never fill a disk. */
const BOUNDS = {
  'cleanup.policy': 'delete',
  'retention.ms': '60000',
  'retention.bytes': '4194304',
  'segment.bytes': '1048576',
  'max.message.bytes': '131072',
};

/** Makes the topic where there is none; one that is there stays as it is. Services never make it: they need no such right. */
export async function ensureWakeTopic(kafka: Kafka, topic: string): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    if ((await admin.listTopics()).includes(topic)) return;
    const configEntries = Object.entries(BOUNDS).map(([name, value]) => ({ name, value }));
    await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS, replicationFactor: -1, configEntries }] });
  } finally {
    await admin.disconnect();
  }
}
