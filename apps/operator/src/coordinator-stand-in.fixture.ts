import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers as a coordinator would and keeps what it was asked, where the real one would act by itself. */
export interface StandIn {
  readonly url: string;
  readonly asked: object[];
  answer: { readonly status: number; readonly body: object };
  close(): Promise<void>;
}
export async function coordinatorStandIn(): Promise<StandIn> {
  const asked: object[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      asked.push({ path: request.url, ...(JSON.parse(Buffer.concat(chunks).toString()) as object) });
      response.writeHead(made.answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(made.answer.body));
    });
  });
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready));
  const made: StandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: { status: 500, body: {} },
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => void server.close(() => closed()));
    },
  };
  return made;
}
