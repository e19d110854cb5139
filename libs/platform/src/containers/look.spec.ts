import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lookForEngine, placeOf } from './look';
import { containersOfThisMachine, textOf } from './testcontainers';

jest.mock('testcontainers', () => {
  throw new Error('the package was loaded');
});

describe('whether a container engine answers', () => {
  let folder: string;
  let server: Server | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'look-'));
  });
  afterEach(async () => {
    server?.close();
    server = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  const listening = async (made: Server): Promise<NodeJS.ProcessEnv> => {
    server = made;
    const socket = join(folder, 'docker.sock');
    await new Promise<void>((resolve) => made.listen(socket, resolve));
    return { DOCKER_HOST: `unix://${socket}` };
  };
  const look = (env: NodeJS.ProcessEnv) => lookForEngine(env, []);

  it('answers: whoever says that it is there', async () => {
    const env = await listening(createHttp((_, reply) => reply.end('OK')));
    expect(await look(env)).toEqual({ kind: 'answers' });
  });

  it('silent: a socket behind which nobody listens is named, with why', async () => {
    const socket = join(folder, 'docker.sock');
    await writeFile(socket, '');
    expect(await look({ DOCKER_HOST: `unix://${socket}` })).toMatchObject({
      kind: 'silent',
      why: expect.stringMatching(/docker\.sock: .*E/) as string,
    });
  });

  it('silent: one that takes the connection and says nothing is given up in two seconds', async () => {
    const env = await listening(createServer());
    const began = performance.now();
    expect(await look(env)).toMatchObject({ why: expect.stringContaining('no answer within 2 s') as string });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('silent: one that answers with a refusal is none', async () => {
    const env = await listening(createHttp((_, reply) => reply.writeHead(500).end()));
    expect(await look(env)).toMatchObject({ why: expect.stringContaining('status 500') as string });
  });

  it('silent: one on another machine is none, for its ports are not at 127.0.0.1; neither is one around us', async () => {
    for (const address of ['tcp://192.0.2.1:2375', 'ssh://me@host', 'tcp://127.0.0.1', 'nonsense'])
      expect(await look({ DOCKER_HOST: address })).toMatchObject({ why: expect.stringContaining('DOCKER_HOST') as string });
    expect(placeOf('tcp://127.0.0.1:2375')).toEqual({ host: '127.0.0.1', port: 2375 });
    await writeFile(join(folder, 'mark'), '');
    expect(await lookForEngine({}, [join(folder, 'mark')])).toMatchObject({ why: expect.stringContaining('a container itself') as string });
  });

  it('cheap: a look loads nothing of the package that speaks to an engine; the first question to one does', async () => {
    const containers = containersOfThisMachine({ DOCKER_HOST: `unix://${join(folder, 'absent')}` });
    expect(await containers.look()).toMatchObject({ kind: 'silent' });
    await expect(containers.hasImage('example/server:v1')).rejects.toThrow('the package was loaded');
  });

  it('log: the pieces of both streams, without the bytes in front of each', () => {
    const piece = (stream: number, text: string): Buffer => {
      const head = Buffer.alloc(8);
      head.writeUInt8(stream, 0);
      head.writeUInt32BE(Buffer.byteLength(text), 4);
      return Buffer.concat([head, Buffer.from(text)]);
    };
    expect(textOf(Buffer.concat([piece(1, 'one\n'), piece(2, 'zwölf\n')]))).toBe('one\nzwölf\n');
    expect(textOf(Buffer.alloc(0))).toBe('');
  });
});
