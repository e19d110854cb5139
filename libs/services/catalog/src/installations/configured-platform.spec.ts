import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_PLATFORM } from '@connector/catalog/contract/platform';
import { CONFORMANCE_PLATFORM, deploymentConforms, schemaConforms } from '@connector/testing/deployment-conformance';
import { FakeDeployment } from '@connector/testing/fake-deployment';
import { WORKLOAD } from '@connector/testing/fixtures/publication';
import { configuredDeployment, configuredSchema, readPlatform } from './configured-platform';

deploymentConforms('configured', () => configuredDeployment(CONFORMANCE_PLATFORM));
deploymentConforms('in memory', () => new FakeDeployment(CONFORMANCE_PLATFORM));
schemaConforms('configured', () => configuredSchema(CONFORMANCE_PLATFORM));
schemaConforms('in memory', () => new FakeDeployment(CONFORMANCE_PLATFORM));

describe('an owner that is slow', () => {
  it('known: late, and the same as at once', async () => {
    const slow = new FakeDeployment(CONFORMANCE_PLATFORM);
    slow.mood = 'held';
    const answer = slow.workload(WORKLOAD);
    slow.release();
    expect(await answer).toEqual({ kind: 'known' });
  });
});

describe('platform file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'platform-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const read = async (text: string) => {
    const file = join(folder, 'platform.json');
    await writeFile(file, text);
    return readPlatform(file);
  };

  it('read: in any layout', async () => {
    expect(await read(JSON.stringify(CONFORMANCE_PLATFORM, undefined, 2))).toEqual(CONFORMANCE_PLATFORM);
  });

  it('nothing: where no file is configured, no protocol, workload or capability is known (cat:MAN-30)', async () => {
    expect(await readPlatform(undefined)).toEqual(NO_PLATFORM);
  });

  it.each([
    ['no JSON', '{'],
    ['a member twice', '{"a":1,"a":2}'],
    ['an unknown member', JSON.stringify({ ...NO_PLATFORM, more: 1 })],
    ['a missing member', JSON.stringify({ ...NO_PLATFORM, protocols: undefined })],
  ])('refused: %s', async (_what, text) => {
    await expect(read(text)).rejects.toMatchObject({ name: 'InputFault' });
  });
});
