import { createServer } from 'node:net';
import { refusal } from './engine';

const TRIES = 200;

/** The first port at or after `near` that nobody listens on at 127.0.0.1. It may be taken again before it is used: be ready to ask twice. */
export async function freePort(near: number): Promise<number> {
  for (let port = near; port < near + TRIES && port < 65_536; port += 1) {
    if (await isFree(port)) return port;
  }
  throw refusal('NoFreePort', `no free port between ${near} and ${near + TRIES - 1} on 127.0.0.1`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
