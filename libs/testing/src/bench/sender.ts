import { Agent, request } from 'node:http';
import type { Json } from '@connector/kernel/jcs';
import { jcs } from '@connector/kernel/jcs';
import { signedWebhook } from '@connector/services/local/src/demo/webhook';
import { channelOf } from '@connector/services/local/src/demo/world';
import type { SystemUnderTest } from '../system/system';

export interface Signed {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Signed before anything is timed. */
export async function sign({ local }: SystemUnderTest, channel: string, key: string, json: Json): Promise<Signed> {
  const body = jcs(json);
  return { ...(await signedWebhook(local, channelOf(channel), body, key)), body };
}

const ANSWER_MS_MAX = 30_000;

/** Sends over connections that stay open, so many at a time. */
export class Sender {
  readonly #agent: Agent;

  constructor(readonly inFlight: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  }

  /** All of them, each as soon as a place is free; the answer times, ms. Throws unless each is accepted as new. */
  async all(deliveries: readonly Signed[]): Promise<readonly number[]> {
    const took: number[] = [];
    const left = deliveries.values();
    const one = async (): Promise<void> => {
      for (const each of left) took.push(await this.send(each));
    };
    await Promise.all(Array.from({ length: this.inFlight }, one));
    return took;
  }

  async send({ url, headers, body }: Signed): Promise<number> {
    const began = performance.now();
    const status = await new Promise<number>((resolve, reject) => {
      const options = {
        method: 'POST',
        agent: this.#agent,
        timeout: ANSWER_MS_MAX,
        headers: { ...headers, 'content-length': body.length },
      };
      const call = request(url, options);
      call.once('timeout', () => call.destroy(new Error(`no answer in ${ANSWER_MS_MAX} ms`)));
      call.once('error', reject);
      call.once('response', (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
        response.once('error', reject);
      });
      call.end(body);
    });
    if (status !== 202) throw new Error(`a delivery was answered with ${status}`);
    return performance.now() - began;
  }

  close(): void {
    this.#agent.destroy();
  }
}
