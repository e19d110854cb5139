import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands between two services: every request goes through; while `lossy`, and while nobody is there, no answer comes back. */
export interface LossyProxy {
  readonly url: string;
  /** Paths of the requests that went through. */
  readonly seen: readonly string[];
  lossy: boolean;
  close(): Promise<void>;
}

export async function lossyProxy(target: () => string): Promise<LossyProxy> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = { 'content-type': 'application/json', authorization: String(request.headers.authorization) };
      const answer = await fetch(`${target()}${request.url}`, { method: 'POST', headers, body: Buffer.concat(chunks) });
      const body = await answer.text();
      seen.push(String(request.url));
      if (proxy.lossy) return response.destroy();
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ seen, lossy: false },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return proxy;
}
