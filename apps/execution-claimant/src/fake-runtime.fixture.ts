import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Body = Record<string, unknown>;
/** A status and a body; undefined: the connection is dropped, as a process that dies drops it. */
type Answer = { readonly status: number; readonly body: object } | undefined;

/** A Runtime that answers what a test says, and remembers what it was asked. */
export interface FakeRuntime {
  readonly url: string;
  readonly submitted: readonly Body[];
  readonly questions: readonly (readonly Body[])[];
  /** The most submissions that were open at once. */
  readonly mostAtOnce: number;
  submission: (command: Body) => Answer | Promise<Answer>;
  result: (question: Body) => object;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
}

export async function fakeRuntime(): Promise<FakeRuntime> {
  const submitted: Body[] = [];
  const questions: Body[][] = [];
  let open = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const answer = request.url === '/v1/commands' ? await submission(body) : results(body['commands'] as Body[]);
      if (request.headers.authorization !== 'Bearer claimant-token' || answer === undefined) return response.destroy();
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    })();
  });
  async function submission(command: Body): Promise<Answer> {
    submitted.push(command);
    open += 1;
    fake.mostAtOnce = Math.max(fake.mostAtOnce, open);
    const answer = await fake.submission(command);
    open -= 1;
    return answer;
  }
  function results(asked: Body[]): Answer {
    questions.push(asked);
    return { status: 200, body: { results: asked.map((question) => fake.result(question)) } };
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ submitted, questions, mostAtOnce: 0 },
    submission: (_command: Body): Answer | Promise<Answer> => ({ status: 202, body: { kind: 'accepted' } }),
    result: (question: Body): object => ({ command_id: question['command_id'], found: false }),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return fake;
}
