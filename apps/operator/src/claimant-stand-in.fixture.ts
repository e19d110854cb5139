import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers as a claimant would and keeps what it was asked, and under which token. */
export interface ClaimantStandIn {
  readonly url: string;
  readonly asked: string[];
  answer: { readonly status: number; readonly body: object };
  close(): Promise<void>;
}
export async function claimantStandIn(): Promise<ClaimantStandIn> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`);
    response.writeHead(made.answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(made.answer.body));
  });
  await new Promise<void>((ready) => void server.listen(0, '127.0.0.1', ready));
  const made: ClaimantStandIn = {
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
